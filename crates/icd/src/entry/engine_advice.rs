//! Advice for engines that hide this device unless somebody asks them not to.
//!
//! Problem: `wgpu` shows no device without a conformance version, and this driver has none, since it is not
//! certified. The user sees "no suitable adapter" and cannot know why. Approach: an instance whose
//! application calls its engine by `wgpu`'s name gets one line on standard error, once in a process, unless
//! the user has chosen a version already. *Must not know*: commands other than the creation of instances.

use pyro_util::{config, report};
use std::sync::Once;

/// `VkApplicationInfo::pEngineName` of `wgpu`'s Vulkan backend.
const WGPU: &str = "wgpu-hal";

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
