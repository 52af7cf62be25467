//! The layouts that images' subresources are in, as barriers and render passes have said.

use super::resources::{Resource, Subresources};
use std::collections::HashMap;

/// Of an image in memory that other devices may access, too: they change its layout, which is not followed.
/// And of one whose aspects have been changed apart.
pub const UNKNOWN_LAYOUT: i32 = -1;
/// `VK_IMAGE_LAYOUT_UNDEFINED`
pub(super) const UNDEFINED: i32 = 0;
const PREINITIALIZED: i32 = 8;
const READ_ONLY: i32 = 1_000_314_000;
const ATTACHMENT: i32 = 1_000_314_001;

/// Layouts of attachments that are written and nothing else.
pub(super) const ATTACHMENTS: &[i32] = &[2, 3, ATTACHMENT];

/// The name of a layout, without its prefix.
pub(super) fn text(layout: i32) -> String {
    let name = match layout {
        0 => "UNDEFINED",
        1 => "GENERAL",
        2 => "COLOR_ATTACHMENT_OPTIMAL",
        3 => "DEPTH_STENCIL_ATTACHMENT_OPTIMAL",
        4 => "DEPTH_STENCIL_READ_ONLY_OPTIMAL",
        5 => "SHADER_READ_ONLY_OPTIMAL",
        6 => "TRANSFER_SRC_OPTIMAL",
        7 => "TRANSFER_DST_OPTIMAL",
        8 => "PREINITIALIZED",
        1_000_001_002 => "PRESENT_SRC_KHR",
        1_000_111_000 => "SHARED_PRESENT_KHR",
        1_000_117_000 => "DEPTH_READ_ONLY_STENCIL_ATTACHMENT_OPTIMAL",
        1_000_117_001 => "DEPTH_ATTACHMENT_STENCIL_READ_ONLY_OPTIMAL",
        1_000_241_000 => "DEPTH_ATTACHMENT_OPTIMAL",
        1_000_241_001 => "DEPTH_READ_ONLY_OPTIMAL",
        1_000_241_002 => "STENCIL_ATTACHMENT_OPTIMAL",
        1_000_241_003 => "STENCIL_READ_ONLY_OPTIMAL",
        READ_ONLY => "READ_ONLY_OPTIMAL",
        ATTACHMENT => "ATTACHMENT_OPTIMAL",
        1_000_339_000 => "ATTACHMENT_FEEDBACK_LOOP_OPTIMAL_EXT",
        1_000_232_000 => "RENDERING_LOCAL_READ",
        other => return format!("layout {other}"),
    };
    name.to_owned()
}

/// Layouts that mean the same for the aspects of an image.
fn normal(layout: i32) -> i32 {
    match layout {
        4 | 5 | 1_000_241_001 | 1_000_241_003 => READ_ONLY,
        2 | 3 | 1_000_241_000 | 1_000_241_002 => ATTACHMENT,
        other => other,
    }
}

fn is_same(first: i32, second: i32) -> bool {
    first == second
        || [first, second] == [UNDEFINED, PREINITIALIZED]
        || first == UNKNOWN_LAYOUT
        || second == UNKNOWN_LAYOUT
        || (normal(first) == normal(second) && (first >= ATTACHMENT - 1 || second >= ATTACHMENT - 1))
        || is_mixed(first)
        || is_mixed(second)
}

/// Of depth and stencil in two layouts, which are not told apart here.
fn is_mixed(layout: i32) -> bool {
    (1_000_117_000..=1_000_117_001).contains(&layout) || (1_000_241_000..=1_000_241_003).contains(&layout)
}

/// By images: the layout of each level and layer, the layers of a level together.
#[derive(Default)]
pub(super) struct Layouts(HashMap<u64, Vec<i32>>);

impl Layouts {
    fn of(&mut self, image: &Resource) -> &mut Vec<i32> {
        let count = image.shape.levels.len() * image.shape.layers as usize;
        self.0.entry(image.id).or_insert_with(|| vec![image.initial_layout; count])
    }

    fn places(image: &Resource, of: Subresources) -> impl Iterator<Item = (u32, u32, usize)> {
        let (layers, levels) = (image.shape.layers, image.shape.levels.len() as u32);
        let rows = of.level..of.level.saturating_add(of.levels).min(levels);
        rows.flat_map(move |level| {
            let columns = of.layer..of.layer.saturating_add(of.layers).min(layers);
            columns.map(move |layer| (level, layer, (level * layers + layer) as usize))
        })
    }

    /// Changes the layout of subresources. The error is a layout that one is in instead of `old`.
    pub(super) fn change(
        &mut self,
        image: &Resource,
        of: Subresources,
        old: i32,
        new: i32,
    ) -> Result<(), i32> {
        let layouts = self.of(image);
        let mut result = Ok(());
        for (_, _, at) in Layouts::places(image, of) {
            let current = layouts[at];
            if old != UNDEFINED && !is_same(current, old) {
                result = Err(current);
            }
            if new != UNDEFINED && new != PREINITIALIZED && image.initial_layout != UNKNOWN_LAYOUT {
                layouts[at] = new;
            }
        }
        result
    }

    /// A subresource that is in none of these layouts: level, layer and what it is in.
    pub(super) fn differs(
        &mut self,
        image: &Resource,
        of: Subresources,
        expected: &[i32],
    ) -> Option<(u32, u32, i32)> {
        let layouts = self.of(image);
        Layouts::places(image, of)
            .map(|(level, layer, at)| (level, layer, layouts[at]))
            .find(|&(_, _, current)| !expected.iter().any(|&expected| is_same(expected, current)))
    }

    /// Whether one of the subresources is in a layout that is not known, or in two.
    pub(super) fn may_be_two(&mut self, image: &Resource, of: Subresources) -> bool {
        let layouts = self.of(image);
        Layouts::places(image, of).any(|(_, _, at)| layouts[at] == UNKNOWN_LAYOUT || is_mixed(layouts[at]))
    }

    /// Forgets an image that is gone.
    pub(super) fn forget(&mut self, image: u64) {
        self.0.remove(&image);
    }
}
