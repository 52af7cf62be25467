//! What several physical devices of a group do that one command processor stands for.
//!
//! Memory has one instance, and the states of these devices are the same. So what they do is the same, and is
//! done once by all their cores; but where shaders ask for the device or the render areas differ, each device
//! does its own part.

use super::CommandProcessor;
use crate::execution::unsafe_engine;
use pyro_engine::graphics::{Draw, DrawState, Frame, Rect, Statistics};
use pyro_engine::{DispatchError, Engine};
use std::sync::Arc;

/// The index of the first of these devices.
pub(in crate::command) fn first(devices: u32) -> u32 {
    devices.trailing_zeros() % u32::BITS
}

impl CommandProcessor<'_> {
    /// Calls `run` for each device where what they do differs, one after another, else once for the first.
    /// Gets the index of the device and the cores.
    pub(super) fn by_device(
        &self,
        differ: bool,
        run: impl Fn(u32, &Engine) -> Result<(), DispatchError> + Sync,
    ) -> Result<(), DispatchError> {
        if !differ || self.devices.is_power_of_two() {
            return run(first(self.devices), self.engine());
        }
        self.device.for_each_device(self.devices, false, self.queue, run).into_iter().collect()
    }

    /// Runs draws and what surrounds them, for each device by itself where they differ.
    pub(super) fn render(&self, frame: Frame) -> Result<Statistics, DispatchError> {
        let areas = self.device_areas();
        let differ = !self.devices.is_power_of_two()
            && (areas.is_some() || frame.draws.iter().any(|draw| draw.state.uses_device_index()));
        if !differ {
            return unsafe_engine::render(self.alive, self.engine(), frame);
        }
        let Frame { before, draws, after, .. } = frame;
        let mut all = unsafe_engine::render(self.alive, self.engine(), Frame { before, ..Frame::default() })?;
        // Draws of several devices to the same pixels have an order.
        let in_order = areas.as_ref().is_none_or(|areas| overlap(areas));
        let parts = self.device.for_each_device(self.devices, in_order, self.queue, |index, engine| {
            let area = areas.as_ref().and_then(|areas| areas.iter().find(|(device, _)| *device == index));
            let draws = draws_of(&draws, index, area.map(|(_, area)| *area));
            unsafe_engine::render(self.alive, engine, Frame { draws, ..Frame::default() })
        });
        for part in parts {
            all += part?;
        }
        all += unsafe_engine::render(self.alive, self.engine(), Frame { after, ..Frame::default() })?;
        Ok(all)
    }

    /// The pixels of each device, where they have render areas of their own.
    fn device_areas(&self) -> Option<Vec<(u32, Rect)>> {
        // Upright where attachments are turned.
        let targets = self.rendering.drawn_targets().filter(|targets| !targets.device_areas.is_empty())?;
        let indices = (0..u32::BITS).filter(|index| self.devices >> index & 1 != 0);
        Some(indices.map(|index| (index, targets.device_pixels(index))).collect())
    }
}

/// Whether two areas have a pixel in common.
fn overlap(areas: &[(u32, Rect)]) -> bool {
    let mut rest = areas;
    while let [(_, area), others @ ..] = rest {
        if others.iter().any(|(_, other)| !area.intersect(*other).is_empty()) {
            return true;
        }
        rest = others;
    }
    false
}

/// Draws as a device makes them, within its area.
fn draws_of(draws: &[Draw], index: u32, area: Option<Rect>) -> Vec<Draw> {
    let mut last: Option<(&Arc<DrawState>, Arc<DrawState>)> = None;
    let own = |draw: &Arc<DrawState>| {
        let mut state = DrawState::clone(draw);
        state.context.dispatch.device_index = index;
        state.area = area.map_or(state.area, |area| state.area.intersect(area));
        Arc::new(state)
    };
    let mut list = Vec::with_capacity(draws.len());
    for draw in draws {
        let state = match &last {
            Some((shared, state)) if Arc::ptr_eq(shared, &draw.state) => Arc::clone(state),
            _ => own(&draw.state),
        };
        last = Some((&draw.state, Arc::clone(&state)));
        list.push(Draw { state, ..draw.clone() });
    }
    list
}
