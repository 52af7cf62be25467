//! The small extended instruction sets of AMD that compilers still emit.

use crate::context::{Lowerer, invalid_operands};
use crate::error::{Result, unsupported};
use crate::value::Operand;
use pyro_ir::{Builder, Opcode, Scalar, Value};
use pyro_library::{group, math};
use pyro_spirv::Instruction;

/// A library function of three scalars.
type Ternary = fn(&mut Builder<'_>, Value, Value, Value) -> Value;

impl<'m> Lowerer<'m, '_> {
    /// `SPV_AMD_shader_ballot`, `SPV_AMD_gcn_shader`, `SPV_AMD_shader_trinary_minmax`
    pub(crate) fn lower_amd(&mut self, inst: Instruction<'m>) -> Result {
        let name = inst.ext_inst().and_then(|(set, number)| set.instruction_name(number)).unwrap_or("?");
        let args = inst.ids_from(2);
        let is_int = match name {
            "FMin3AMD" | "FMax3AMD" | "FMid3AMD" => Some(false),
            "UMin3AMD" | "SMin3AMD" | "UMax3AMD" | "SMax3AMD" | "UMid3AMD" | "SMid3AMD" => Some(true),
            _ => None,
        };
        if let Some(is_int) = is_int {
            let f: Ternary = match name {
                "FMin3AMD" => math::f_min3,
                "UMin3AMD" => math::u_min3,
                "SMin3AMD" => math::s_min3,
                "FMax3AMD" => math::f_max3,
                "UMax3AMD" => math::u_max3,
                "SMax3AMD" => math::s_max3,
                "FMid3AMD" => math::f_mid3,
                "UMid3AMD" => math::u_mid3,
                _ => math::s_mid3,
            };
            return self.ext_map3(inst, is_int, f);
        }
        match (name, args.len()) {
            ("SwizzleInvocationsAMD", 2) => {
                let (components, offset) = (self.scalars(args.at(0))?, self.array(args.at(1))?);
                self.expect_int(inst, &offset)?;
                let values =
                    components.iter().map(|&x| group::swizzle_invocations(&mut self.b, x, offset)).collect();
                self.define(inst, Operand::Data(values))
            }
            ("SwizzleInvocationsMaskedAMD", 2) => {
                let (components, masks) = (self.scalars(args.at(0))?, self.array(args.at(1))?);
                self.expect_int(inst, &masks)?;
                let values = components
                    .iter()
                    .map(|&x| group::swizzle_invocations_masked(&mut self.b, x, masks))
                    .collect();
                self.define(inst, Operand::Data(values))
            }
            ("WriteInvocationAMD", 3) => {
                let (x, write) = (self.scalars(args.at(0))?, self.scalars(args.at(1))?);
                let index = self.scalar(args.at(2))?;
                self.expect_int(inst, &[index])?;
                let same = x.len() == write.len()
                    && x.iter().zip(&write).all(|(&x, &y)| self.scalar_type(x) == self.scalar_type(y));
                if !same {
                    return invalid_operands(inst);
                }
                let values = x
                    .iter()
                    .zip(&write)
                    .map(|(&x, &write)| group::write_invocation(&mut self.b, x, write, index))
                    .collect();
                self.define(inst, Operand::Data(values))
            }
            ("MbcntAMD", 1) => {
                let mask = self.scalar(args.at(0))?;
                self.expect_int(inst, &[mask])?;
                let count = group::mbcnt(&mut self.b, mask);
                self.define_scalar(inst, count)
            }
            ("TimeAMD", 0) => {
                let clock = self.b.op(Opcode::Clock, &[]);
                self.define_scalar(inst, clock)
            }
            ("CubeFaceIndexAMD" | "CubeFaceCoordAMD", 1) => {
                let direction: [Value; 3] = self.array(args.at(0))?;
                if direction.iter().any(|&x| self.scalar_type(x) != Scalar::F32) {
                    return invalid_operands(inst);
                }
                let face = math::cube_face(&mut self.b, direction);
                if name == "CubeFaceIndexAMD" {
                    return self.define_scalar(inst, face.index);
                }
                self.define(inst, Operand::data(&[face.s, face.t]))
            }
            _ => unsupported(format!("the extended instruction {name}")),
        }
    }

    /// A function of three scalars on each component.
    pub(crate) fn ext_map3(&mut self, inst: Instruction<'m>, is_int: bool, f: Ternary) -> Result {
        let args = inst.ids_from(2);
        if args.len() != 3 {
            return invalid_operands(inst);
        }
        let (x, y, z) = (self.scalars(args.at(0))?, self.scalars(args.at(1))?, self.scalars(args.at(2))?);
        let all = [&x[..], &y[..], &z[..]].concat();
        if is_int {
            self.expect_int(inst, &all)?;
        } else {
            self.expect_float(inst, &all)?;
        }
        self.expect_same(inst, &all)?;
        if x.len() != y.len() || x.len() != z.len() {
            return invalid_operands(inst);
        }
        let values = (0..x.len()).map(|index| f(&mut self.b, x[index], y[index], z[index])).collect();
        self.define(inst, Operand::Data(values))
    }
}
