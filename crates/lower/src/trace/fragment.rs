//! What becomes of fragments behind their shader: what tests and blending get, and what they leave. For the
//! history of a pixel.

use crate::context::Lowerer;
use crate::error::Result;
use crate::value::Scalars;
use pyro_abi::trace::{Segment, Step, StepKind};
use pyro_fixed::{Fragment, Outputs};
use pyro_image::Aspect;
use pyro_ir::{Opcode, Scalar, Value};

impl Lowerer<'_, '_> {
    /// Records a fragment before the tests that are left, or behind them, where some samples have `passed`.
    pub(crate) fn trace_fragment(
        &mut self,
        fragment: &Fragment<'_>,
        outputs: &Outputs,
        alive: Value,
        passed: Option<Value>,
    ) -> Result {
        if self.trace.is_off() {
            return Ok(());
        }
        let kind = if passed.is_some() { StepKind::FragmentEnd } else { StepKind::Fragment };
        let segment = Segment {
            calls: Vec::new(),
            steps: vec![Step { inst: 0, kind, column: 0, columns: 0 }],
            columns: 0,
        };
        self.report_segment(segment, |cx| {
            let first = cx.b.op(Opcode::CountTrailingZeros, &[fragment.coverage]);
            let last = cx.b.i32(31);
            let sample = cx.b.op(Opcode::UMin, &[first, last]);
            let depth =
                pyro_fixed::depth_stencil::load_attachment(&mut cx.b, fragment, Aspect::Depth, sample);
            let (zero, one) = (cx.b.i32(0), cx.b.i32(1));
            let mut columns = Scalars::new();
            match passed {
                Some(passed) => columns.push(passed),
                None => {
                    let own = match outputs.depth {
                        Some(depth) => depth,
                        None => fragment.frag_coord(&mut cx.b)[2],
                    };
                    let alive = cx.b.convert(Opcode::ZeroExtend, alive, Scalar::I32);
                    let own = cx.b.bitcast(own, Scalar::I32);
                    let has_depth = if depth.is_some() { one } else { zero };
                    columns.extend([fragment.coverage, alive, own, sample, has_depth]);
                }
            }
            columns.push(depth.map_or(zero, |depth| cx.b.bitcast(depth, Scalar::I32)));
            for (location, output) in (0..).zip(&outputs.colors) {
                let held = pyro_fixed::color::load_attachment(&mut cx.b, fragment, location, sample);
                let Some(held) = held else { continue };
                if passed.is_none() {
                    let is_float = cx.scalar_type(held[0]).is_float();
                    columns.push(cx.b.i32(location));
                    columns.push(if is_float { one } else { zero });
                    let output = output.unwrap_or([zero; 4]);
                    columns.extend(output.map(|value| cx.b.bitcast(value, Scalar::I32)));
                }
                columns.extend(held.map(|value| cx.b.bitcast(value, Scalar::I32)));
            }
            Ok(columns)
        })
    }
}
