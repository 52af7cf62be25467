//! Draw contexts: records of almost two kilobytes. Draws share them with their state, but for a few words of
//! their own; each thread puts the contexts of the draws that it works on together in one place, which stays
//! in its nearest cache.

use super::draw::{Draw, Resources};
use pyro_abi::DrawContext;

impl Resources {
    fn put(&self, context: &mut DrawContext) {
        let dispatch = &mut context.dispatch;
        dispatch.sets.iter_mut().zip(&self.sets).for_each(|(to, set)| *to = *set);
        dispatch.dynamic_buffers = self.dynamic_buffers;
        let bytes = self.push_constants.len().min(dispatch.push_constants.len());
        dispatch.push_constants[..bytes].copy_from_slice(&self.push_constants[..bytes]);
    }
}

/// How far the texels of an attachment are from where they belong, in pixels.
pub type Shift = [i32; 2];

/// An attachment whose contents nobody needs before or after a list of draws, nor reads other than by its
/// draws and its resolves. It has one layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dropped {
    /// As in the draws' contexts and in
    /// [`RegionWork::attachment`](crate::graphics::fragment::load_store_ops::RegionWork::attachment).
    pub address: u64,
    /// Bytes of a texel.
    pub texel_bytes: u32,
}

/// Attachments that are elsewhere for a tile.
#[derive(Clone, Copy)]
pub(crate) struct Moved<'a> {
    pub(crate) attachments: &'a [Dropped],
    pub(crate) shift: Shift,
}

impl Moved<'_> {
    /// Gives a context the attachments' places, from another one of the same draw.
    pub(crate) fn apply(&self, from: &DrawContext, to: &mut DrawContext) {
        let from = from.colors.iter().chain([&from.depth_stencil]);
        let to = to.colors.iter_mut().chain([&mut to.depth_stencil]);
        for (from, to) in from.zip(to) {
            let Some(dropped) = self.attachments.iter().find(|one| one.address == from.address) else {
                continue;
            };
            let [x, y] = self.shift.map(i64::from);
            let bytes = x * i64::from(dropped.texel_bytes) + y * i64::from(from.row_pitch);
            to.address = from.address.wrapping_add_signed(bytes);
        }
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
    /// To be called before it is asked for draws of other states, at whose addresses earlier ones may have
    /// been.
    pub(crate) fn forget(&mut self) {
        self.state = 0;
    }

    /// The context of a draw. `abort`: the address for `DispatchContext::abort`; `moved`: where its
    /// attachments are.
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
