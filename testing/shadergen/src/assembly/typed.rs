//! Operations in other types, see [`crate::typed`].

use super::Writer;
use crate::typed::{Combine, Extent, Source, Type, TypedBinary};

fn name(ty: Type) -> &'static str {
    match ty {
        Type::I8 => "%i8",
        Type::I16 => "%i16",
        Type::I32 => "%uint",
        Type::I64 => "%i64",
        Type::F16 => "%f16",
        Type::F32 => "%float",
        Type::F64 => "%f64",
    }
}

impl Writer<'_> {
    /// A word as a value of the type.
    fn typed_value(&mut self, ty: Type, word: &str) -> String {
        let name = name(ty);
        match ty {
            Type::I8 | Type::I16 => self.let_(&format!("OpUConvert {name} {word}")),
            Type::I32 => word.to_owned(),
            Type::I64 => {
                let wide = self.let_(&format!("OpUConvert %i64 {word}"));
                self.let_(&format!("OpIMul %i64 {wide} %i64_widening"))
            }
            Type::F16 | Type::F32 | Type::F64 => {
                let amount = self.constant(if ty == Type::F16 { 27 } else { 21 });
                let high = self.let_(&format!("OpShiftLeftLogical %int {word} {amount}"));
                let small = self.let_(&format!("OpShiftRightArithmetic %int {high} {amount}"));
                self.let_(&format!("OpConvertSToF {name} {small}"))
            }
        }
    }

    /// The bits of a value as a word. Zeros lose their sign.
    fn typed_word(&mut self, ty: Type, value: &str) -> String {
        let fold = |writer: &mut Self, bits: &str| {
            let low = writer.let_(&format!("OpUConvert %uint {bits}"));
            let high = writer.let_(&format!("OpShiftRightLogical %i64 {bits} %i64_high"));
            let high = writer.let_(&format!("OpUConvert %uint {high}"));
            writer.let_(&format!("OpBitwiseXor %uint {low} {high}"))
        };
        match ty {
            Type::I8 | Type::I16 => self.let_(&format!("OpUConvert %uint {value}")),
            Type::I32 => value.to_owned(),
            Type::I64 => fold(self, value),
            Type::F16 => {
                let sum = self.let_(&format!("OpFAdd %f16 {value} %f16_zero"));
                let bits = self.let_(&format!("OpBitcast %i16 {sum}"));
                self.let_(&format!("OpUConvert %uint {bits}"))
            }
            Type::F32 => {
                let sum = self.let_(&format!("OpFAdd %float {value} %f32_zero"));
                self.let_(&format!("OpBitcast %uint {sum}"))
            }
            Type::F64 => {
                let sum = self.let_(&format!("OpFAdd %f64 {value} %f64_zero"));
                let bits = self.let_(&format!("OpBitcast %i64 {sum}"));
                fold(self, &bits)
            }
        }
    }

    pub(super) fn typed_binary(&mut self, ty: Type, op: TypedBinary, a: &str, b: &str) -> String {
        let (op, name) = (op.on(ty), name(ty));
        let x = self.typed_value(ty, a);
        let result = if ty.is_float() {
            let plain = |op: &str, y: &str| format!("{op} {name} {x} {y}");
            match op {
                TypedBinary::Div if ty == Type::F16 => self.let_(&plain("OpFDiv", "%f16_one")),
                TypedBinary::Div => {
                    let (seven, one) = (self.constant(7), self.constant(1));
                    let amount = self.let_(&format!("OpBitwiseAnd %uint {b} {seven}"));
                    let power = self.let_(&format!("OpShiftLeftLogical %uint {one} {amount}"));
                    let divisor = self.let_(&format!("OpConvertUToF {name} {power}"));
                    self.let_(&plain("OpFDiv", &divisor))
                }
                TypedBinary::ShiftRightArithmetic => self.let_(&format!("OpFNegate {name} {x}")),
                _ => {
                    let y = self.typed_value(ty, b);
                    match op {
                        TypedBinary::Add => self.let_(&plain("OpFAdd", &y)),
                        TypedBinary::Sub => self.let_(&plain("OpFSub", &y)),
                        TypedBinary::Mul => self.let_(&plain("OpFMul", &y)),
                        TypedBinary::UMin => self.let_(&plain_extended(name, "FMin", &x, &y)),
                        TypedBinary::SMax => self.let_(&plain_extended(name, "FMax", &x, &y)),
                        TypedBinary::Less => {
                            let less = self.let_(&format!("OpFOrdLessThan %bool {x} {y}"));
                            return self.number(&less);
                        }
                        _ => {
                            let low = self.let_(&plain_extended(name, "FMin", &x, &y));
                            let high = self.let_(&plain_extended(name, "FMax", &x, &y));
                            self.let_(&format!("OpFSub {name} {low} {high}"))
                        }
                    }
                }
            }
        } else {
            let y = self.typed_value(ty, b);
            let plain = |op: &str, y: &str| format!("{op} {name} {x} {y}");
            match op {
                TypedBinary::Add => self.let_(&plain("OpIAdd", &y)),
                TypedBinary::Sub => self.let_(&plain("OpISub", &y)),
                TypedBinary::Mul => self.let_(&plain("OpIMul", &y)),
                TypedBinary::Div | TypedBinary::Mod => {
                    let one = self.small_constant(ty, 1);
                    let odd = self.let_(&format!("OpBitwiseOr {name} {y} {one}"));
                    self.let_(&plain(if op == TypedBinary::Div { "OpUDiv" } else { "OpUMod" }, &odd))
                }
                TypedBinary::UMin => self.let_(&plain_extended(name, "UMin", &x, &y)),
                TypedBinary::SMax => self.let_(&plain_extended(name, "SMax", &x, &y)),
                TypedBinary::ShiftRightArithmetic => {
                    let mask = self.small_constant(ty, ty.width() - 1);
                    let amount = self.let_(&format!("OpBitwiseAnd {name} {y} {mask}"));
                    self.let_(&plain("OpShiftRightArithmetic", &amount))
                }
                TypedBinary::Less => {
                    let less = self.let_(&format!("OpSLessThan %bool {x} {y}"));
                    return self.number(&less);
                }
                _ => self.idiom(ty, op, &x, &y),
            }
        };
        self.typed_word(ty, &result)
    }

    /// A pattern of several instructions on integers.
    fn idiom(&mut self, ty: Type, op: TypedBinary, x: &str, y: &str) -> String {
        let (name, width) = (name(ty), ty.width());
        let by = |writer: &mut Self, op: &str, name: &str, value: &str, count: u32| {
            let count = writer.constant(count);
            writer.let_(&format!("{op} {name} {value} {count}"))
        };
        if let Some(count) = op.rotation(ty) {
            let left = by(self, "OpShiftLeftLogical", name, x, count);
            let right = by(self, "OpShiftRightLogical", name, x, width - count);
            let rotated = self.let_(&format!("OpBitwiseOr {name} {left} {right}"));
            return self.let_(&format!("OpBitwiseXor {name} {rotated} {y}"));
        }
        match op {
            TypedBinary::ByteSwap => {
                let mask = self.small_constant(ty, 0xff);
                let mut result = y.to_owned();
                for byte in (0..width).step_by(8) {
                    let low = by(self, "OpShiftRightLogical", name, x, byte);
                    let low = self.let_(&format!("OpBitwiseAnd {name} {low} {mask}"));
                    let moved = by(self, "OpShiftLeftLogical", name, &low, width - 8 - byte);
                    result = self.let_(&format!("OpBitwiseXor {name} {result} {moved}"));
                }
                result
            }
            TypedBinary::MultiplyHigh if ty == Type::I64 => {
                let [x, y] = [x, y].map(|value| by(self, "OpShiftRightLogical", name, value, 32));
                self.let_(&format!("OpIMul {name} {x} {y}"))
            }
            TypedBinary::MultiplyHigh => {
                let wide = match ty {
                    Type::I8 => "%i16",
                    Type::I16 => "%uint",
                    _ => "%i64",
                };
                let [x, y] = [x, y].map(|value| self.let_(&format!("OpUConvert {wide} {value}")));
                let product = self.let_(&format!("OpIMul {wide} {x} {y}"));
                let high = by(self, "OpShiftRightLogical", wide, &product, width);
                self.let_(&format!("OpUConvert {name} {high}"))
            }
            _ => {
                let sum = self.let_(&format!("OpIAdd {name} {x} {y}"));
                let wraps = self.let_(&format!("OpULessThan %bool {sum} {x}"));
                let (zero, one) = (self.small_constant(ty, 0), self.small_constant(ty, 1));
                if op == TypedBinary::Carry {
                    let carry = self.let_(&format!("OpSelect {name} {wraps} {one} {zero}"));
                    return self.let_(&format!("OpIAdd {name} {sum} {carry}"));
                }
                let greatest = self.let_(&format!("OpNot {name} {zero}"));
                self.let_(&format!("OpSelect {name} {wraps} {greatest} {sum}"))
            }
        }
    }

    /// A small number in an integer type.
    fn small_constant(&mut self, ty: Type, number: u32) -> String {
        let word = self.constant(number);
        if ty == Type::I32 { word } else { self.let_(&format!("OpUConvert {} {word}", name(ty))) }
    }

    pub(super) fn typed_group(&mut self, ty: Type, combine: Combine, extent: Extent, word: &str) -> String {
        let value = self.typed_value(ty, word);
        let scope = self.constant(3);
        let op = match (combine, ty.is_float()) {
            (Combine::Add, false) => "IAdd",
            (Combine::Add, true) => "FAdd",
            (Combine::Mul, _) => "IMul",
            (Combine::UMin, _) => "UMin",
            (Combine::SMin, false) => "SMin",
            (Combine::SMin, true) => "FMin",
            (Combine::UMax, _) => "UMax",
            (Combine::SMax, false) => "SMax",
            (Combine::SMax, true) => "FMax",
            (Combine::And, _) => "BitwiseAnd",
            (Combine::Or, _) => "BitwiseOr",
            (Combine::Xor, _) => "BitwiseXor",
        };
        let (kind, cluster) = match extent {
            Extent::Reduce => ("Reduce", String::new()),
            Extent::InclusiveScan => ("InclusiveScan", String::new()),
            Extent::ExclusiveScan => ("ExclusiveScan", String::new()),
            Extent::Clustered(count) => ("ClusteredReduce", self.constant(count)),
        };
        let name = name(ty);
        let result = self.let_(&format!("OpGroupNonUniform{op} {name} {scope} {kind} {value} {cluster}"));
        self.typed_word(ty, &result)
    }

    pub(super) fn other_lane(&mut self, ty: Type, source: Source, word: &str) -> String {
        let value = self.typed_value(ty, word);
        let name = name(ty);
        let scope = self.constant(3);
        let lane = self.let_("OpLoad %uint %lane_id");
        let count = self.let_("OpLoad %uint %lane_count");
        let (four, three) = (self.constant(4), self.constant(3));
        // Which lane that is, to see whether it is there.
        let start = |writer: &mut Self| {
            let mask = writer.constant(!3);
            writer.let_(&format!("OpBitwiseAnd %uint {lane} {mask}"))
        };
        let (index, read) = match source {
            Source::Shuffle => {
                let index = self.let_(&format!("OpUMod %uint {word} {count}"));
                let read = format!("OpGroupNonUniformShuffle {name} {scope} {value} {index}");
                (index, read)
            }
            Source::Xor(bits) => {
                let bits = self.constant(bits);
                let index = self.let_(&format!("OpBitwiseXor %uint {lane} {bits}"));
                (index, format!("OpGroupNonUniformShuffleXor {name} {scope} {value} {bits}"))
            }
            Source::Up(delta) => {
                let delta = self.constant(delta);
                // Wraps to a large number below lane 0.
                let index = self.let_(&format!("OpISub %uint {lane} {delta}"));
                (index, format!("OpGroupNonUniformShuffleUp {name} {scope} {value} {delta}"))
            }
            Source::Down(delta) => {
                let delta = self.constant(delta);
                let index = self.let_(&format!("OpIAdd %uint {lane} {delta}"));
                (index, format!("OpGroupNonUniformShuffleDown {name} {scope} {value} {delta}"))
            }
            Source::Rotate(delta) => {
                let delta = self.constant(delta);
                let sum = self.let_(&format!("OpIAdd %uint {lane} {delta}"));
                let index = self.let_(&format!("OpUMod %uint {sum} {count}"));
                (index, format!("OpGroupNonUniformRotateKHR {name} {scope} {value} {delta}"))
            }
            Source::RotateClustered(delta) => {
                let delta = self.constant(delta);
                let start = start(self);
                let sum = self.let_(&format!("OpIAdd %uint {lane} {delta}"));
                let rest = self.let_(&format!("OpBitwiseAnd %uint {sum} {three}"));
                let index = self.let_(&format!("OpBitwiseOr %uint {start} {rest}"));
                (index, format!("OpGroupNonUniformRotateKHR {name} {scope} {value} {delta} {four}"))
            }
            Source::QuadBroadcast(index) => {
                let place = self.constant(index);
                let start = start(self);
                let index = self.let_(&format!("OpBitwiseOr %uint {start} {place}"));
                (index, format!("OpGroupNonUniformQuadBroadcast {name} {scope} {value} {place}"))
            }
            Source::QuadSwap(direction) => {
                let (bits, direction) = (self.constant(direction + 1), self.constant(direction));
                let index = self.let_(&format!("OpBitwiseXor %uint {lane} {bits}"));
                (index, format!("OpGroupNonUniformQuadSwap {name} {scope} {value} {direction}"))
            }
        };
        let read = self.let_(&read);
        let read = self.typed_word(ty, &read);
        let exists = self.let_(&format!("OpULessThan %bool {index} {count}"));
        let active = self.let_(&format!("OpGroupNonUniformBallot %uint4 {scope} %true"));
        let zero = self.constant(0);
        let place = self.let_(&format!("OpSelect %uint {exists} {index} {zero}"));
        let active = self.let_(&format!("OpGroupNonUniformBallotBitExtract %bool {scope} {active} {place}"));
        let there = self.let_(&format!("OpLogicalAnd %bool {exists} {active}"));
        self.let_(&format!("OpSelect %uint {there} {read} {zero}"))
    }
}

fn plain_extended(name: &str, op: &str, x: &str, y: &str) -> String {
    format!("OpExtInst {name} %glsl {op} {x} {y}")
}
