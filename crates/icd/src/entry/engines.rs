//! What the driver knows of engines, by the name that applications give theirs.
//!
//! Problems: `wgpu` shows no device without a conformance version, and this driver has none, since it is not
//! certified; the user sees "no suitable adapter" and cannot know why. ANGLE gives an image that it has
//! imported new memory when it is first rendered to with several samples, where it finds
//! `VK_EXT_multisampled_render_to_single_sampled`: who shares the image, as Chromium's pages do with WebGL,
//! sees nothing of it any more.
//!
//! Approach: an instance whose application calls its engine by `wgpu`'s name gets one line on standard error,
//! once in a process, unless the user has chosen a version already; to ANGLE that extension is not listed,
//! and it resolves samples by attachments of its own. *Must not know*: commands other than those of
//! instances.

use pyro_util::{config, report};
use std::sync::Once;

/// `VkApplicationInfo::pEngineName` of `wgpu`'s Vulkan backend.
const WGPU: &str = "wgpu-hal";

/// `VkApplicationInfo::pEngineName` of ANGLE.
const ANGLE: &str = "ANGLE";

/// The device extensions that an engine uses wrongly, so that it must not find them.
pub(crate) fn misused_extensions(engine: &str) -> &'static [&'static str] {
    match engine {
        ANGLE => &["VK_EXT_multisampled_render_to_single_sampled"],
        _ => &[],
    }
}

/// What to tell the user of an engine, given the reported conformance version.
fn advice(engine: &str, conformance_version: [u8; 4]) -> Option<&'static str> {
    let hides = engine == WGPU && conformance_version == [0; 4];
    hides.then_some(
        "wgpu hides this device from programs, because it reports no conformance version: \
         set PYROCLAST_CONFORMANCE_VERSION=1.3.0.0 (or WGPU_ALLOW_UNDERLYING_NONCOMPLIANT_ADAPTER=1)",
    )
}

/// Tells the user once what this engine needs to show the device, if it needs something.
pub(crate) fn tell(engine: &str) {
    static TOLD: Once = Once::new();
    if let Some(advice) = advice(engine, config::get().conformance_version) {
        TOLD.call_once(|| report::to_stderr(&advice));
    }
}

#[cfg(test)]
mod tests {
    use super::advice;

    #[test]
    fn wgpu_without_a_version_is_advised() {
        assert!(
            advice("wgpu-hal", [0; 4]).is_some_and(|text| text.contains("PYROCLAST_CONFORMANCE_VERSION"))
        );
        assert_eq!(advice("wgpu-hal", [1, 3, 0, 0]), None);
        assert_eq!(advice("godot", [0; 4]), None);
        assert_eq!(advice("", [0; 4]), None);
    }
}
