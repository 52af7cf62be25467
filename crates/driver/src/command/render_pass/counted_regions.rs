//! What a subpass counts in the regions of its render area (`VK_ARM_performance_counters_by_region`).
//!
//! The counters themselves are made when the subpass begins to run, as a command buffer may run several times
//! at once, and written to the application's memory when it ends.

use crate::caps::limits::{self, REGION_COUNTERS_MAX};
use crate::error::{Error, Result};
use crate::execution::unsafe_engine::CommandListAlive;
use pyro_engine::graphics::{RegionCounter, RegionCounters, TILE_PIXELS};
use smallvec::SmallVec;
use std::sync::Arc;
use vulkanalia_sys as vk;

/// The counters, with their names, by `counterID`.
pub const REGION_COUNTERS: [(RegionCounter, &str); REGION_COUNTERS_MAX as usize] = [
    (RegionCounter::FragmentInvocations, "Fragment shader invocations"),
    (RegionCounter::Primitives, "Primitives"),
    (RegionCounter::Nanoseconds, "Thread time in nanoseconds"),
];

/// What the beginning of a render pass instance says of its counters.
#[derive(Clone, Debug, Default)]
pub struct CountedRegions {
    /// Where the values go, by subpass and layer or view; zero: nowhere.
    addresses: Arc<[u64]>,
    /// The counters, in the order of their values.
    counters: SmallVec<[RegionCounter; 4]>,
    /// Regions are drawn one after another.
    is_serial: bool,
}

impl CountedRegions {
    /// The counters with these identifiers.
    ///
    /// # Errors
    /// When there are none such, or too many.
    pub fn new(addresses: &[u64], identifiers: &[u32], is_serial: bool) -> Result<CountedRegions> {
        if identifiers.len() > REGION_COUNTERS.len() {
            return Err(Error::misuse(format!(
                "{} counters by region \
                 (VUID-VkRenderPassPerformanceCountersByRegionBeginInfoARM-counterIndexCount-11818)",
                identifiers.len()
            )));
        }
        let counter = |&number: &u32| {
            let known = REGION_COUNTERS.get(number as usize).map(|(counter, _)| *counter);
            known.ok_or_else(|| Error::misuse(format!("there is no counter {number} by region")))
        };
        let counters = identifiers.iter().map(counter).collect::<Result<_>>()?;
        Ok(CountedRegions { addresses: addresses.into(), counters, is_serial })
    }

    /// Those of one subpass of so many, each of so many layers or views.
    ///
    /// # Errors
    /// When there are fewer addresses than layers of subpasses, or the render area is larger than
    /// framebuffers can be.
    pub(super) fn of_subpass(
        &self,
        (subpass, subpasses): (usize, usize),
        layers: u32,
        (area, adds): (vk::Rect2D, bool),
    ) -> Result<SubpassRegions> {
        let layers = layers as usize;
        if self.addresses.len() < subpasses * layers {
            return Err(Error::misuse(format!(
                "{} addresses for the counters of {subpasses} subpasses with {layers} layers \
                 (VUID-VkRenderPassPerformanceCountersByRegionBeginInfoARM-counterAddressCount-11815)",
                self.addresses.len()
            )));
        }
        let most = limits::limits().max_framebuffer_width;
        if area.extent.width.max(area.extent.height) > most {
            return Err(Error::misuse(format!("counters by region of a render area of {:?}", area.extent)));
        }
        let addresses = self.addresses[subpass * layers..][..layers].into();
        let (counters, is_serial) = (self.counters.clone(), self.is_serial);
        Ok(SubpassRegions { addresses, counters, is_serial, area, adds })
    }
}

/// What a subpass counts in the regions of its render area.
#[derive(Clone, Debug)]
pub struct SubpassRegions {
    /// Where the values of each layer go.
    addresses: Arc<[u64]>,
    counters: SmallVec<[RegionCounter; 4]>,
    is_serial: bool,
    area: vk::Rect2D,
    /// Values are added to those that are there: rendering is resumed.
    adds: bool,
}

/// The counters of a subpass that runs.
#[derive(Clone)]
pub(in crate::command) struct RunningRegions {
    /// What they are for.
    pub(in crate::command) of: Arc<SubpassRegions>,
    /// Their values so far.
    pub(in crate::command) values: Arc<RegionCounters>,
}

impl RunningRegions {
    /// Those of a subpass that begins.
    pub(in crate::command) fn begin(of: &Arc<SubpassRegions>) -> RunningRegions {
        let vk::Rect2D { offset, extent } = of.area;
        let (first, pixels) = ([offset.x, offset.y], [extent.width, extent.height]);
        let layers = of.addresses.len() as u32;
        let values = Arc::new(RegionCounters::new(first, pixels, TILE_PIXELS as u32, layers));
        RunningRegions { of: Arc::clone(of), values }
    }

    /// Whether regions are drawn one after another.
    pub(in crate::command) fn is_serial(&self) -> bool {
        self.of.is_serial
    }

    /// Writes them where they go, rows of regions one behind the other.
    pub(in crate::command) fn write(&self, alive: CommandListAlive<'_>) {
        let [columns, rows] = self.values.size();
        let region_bytes = size_of::<u32>() as u64 * self.of.counters.len() as u64;
        let bytes = u64::from(columns) * u64::from(rows) * region_bytes;
        if bytes == 0 {
            return;
        }
        for (layer, &address) in (0..).zip(&*self.of.addresses) {
            if address == 0 {
                continue;
            }
            let memory = alive.memory().range(address, bytes);
            let regions = (0..rows).flat_map(|y| (0..columns).map(move |x| [x, y]));
            let places = regions.flat_map(|region| self.of.counters.iter().map(move |one| (region, *one)));
            for (at, (region, counter)) in (0..bytes).step_by(size_of::<u32>()).zip(places) {
                let Some(value) = self.values.get(counter, layer, region) else { continue };
                let before = if self.of.adds { memory.word_at(at) } else { 0 };
                let value = u32::try_from(value.saturating_add(before.into())).unwrap_or(u32::MAX);
                memory.write(at, &value.to_ne_bytes());
            }
        }
    }
}
