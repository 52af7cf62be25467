//! The rule that a command breaks with an object of another device or instance: the VUID that the registry
//! gives, by the command (under its name without an extension's suffix, where there is one) and the object's
//! type. Where the registry has no rule of its own for that, it is the rule that the handle must be valid.

use super::parent_rules::RULES;
use vulkanalia_sys::ObjectType as Type;

/// The rule's name.
pub(crate) fn rule(command: &str, ty: Type) -> Option<&'static str> {
    let first = RULES.partition_point(|(name, ..)| *name < command);
    let of_command = RULES[first..].iter().take_while(|(name, ..)| *name == command);
    of_command.filter(|(_, _, types)| types.contains(&ty)).map(|(_, rule, _)| *rule).next()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_are_sorted() {
        assert!(RULES.is_sorted_by_key(|(command, rule, _)| (*command, *rule)));
        assert_eq!(rule("vkCmdBindPipeline", Type::PIPELINE), Some("VUID-vkCmdBindPipeline-commonparent"));
        assert_eq!(rule("vkCmdBindPipeline", Type::FENCE), None);
        // Of two handles of which one is the other's parent, only the latter has a rule of its own.
        assert_eq!(rule("vkMapMemory", Type::DEVICE_MEMORY), Some("VUID-vkMapMemory-memory-parent"));
        // A structure with one handle says only that it is valid.
        let of_view = rule("vkCreateImageView", Type::IMAGE);
        assert_eq!(of_view, Some("VUID-VkImageViewCreateInfo-image-parameter"));
    }
}
