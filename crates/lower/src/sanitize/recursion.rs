//! `recursion-depth`: traces and calls that are nested deeper than the pipeline says. The engine knows how
//! deep they are, and leaves it in columns of the subgroup's record.

use crate::context::Lowerer;
use crate::error::Result;
use crate::ray::{known_column, load_column};
use crate::report::Reported;
use pyro_abi::raytrace::ray_offset as at;
use pyro_abi::report::ValueType;
use pyro_ir::{Opcode, Scalar};
use pyro_spirv::Instruction;
use pyro_util::sanitize::Kind;

impl<'m> Lowerer<'m, '_> {
    /// Compares how deep a trace is nested with `maxPipelineRayRecursionDepth`.
    pub(crate) fn sanitize_recursion(&mut self, inst: Instruction<'m>) -> Result {
        if !self.sanitizer.is_on(Kind::RecursionDepth) {
            return Ok(());
        }
        let left = known_column(self, at::TRACES_LEFT, Scalar::I32);
        let is_too_deep = self.equals(left, 0);
        let text = "a ray is traced deeper than maxPipelineRayRecursionDepth says";
        self.find(inst, Kind::RecursionDepth, is_too_deep, text, Vec::new())
    }

    /// Looks, behind a trace or call, whether what it ran had room on the pipeline's stack.
    pub(crate) fn sanitize_stack(&mut self) -> Result {
        let Some(current) = self.sanitizer.definedness.current else { return Ok(()) };
        if !self.sanitizer.is_on(Kind::RecursionDepth) {
            return Ok(());
        }
        let inst = self.module.inst(current);
        let missing = load_column(self, at::STACK_MISSING, Scalar::I32);
        let none = self.b.i32(0);
        let is_too_deep = self.b.op(Opcode::INe, &[missing, none]);
        let values = vec![Reported::new("bytes missing", ValueType::Unsigned, missing)];
        let text = "what this runs is nested deeper than the pipeline's stack has room for";
        self.find(inst, Kind::RecursionDepth, is_too_deep, text, values)
    }
}
