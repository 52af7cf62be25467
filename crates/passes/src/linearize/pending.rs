//! Sending lanes to nodes: the pending variables that they write.

use super::{Linearizer, Mask, Receiver};
use crate::linear_order::Node;
use crate::ssa_builder::{MASK, Variable};
use crate::uniformity::is_divergent;
use pyro_ir::{BlockCall, Opcode, Value};

/// How many nodes further on is far.
const FAR_NODE_COUNT: u32 = 16;

/// What lanes brought to a node.
pub(super) struct Sent {
    from: u32,
    values: Vec<(Variable, Value)>,
}

impl Linearizer<'_> {
    /// Lanes go to wait at `target` with what `call` brings; `together` when others can wait there.
    pub(super) fn send(&mut self, target: u32, call: Option<&BlockCall>, lanes: Mask, together: bool) {
        let mut sent = Vec::new();
        if self.found.mask_of[target as usize] == target
            && !matches!(self.order.nodes[target as usize], Node::End)
        {
            let current = self.mask;
            self.mask = lanes;
            let mut mask = self.mask_as_value();
            self.mask = current;
            let variable = self.mask_variable(target);
            if together {
                let old = self.ssa.read(&mut self.out, variable, self.block);
                mask = self.op(Opcode::Or, &[old, mask], 0, MASK);
            }
            self.ssa.write(variable, self.block, mask);
            sent.push((variable, mask));
        }
        self.send_values(target, call, (lanes, together), &mut sent);
        let is_known = !together && target - self.node > FAR_NODE_COUNT && self.reaches_all(target);
        self.sent[target as usize] = is_known.then(|| Box::new(Sent { from: self.node, values: sent }));
    }

    /// Whether the current node sends lanes to `target` whenever it runs, and runs before every node up to
    /// there.
    fn reaches_all(&self, target: u32) -> bool {
        let order = self.order;
        let Node::Block(block) = order.nodes[self.node as usize] else { return false };
        let terminator = &self.source.blocks[block].terminator;
        order.extent[self.node as usize] >= target
            && (order.targets(self.node).len() < 2
                || is_divergent(terminator, |value| self.found.is_uniform(value)))
    }

    /// Writes to the pending variables of this node and of those that it sends lanes to what they are: the
    /// values that a node far away has sent, as long as no other node has. Reading them would find the same
    /// by a walk over all blocks in between, which is quadratic for the cases of a switch.
    pub(super) fn restate(&mut self, node: u32) {
        let order = self.order;
        for &target in order.targets(node).iter().chain([&node]) {
            let is_same_loop =
                |sent: &Sent| order.loop_of[sent.from as usize] == order.loop_of[node as usize];
            if order.loop_headed_by(node).is_some()
                || !self.sent[target as usize].as_deref().is_some_and(is_same_loop)
            {
                continue;
            }
            let sent = self.sent[target as usize].take();
            for (variable, value) in sent.into_iter().flat_map(|sent| sent.values) {
                self.ssa.write(variable, self.block, value);
            }
        }
    }

    /// The values of the target's parameters that come with lanes.
    fn send_values(
        &mut self,
        target: u32,
        call: Option<&BlockCall>,
        (lanes, together): (Mask, bool),
        sent: &mut Vec<(Variable, Value)>,
    ) {
        let (to, latch) = match self.receiver(target) {
            Receiver::Block(block) => (block, false),
            Receiver::Latch(header) => (header, true),
            Receiver::End => return,
        };
        let Some(call) = call else { return };
        let source = self.source;
        for (&param, &arg) in source.blocks[to].params.iter().zip(&call.args) {
            let variable = if latch { self.latch_variable(param) } else { self.param_variable(param) };
            let value = if self.found.is_uniform(param) { self.value(arg) } else { self.varying(arg) };
            let value = match lanes {
                Mask::Some(mask) if together && self.found.is_mixed(param, latch) => {
                    debug_assert!(!self.found.is_uniform(param));
                    let old = self.ssa.read(&mut self.out, variable, self.block);
                    let ty = self.out.ty(value);
                    if old == value { value } else { self.op(Opcode::Select, &[mask, value, old], 0, ty) }
                }
                _ => value,
            };
            self.ssa.write(variable, self.block, value);
            sent.push((variable, value));
        }
    }

    pub(super) fn receiver(&self, target: u32) -> Receiver {
        match self.order.nodes[target as usize] {
            Node::Block(block) => Receiver::Block(block),
            Node::End => Receiver::End,
            Node::Latch(id) => match self.order.nodes[self.order.loops[id as usize].header as usize] {
                Node::Block(header) => Receiver::Latch(header),
                _ => Receiver::End,
            },
        }
    }
}
