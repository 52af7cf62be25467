//! The tables agree with the bindings, and with what the encoder relies on.

use crate::sizes::for_each_bound_struct;
use pyro_capture::schema::{self, Kind, Length, Structure};
use vulkanalia_sys as vk;

macro_rules! compare {
    ($($name:ident)*) => {
        fn sizes() -> Vec<(&'static str, usize)> {
            vec![$((stringify!($name), size_of::<vk::$name>())),*]
        }
    };
}

for_each_bound_struct!(compare);

/// The bindings give the flags of this structure 32 bits; `VkAccessFlags3KHR` has 64.
const WRONG_IN_BINDINGS: &str = "MemoryBarrierAccessFlags3KHR";

#[test]
fn structures_have_the_sizes_of_the_bindings() {
    let sizes = sizes();
    assert!(sizes.len() > 400, "{}", sizes.len());
    for (name, size) in sizes.into_iter().filter(|(name, _)| *name != WRONG_IN_BINDINGS) {
        let number = schema::structure_number(name).unwrap_or_else(|| panic!("no {name}"));
        assert_eq!(schema::structure(number).size as usize, size, "{name}");
    }
}

#[test]
fn members_are_where_the_bindings_have_them() {
    let offset = |structure: &str, member: &str| {
        let number = schema::structure_number(structure).expect("known");
        let found = schema::structure(number).members.iter().find(|one| one.name == member);
        found.expect("a member").offset as usize
    };
    macro_rules! same {
        ($($structure:ident $member:literal $field:ident;)*) => {$(
            assert_eq!(
                offset(stringify!($structure), $member),
                std::mem::offset_of!(vk::$structure, $field),
                "{}::{}", stringify!($structure), $member
            );
        )*};
    }
    same! {
        WriteDescriptorSet "pTexelBufferView" texel_buffer_view;
        GraphicsPipelineCreateInfo "basePipelineIndex" base_pipeline_index;
        AccelerationStructureGeometryKHR "flags" flags;
        AccelerationStructureBuildGeometryInfoKHR "scratchData" scratch_data;
        PhysicalDeviceLimits "nonCoherentAtomSize" non_coherent_atom_size;
        PhysicalDeviceGroupProperties "subsetAllocation" subset_allocation;
        PipelineColorBlendStateCreateInfo "blendConstants" blend_constants;
        SwapchainCreateInfoKHR "oldSwapchain" old_swapchain;
        RenderingAttachmentInfo "clearValue" clear_value;
    }
}

fn kinds(structure: &Structure) -> impl Iterator<Item = Kind> {
    structure.members.iter().map(|member| member.kind)
}

/// A decoder reads the members that a length names before the pointer is valid.
#[test]
fn lengths_name_members_that_are_decoded_before() {
    for structure in schema::structures() {
        for kind in kinds(structure) {
            let Kind::Pointer(_, _, Length::Member(number) | Length::Divided(number, _), _) = kind else {
                continue;
            };
            let named = structure.members[usize::from(number)].kind;
            assert!(matches!(named, Kind::Bytes(_)), "{}: a length is not a number", structure.name);
        }
    }
    for command in schema::commands() {
        for (at, parameter) in command.parameters.iter().enumerate() {
            let Kind::Pointer(_, _, length, _) = parameter.kind else { continue };
            if let Length::Member(number) | Length::Through(number, _) | Length::EachOf(number) = length {
                let named = command.parameters[usize::from(number)].kind;
                let is_before = usize::from(number) < at || matches!(named, Kind::Bytes(_));
                assert!(is_before, "{}: {}", command.name, parameter.name);
            }
        }
    }
}

#[test]
fn tables_are_sorted() {
    assert!(schema::commands().is_sorted_by_key(|command| command.name));
    assert!(schema::structures().is_sorted_by_key(|structure| structure.name));
    assert_eq!(schema::command_number("vkNotThere"), None);
    let number = schema::command_number("vkCmdDraw").expect("known");
    assert_eq!(schema::commands()[usize::from(number)].parameters.len(), 5);
}
