//! Which invocations are recorded: what a user says, as ranges of ids for each stage.

use pyro_abi::trace::target::{IDS_MAX, STAGES};
use pyro_sanitizer::trace::{Quarry, Target};
use serde::Deserialize;

/// Samples of a pixel.
const SAMPLES_MAX: u32 = 32;

/// What a user wants to follow.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Wanted {
    /// The draw, dispatch or launch of rays, counted from zero.
    pub event: Option<u32>,
    /// The stage, one of [`STAGES`].
    pub stage: Option<String>,
    /// A fragment: x and y in the framebuffer.
    pub pixel: Option<[u32; 2]>,
    /// Of a pixel the layer of the attachments: with several views, the view.
    pub layer: Option<u32>,
    /// Of a pixel one sample: a fragment that covers it.
    pub sample: Option<u32>,
    /// A vertex: its `VertexIndex`.
    pub vertex: Option<u32>,
    /// Its instance.
    pub instance: Option<u32>,
    /// A primitive, or patch: its `PrimitiveId`.
    pub primitive: Option<u32>,
    /// A workgroup.
    pub workgroup: Option<[u32; 3]>,
    /// An invocation of a workgroup: its `LocalInvocationId`.
    pub local: Option<[u32; 3]>,
    /// A ray: its `LaunchId`.
    pub ray: Option<[u32; 3]>,
}

/// The names of a stage's ids.
pub fn id_names(stage: &str) -> &'static [(&'static str, usize)] {
    match stage {
        "vertex" => &[("vertex", 1), ("instance", 1)],
        "tessellation control" => &[("patch", 1), ("invocation", 1)],
        "tessellation evaluation" => &[("patch", 1), ("coordinate", 3)],
        "geometry" => &[("primitive", 1), ("invocation", 1)],
        "fragment" => &[("pixel", 2), ("primitive", 1), ("layer", 1), ("samples", 1)],
        "compute" | "task" | "mesh" => &[("workgroup", 3), ("local", 3)],
        _ => &[("ray", 3)],
    }
}

/// An invocation's name.
pub fn invocation_name(stage: &str, ids: &[u32]) -> String {
    let mut rest = ids;
    let mut name = stage.to_owned();
    for &(what, count) in id_names(stage) {
        let (these, others) = rest.split_at(count.min(rest.len()));
        rest = others;
        // Most pixels have one layer and one sample.
        if what == "layer" && these == [0] || what == "samples" && matches!(these, [0 | 1]) {
            continue;
        }
        if let ("samples", &[mask]) = (what, these) {
            let samples = (0..32).filter(|sample| mask >> sample & 1 != 0).map(|sample| sample.to_string());
            name += &format!(" samples ({})", samples.collect::<Vec<_>>().join(", "));
            continue;
        }
        let text = |&id: &u32| match what {
            "coordinate" => f32::from_bits(id).to_string(),
            _ => id.to_string(),
        };
        let texts: Vec<String> = these.iter().map(text).collect();
        name += &match &texts[..] {
            [one] => format!(" {what} {one}"),
            several => format!(" {what} ({})", several.join(", ")),
        };
    }
    name
}

impl Wanted {
    /// Fails for a stage or a sample that does not exist, and for a layer or a sample of no pixel.
    ///
    /// # Errors
    /// What is wrong, and what there is.
    pub fn check(&self) -> Result<(), String> {
        if let Some(sample) = self.sample.filter(|&sample| sample >= SAMPLES_MAX) {
            return Err(format!("there is no sample {sample}: a pixel has {SAMPLES_MAX} at most"));
        }
        if self.pixel.is_none() && (self.layer.is_some() || self.sample.is_some()) {
            return Err("a layer or a sample is one of a pixel: the target names none".to_owned());
        }
        match &self.stage {
            Some(stage) if !STAGES.contains(&stage.as_str()) => {
                Err(format!("there is no stage \"{stage}\": there are {}", STAGES.join(", ")))
            }
            _ => Ok(()),
        }
    }

    /// Whether it says which invocations.
    pub fn says_invocation(&self) -> bool {
        self.pixel.is_some()
            || self.vertex.is_some()
            || self.primitive.is_some()
            || self.workgroup.is_some()
            || self.local.is_some()
            || self.ray.is_some()
    }

    /// Of several events that have such an invocation the last is meant: what one sees of a pixel.
    pub fn means_last(&self) -> bool {
        self.pixel.is_some()
    }

    /// The ids of a stage that are wanted, each where it says one; none where the stage has no such
    /// invocation.
    fn ids(&self, stage: &str) -> Option<[Option<u32>; IDS_MAX]> {
        if self.stage.as_deref().is_some_and(|wanted| wanted != stage) {
            return None;
        }
        let is_named = self.stage.is_some() || !self.says_invocation();
        let mut ids = [None; IDS_MAX];
        let mut set = |start: usize, values: &[u32]| {
            for (place, &value) in ids[start..].iter_mut().zip(values) {
                *place = Some(value);
            }
        };
        let mut fits = is_named;
        match stage {
            "vertex" => {
                fits |= self.vertex.is_some();
                self.vertex.iter().for_each(|&vertex| set(0, &[vertex]));
                self.instance.iter().for_each(|&instance| set(1, &[instance]));
            }
            "fragment" => {
                fits |= self.pixel.is_some() || self.primitive.is_some();
                self.pixel.iter().for_each(|pixel| set(0, pixel));
                self.primitive.iter().for_each(|&primitive| set(2, &[primitive]));
                self.layer.iter().for_each(|&layer| set(3, &[layer]));
            }
            "tessellation control" | "tessellation evaluation" | "geometry" => {
                fits |= self.primitive.is_some() && self.pixel.is_none();
                self.primitive.iter().for_each(|&primitive| set(0, &[primitive]));
            }
            "compute" | "task" | "mesh" => {
                fits |= self.workgroup.is_some() || self.local.is_some();
                self.workgroup.iter().for_each(|workgroup| set(0, workgroup));
                self.local.iter().for_each(|local| set(3, local));
            }
            _ => {
                fits |= self.ray.is_some();
                self.ray.iter().for_each(|ray| set(0, ray));
            }
        }
        fits.then_some(ids)
    }

    /// The targets, among these events.
    pub fn targets(&self, events: [u32; 2]) -> Vec<Target> {
        let target = |&stage: &&str| {
            let ids = self.ids(stage)?;
            Some(Target {
                stage: stage.to_owned(),
                events,
                low: ids.map(|id| id.unwrap_or(0)),
                high: ids.map(|id| id.unwrap_or(u32::MAX)),
                samples: self.sample.filter(|_| stage == "fragment").map_or(0, |sample| 1 << sample),
            })
        };
        STAGES.iter().filter_map(target).collect()
    }
}

/// The targets that follow an invocation that was found: of rays all that its shaders trace and call.
pub fn of_quarry(found: &Quarry) -> Vec<Target> {
    let ids: Vec<u32> = found.reversed_ids.iter().rev().copied().collect();
    let is_ray = id_names(&found.stage).first().is_some_and(|first| first.0 == "ray");
    let stages =
        STAGES.iter().filter(|stage| **stage == found.stage || is_ray && id_names(stage)[0].0 == "ray");
    let bound = |rest: u32| std::array::from_fn(|index| ids.get(index).copied().unwrap_or(rest));
    stages
        .map(|stage| Target {
            stage: (*stage).to_owned(),
            events: [found.event; 2],
            low: bound(0),
            high: bound(u32::MAX),
            samples: 0,
        })
        .collect()
}
