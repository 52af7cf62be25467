//! Draw contexts: records of almost two kilobytes. Draws share them with their state, but for a few words of their own;
//! each thread puts the contexts of the draws that it works on together in one place, which stays in its nearest cache.

use crate::graphics::draw::Draw;
use crate::graphics::fragment::load_store_ops::Moved;
use pyro_abi::DrawContext;
use smallvec::SmallVec;

/// What a draw has for itself of what its functions read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Resources {
    /// Addresses of the first descriptor sets, as many as the pipeline layout has.
    pub sets: SmallVec<[u64; 4]>,
    /// As in [`pyro_abi::DispatchContext`].
    pub dynamic_buffers: u64,
    /// The first bytes of the push constants, as many as the pipeline layout has.
    pub push_constants: SmallVec<[u8; 64]>,
}

impl Resources {
    fn put(&self, context: &mut DrawContext) {
        let dispatch = &mut context.dispatch;
        dispatch.sets.iter_mut().zip(&self.sets).for_each(|(to, set)| *to = *set);
        dispatch.dynamic_buffers = self.dynamic_buffers;
        let bytes = self.push_constants.len().min(dispatch.push_constants.len());
        dispatch.push_constants[..bytes].copy_from_slice(&self.push_constants[..bytes]);
    }
}

/// A thread's context.
#[derive(Default)]
pub(crate) struct ContextMemory {
    context: Box<DrawContext>,
    /// The address of the state whose context it is; zero: nobody's.
    state: usize,
    /// It has some draw's resources.
    has_resources: bool,
    /// Its attachments are elsewhere.
    is_moved: bool,
}

impl ContextMemory {
    /// To be called before it is asked for draws of other states, at whose addresses earlier ones may have been.
    pub(crate) fn forget(&mut self) {
        self.state = 0;
    }

    /// The context of a draw. `abort`: the address for `DispatchContext::abort`; `moved`: where its attachments are.
    pub(crate) fn of(&mut self, draw: &Draw, abort: u64, moved: Option<&Moved<'_>>) -> &DrawContext {
        let state = (&raw const *draw.state).addr();
        // What one draw puts there, another one with resources puts there, too.
        let left = self.has_resources && draw.resources.is_none() || self.is_moved && moved.is_none();
        if self.state != state || left {
            *self.context = draw.state.context.clone();
            self.context.dispatch.abort = abort;
            // Functions of workgroups run one at a time: it is never the last of its row.
            self.context.dispatch.num_workgroups = [u32::MAX; 3];
            (self.state, self.has_resources, self.is_moved) = (state, false, false);
        }
        if let Some(resources) = &draw.resources {
            resources.put(&mut self.context);
            self.has_resources = true;
        }
        if let Some(moved) = moved {
            moved.apply(&draw.state.context, &mut self.context);
            self.is_moved = true;
        }
        &self.context
    }
}
