//! The operators, by the numbers that `TOSA.001000.1` gives them.

/// What an operator's operands are.
pub(crate) struct Facts {
    /// The name in the specification.
    pub(crate) name: &'static str,
    /// Operands that are attributes, which come first.
    pub(crate) attributes: usize,
    /// Operands in all; of `CONCAT` at least so many.
    pub(crate) operands: usize,
}

macro_rules! opcodes {
    ($($number:literal $variant:ident $name:literal $attributes:literal + $inputs:literal)*) => {
        /// An operator.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[allow(missing_docs, reason = "the names of the specification")]
        pub enum Opcode { $($variant = $number),* }

        const ALL: &[(Opcode, Facts)] = &[$((
            Opcode::$variant,
            Facts { name: $name, attributes: $attributes, operands: $attributes + $inputs },
        )),*];
    };
}

opcodes! {
    0 ArgMax "ARGMAX" 2 + 1
    1 AvgPool2d "AVG_POOL2D" 4 + 3
    2 Conv2d "CONV2D" 5 + 5
    3 Conv3d "CONV3D" 5 + 5
    4 DepthwiseConv2d "DEPTHWISE_CONV2D" 5 + 5
    5 Fft2d "FFT2D" 2 + 2
    6 MatMul "MATMUL" 0 + 4
    7 MaxPool2d "MAX_POOL2D" 4 + 1
    8 Rfft2d "RFFT2D" 1 + 1
    9 TransposeConv2d "TRANSPOSE_CONV2D" 4 + 5
    10 Clamp "CLAMP" 3 + 1
    11 Erf "ERF" 0 + 1
    12 Sigmoid "SIGMOID" 0 + 1
    13 Tanh "TANH" 0 + 1
    14 Add "ADD" 0 + 2
    15 ArithmeticRightShift "ARITHMETIC_RIGHT_SHIFT" 1 + 2
    16 BitwiseAnd "BITWISE_AND" 0 + 2
    17 BitwiseOr "BITWISE_OR" 0 + 2
    18 BitwiseXor "BITWISE_XOR" 0 + 2
    19 IntDiv "INTDIV" 0 + 2
    20 LogicalAnd "LOGICAL_AND" 0 + 2
    21 LogicalLeftShift "LOGICAL_LEFT_SHIFT" 0 + 2
    22 LogicalRightShift "LOGICAL_RIGHT_SHIFT" 0 + 2
    23 LogicalOr "LOGICAL_OR" 0 + 2
    24 LogicalXor "LOGICAL_XOR" 0 + 2
    25 Maximum "MAXIMUM" 1 + 2
    26 Minimum "MINIMUM" 1 + 2
    27 Mul "MUL" 0 + 3
    28 Pow "POW" 0 + 2
    29 Sub "SUB" 0 + 2
    30 Table "TABLE" 0 + 2
    31 Abs "ABS" 0 + 1
    32 BitwiseNot "BITWISE_NOT" 0 + 1
    33 Ceil "CEIL" 0 + 1
    34 Clz "CLZ" 0 + 1
    35 Cos "COS" 0 + 1
    36 Exp "EXP" 0 + 1
    37 Floor "FLOOR" 0 + 1
    38 Log "LOG" 0 + 1
    39 LogicalNot "LOGICAL_NOT" 0 + 1
    40 Negate "NEGATE" 0 + 3
    41 Reciprocal "RECIPROCAL" 0 + 1
    42 Rsqrt "RSQRT" 0 + 1
    43 Sin "SIN" 0 + 1
    44 Select "SELECT" 0 + 3
    45 Equal "EQUAL" 0 + 2
    46 Greater "GREATER" 0 + 2
    47 GreaterEqual "GREATER_EQUAL" 0 + 2
    48 ReduceAll "REDUCE_ALL" 1 + 1
    49 ReduceAny "REDUCE_ANY" 1 + 1
    50 ReduceMax "REDUCE_MAX" 2 + 1
    51 ReduceMin "REDUCE_MIN" 2 + 1
    52 ReduceProduct "REDUCE_PRODUCT" 1 + 1
    53 ReduceSum "REDUCE_SUM" 1 + 1
    54 Concat "CONCAT" 1 + 1
    55 Pad "PAD" 0 + 3
    56 Reshape "RESHAPE" 0 + 2
    57 Reverse "REVERSE" 1 + 1
    58 Slice "SLICE" 0 + 3
    59 Tile "TILE" 0 + 2
    60 Transpose "TRANSPOSE" 1 + 1
    61 Gather "GATHER" 0 + 2
    62 Scatter "SCATTER" 0 + 3
    63 Resize "RESIZE" 1 + 4
    64 Cast "CAST" 0 + 1
    65 Rescale "RESCALE" 5 + 5
}

impl Opcode {
    /// The operator of a number.
    pub fn from_number(number: u32) -> Option<Opcode> {
        ALL.get(number as usize).map(|(opcode, _)| *opcode)
    }

    /// Its number.
    pub fn number(self) -> u32 {
        self as u32
    }

    pub(crate) fn facts(self) -> &'static Facts {
        &ALL[self as usize].1
    }

    /// Its name in the specification.
    pub fn name(self) -> &'static str {
        self.facts().name
    }

    /// How many of its operands, the first ones, are attributes: constant instructions.
    pub fn attribute_count(self) -> usize {
        self.facts().attributes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_places_in_the_table() {
        for (number, (opcode, _)) in ALL.iter().enumerate() {
            assert_eq!(
                (opcode.number() as usize, Opcode::from_number(number as u32)),
                (number, Some(*opcode))
            );
        }
        assert_eq!((ALL.len(), Opcode::from_number(66)), (66, None));
    }
}
