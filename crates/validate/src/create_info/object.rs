//! Shader objects: `VkShaderCreateInfoEXT`, and `vkCreateShadersEXT` for those made at once.
//!
//! What modules and stages of pipelines must keep, shader objects must too, under other names:
//! [`name_for_objects`].

use super::{Cx, ObjectInfo, Report, Rule, mode};
use pyro_interface::pipeline::{Linking, PipelineStage};
use pyro_spirv::facts::RAY_TRACING_STAGES;
use pyro_spirv::spirv::{ExecutionMode as Mode, ExecutionModel as Model};

/// Rules on modules and on stages of pipelines, and what they are called for shader objects.
const RENAMED: &[(&str, &str)] = &[
    ("VUID-VkShaderModuleCreateInfo-pCode-08737", "VUID-VkShaderCreateInfoEXT-pCode-08737"),
    ("VUID-VkShaderModuleCreateInfo-pCode-08738", "VUID-VkShaderCreateInfoEXT-pCode-08738"),
    ("VUID-VkShaderModuleCreateInfo-pCode-08739", "VUID-VkShaderCreateInfoEXT-pCode-08739"),
    ("VUID-VkShaderModuleCreateInfo-pCode-08740", "VUID-VkShaderCreateInfoEXT-pCode-08740"),
    ("VUID-VkShaderModuleCreateInfo-pCode-08741", "VUID-VkShaderCreateInfoEXT-pCode-08741"),
    ("VUID-VkShaderModuleCreateInfo-pCode-08742", "VUID-VkShaderCreateInfoEXT-pCode-08742"),
    ("VUID-VkPipelineShaderStageCreateInfo-pName-00707", "VUID-VkShaderCreateInfoEXT-pName-08440"),
    ("VUID-VkPipelineShaderStageCreateInfo-flags-02784", "VUID-VkShaderCreateInfoEXT-flags-09404"),
    ("VUID-VkPipelineShaderStageCreateInfo-flags-02785", "VUID-VkShaderCreateInfoEXT-flags-09405"),
    ("VUID-VkPipelineShaderStageCreateInfo-flags-08988", "VUID-VkShaderCreateInfoEXT-flags-08992"),
    ("VUID-VkPipelineShaderStageCreateInfo-flags-02758", "VUID-VkShaderCreateInfoEXT-flags-08416"),
    ("VUID-VkPipelineShaderStageCreateInfo-flags-02759", "VUID-VkShaderCreateInfoEXT-flags-08417"),
    ("VUID-VkPipelineShaderStageCreateInfo-maxClipDistances-00708", "VUID-VkShaderCreateInfoEXT-pCode-08448"),
    ("VUID-VkPipelineShaderStageCreateInfo-maxCullDistances-00709", "VUID-VkShaderCreateInfoEXT-pCode-08449"),
    (
        "VUID-VkPipelineShaderStageCreateInfo-maxCombinedClipAndCullDistances-00710",
        "VUID-VkShaderCreateInfoEXT-pCode-08450",
    ),
    (
        "VUID-VkPipelineShaderStageCreateInfo-maxSampleMaskWords-00711",
        "VUID-VkShaderCreateInfoEXT-pCode-08451",
    ),
    ("VUID-VkPipelineShaderStageCreateInfo-stage-06685", "VUID-VkShaderCreateInfoEXT-pCode-08459"),
    (
        "VUID-VkPipelineShaderStageCreateInfo-descriptorHeap-11314",
        "VUID-VkShaderCreateInfoEXT-descriptorHeap-11314",
    ),
    ("VUID-VkPipelineShaderStageCreateInfo-pNext-11315", "VUID-VkShaderCreateInfoEXT-pNext-11315"),
    ("VUID-VkPipelineShaderStageCreateInfo-pNext-11316", "VUID-VkShaderCreateInfoEXT-pNext-11316"),
    ("VUID-VkPipelineShaderStageCreateInfo-pNext-11317", "VUID-VkShaderCreateInfoEXT-pNext-11317"),
    ("VUID-VkPipelineShaderStageCreateInfo-pNext-11318", "VUID-VkShaderCreateInfoEXT-pNext-11318"),
    ("VUID-VkPipelineShaderStageCreateInfo-pNext-11378", "VUID-VkShaderCreateInfoEXT-pNext-11378"),
    ("VUID-VkPipelineShaderStageCreateInfo-pNext-11399", "VUID-VkShaderCreateInfoEXT-pNext-11399"),
    ("VUID-VkPipelineShaderStageCreateInfo-pNext-12454", "VUID-VkShaderCreateInfoEXT-pNext-12454"),
];

/// What a rule on modules or stages is called where they are shader objects; rules that have no other name
/// keep theirs.
pub fn name_for_objects(rule: &str) -> &str {
    RENAMED.iter().find(|(from, _)| *from == rule).map_or(rule, |(_, to)| to)
}

/// Rules on modules and stages that have another name for shader objects: both names.
pub fn renamed_rules() -> &'static [(&'static str, &'static str)] {
    RENAMED
}

pub(super) const RULES: &[(&str, Rule)] = &[
    ("VUID-VkShaderCreateInfoEXT-codeSize-08735", |cx, into| {
        each(cx, into, |_, info| {
            let size = info.code_size.filter(|size| !info.is_binary && !size.is_multiple_of(4))?;
            Some(format!("codeSize {size} is not a multiple of 4"))
        });
    }),
    ("VUID-VkShaderCreateInfoEXT-pCode-08492", |cx, into| aligned(cx, into, true, 16)),
    ("VUID-VkShaderCreateInfoEXT-pCode-08493", |cx, into| aligned(cx, into, false, 4)),
    ("VUID-VkShaderCreateInfoEXT-flags-08412", |cx, into| only_for(cx, into, "LINK_STAGE", &GRAPHICS)),
    ("VUID-VkShaderCreateInfoEXT-flags-08486", |cx, into| {
        only_for(cx, into, "FRAGMENT_SHADING_RATE_ATTACHMENT", &[Model::Fragment]);
    }),
    ("VUID-VkShaderCreateInfoEXT-flags-08487", |cx, into| {
        needs(cx, into, "FRAGMENT_SHADING_RATE_ATTACHMENT", "attachmentFragmentShadingRate");
    }),
    ("VUID-VkShaderCreateInfoEXT-flags-08488", |cx, into| {
        only_for(cx, into, "FRAGMENT_DENSITY_MAP_ATTACHMENT", &[Model::Fragment]);
    }),
    ("VUID-VkShaderCreateInfoEXT-flags-08489", |cx, into| {
        needs(cx, into, "FRAGMENT_DENSITY_MAP_ATTACHMENT", "fragmentDensityMap");
    }),
    ("VUID-VkShaderCreateInfoEXT-micromap-11623", |cx, into| {
        needs(cx, into, "OPACITY_MICROMAP_DISALLOW_MIXED_SPECIAL_INDEX", "micromap");
    }),
    ("VUID-VkShaderCreateInfoEXT-flags-11005", |cx, into| {
        needs(cx, into, "INDIRECT_BINDABLE", "deviceGeneratedCommands");
    }),
    ("VUID-VkShaderCreateInfoEXT-flags-11758", |cx, into| {
        needs(cx, into, "64_BIT_INDEXING", "shader64BitIndexing");
    }),
    ("VUID-VkShaderCreateInfoEXT-flags-11006", |cx, into| {
        each(cx, into, |stage, info| {
            let has = info.flags.has("INDIRECT_BINDABLE") && mode(stage, Mode::Xfb).is_some();
            has.then(|| "it captures transform feedback, and is bound indirectly".to_owned())
        });
    }),
    ("VUID-VkShaderCreateInfoEXT-flags-08485", |cx, into| {
        only_for(cx, into, "DISPATCH_BASE", &[Model::GLCompute]);
    }),
    ("VUID-VkShaderCreateInfoEXT-flags-08414", |cx, into| {
        only_for(cx, into, "NO_TASK_SHADER", &[Model::MeshEXT, Model::MeshNV]);
    }),
    ("VUID-VkShaderCreateInfoEXT-stage-08419", |cx, into| {
        stage_needs(cx, into, &TESSELLATION, "tessellationShader");
    }),
    ("VUID-VkShaderCreateInfoEXT-stage-08420", |cx, into| {
        stage_needs(cx, into, &[Model::Geometry], "geometryShader");
    }),
    ("VUID-VkShaderCreateInfoEXT-stage-08421", |cx, into| {
        stage_needs(cx, into, &[Model::TaskEXT, Model::TaskNV], "taskShader");
    }),
    ("VUID-VkShaderCreateInfoEXT-stage-08422", |cx, into| {
        stage_needs(cx, into, &[Model::MeshEXT, Model::MeshNV], "meshShader");
    }),
    ("VUID-VkShaderCreateInfoEXT-stage-12445", |cx, into| {
        each(cx, into, |stage, _| {
            RAY_TRACING_STAGES
                .contains(&stage.model())
                .then(|| "ray tracing shaders cannot be shader objects".to_owned())
        });
    }),
    ("VUID-VkShaderCreateInfoEXT-nextStage-08427", |cx, into| {
        next(cx, into, Model::Vertex, &[Model::TessellationControl, Model::Geometry, Model::Fragment]);
    }),
    ("VUID-VkShaderCreateInfoEXT-nextStage-08428", |cx, into| {
        next_needs(cx, into, &TESSELLATION, "tessellationShader");
    }),
    ("VUID-VkShaderCreateInfoEXT-nextStage-08429", |cx, into| {
        next_needs(cx, into, &[Model::Geometry], "geometryShader");
    }),
    ("VUID-VkShaderCreateInfoEXT-nextStage-08430", |cx, into| {
        next(cx, into, Model::TessellationControl, &[Model::TessellationEvaluation]);
    }),
    ("VUID-VkShaderCreateInfoEXT-nextStage-08431", |cx, into| {
        next(cx, into, Model::TessellationEvaluation, &[Model::Geometry, Model::Fragment]);
    }),
    ("VUID-VkShaderCreateInfoEXT-nextStage-08433", |cx, into| {
        next(cx, into, Model::Geometry, &[Model::Fragment]);
    }),
    ("VUID-VkShaderCreateInfoEXT-nextStage-08434", |cx, into| {
        next(cx, into, Model::Fragment, &[]);
        next(cx, into, Model::GLCompute, &[]);
    }),
    ("VUID-VkShaderCreateInfoEXT-nextStage-08435", |cx, into| {
        next(cx, into, Model::TaskEXT, &[Model::MeshEXT]);
    }),
    ("VUID-VkShaderCreateInfoEXT-nextStage-08436", |cx, into| {
        next(cx, into, Model::MeshEXT, &[Model::Fragment]);
    }),
    ("VUID-VkShaderCreateInfoEXT-pPushConstantRanges-10063", |cx, into| {
        each(cx, into, |_, info| {
            let ranges = info.push_constant_stages.as_ref()?;
            let is_earlier =
                |place: usize, model: &Model| ranges[..place].iter().any(|earlier| earlier.contains(model));
            let twice = ranges
                .iter()
                .enumerate()
                .find_map(|(place, models)| models.iter().find(|model| is_earlier(place, model)));
            twice.map(|model| format!("two push constant ranges are for {model:?} shaders"))
        });
    }),
    ("VUID-VkShaderCreateInfoEXT-setLayoutCount-12257", |cx, into| {
        let most = cx.limit("maxBoundDescriptorSets");
        each(cx, into, |_, info| {
            let (count, _) = info.set_layouts?;
            let most = most.filter(|most| u64::from(count) > *most)?;
            Some(format!("{count} set layouts are more than maxBoundDescriptorSets, which is {most}"))
        });
    }),
    ("VUID-VkShaderCreateInfoEXT-flags-11290", |cx, into| {
        with_heap(cx, into, |info| (info.set_layouts?.0 != 0).then_some("set layouts"));
    }),
    ("VUID-VkShaderCreateInfoEXT-flags-11291", |cx, into| {
        with_heap(cx, into, |info| info.set_layouts?.1.then_some("a pointer to set layouts"));
    }),
    ("VUID-VkShaderCreateInfoEXT-flags-11370", |cx, into| {
        with_heap(cx, into, |info| {
            (!info.push_constant_stages.as_ref()?.is_empty()).then_some("push constant ranges")
        });
    }),
    ("VUID-VkShaderCreateInfoEXT-flags-11292", |cx, into| {
        for (place, info) in cx.info.objects.iter().enumerate().take(cx.pipeline.stages.len()) {
            if info.flags.has("DESCRIPTOR_HEAP") && !info.is_binary {
                super::groups::resources_mapped(cx, into, place);
            }
        }
    }),
    ("VUID-VkShaderCreateInfoEXT-stage-12428", |cx, into| {
        each(cx, into, |stage, info| {
            let has = stage.model() == Model::GLCompute && info.flags.has("INDEPENDENT_SETS");
            has.then(|| "compute shaders have no other stage to be independent of".to_owned())
        });
    }),
    ("VUID-VkShaderCreateInfoEXT-flags-12490", |cx, into| {
        with_heap(cx, into, |info| info.flags.has("INDEPENDENT_SETS").then_some("independent sets"));
    }),
    ("VUID-VkShaderCreateInfoEXT-codeType-10386", |cx, into| {
        let Some(layout) = &cx.pipeline.layout else { return };
        for (place, stage) in cx.pipeline.stages.iter().enumerate() {
            for resource in stage.interface.resources.iter().filter(|found| found.count != Some(1)) {
                let binding = layout.binding(resource.set, resource.binding);
                let kind = pyro_interface::pipeline::DescriptorKind::InlineUniformBlock;
                if binding.is_some_and(|binding| binding.kind == kind) {
                    let message = format!("{} is an array of inline uniform blocks", resource.label());
                    into.variable(place, resource.variable, message);
                }
            }
        }
    }),
    ("VUID-vkCreateShadersEXT-None-08400", |cx, into| {
        into.when(cx.lacks("shaderObject"), "the feature shaderObject is off");
    }),
    ("VUID-vkCreateShadersEXT-pCreateInfos-08402", |cx, into| all_linked(cx, into, &PRIMITIVE)),
    ("VUID-vkCreateShadersEXT-pCreateInfos-08403", |cx, into| {
        all_linked(cx, into, &[Model::TaskEXT, Model::MeshEXT]);
    }),
    ("VUID-vkCreateShadersEXT-pCreateInfos-08404", |cx, into| {
        let before: Vec<_> = linked(cx).filter(|(_, model)| before_fragment(*model)).collect();
        if linked(cx).any(|(_, model)| matches!(model, Model::TaskEXT | Model::MeshEXT))
            && let Some((place, model)) = before.first()
        {
            into.at(*place, format!("a {model:?} shader is linked with mesh or task shaders"));
        }
    }),
    ("VUID-vkCreateShadersEXT-pCreateInfos-08405", |cx, into| {
        let without = linked(cx).any(|(place, model)| {
            model == Model::MeshEXT && cx.info.objects[place].flags.has("NO_TASK_SHADER")
        });
        let task = linked(cx).find(|(_, model)| *model == Model::TaskEXT);
        if let Some((place, _)) = task.filter(|_| without) {
            into.at(place, "a task shader is linked with a mesh shader created with NO_TASK_SHADER");
        }
    }),
    ("VUID-vkCreateShadersEXT-pCreateInfos-08409", next_is_linked),
    ("VUID-vkCreateShadersEXT-pCreateInfos-08410", |cx, into| {
        let all: Vec<_> = linked(cx).collect();
        for (index, (place, model)) in all.iter().enumerate() {
            if all[..index].iter().any(|(_, earlier)| earlier == model) {
                into.at(*place, format!("two {model:?} shaders are linked"));
            }
        }
    }),
    ("VUID-vkCreateShadersEXT-pCreateInfos-08411", |cx, into| {
        let mut kinds = linked(cx).map(|(place, _)| (place, cx.info.objects[place].is_binary));
        let Some((_, first)) = kinds.next() else { return };
        if let Some((place, _)) = kinds.find(|(_, kind)| *kind != first) {
            into.at(place, "of the linked shaders, one is SPIR-V and another a binary");
        }
    }),
    ("VUID-vkCreateShadersEXT-flags-11472", |cx, into| {
        let is_heap = |place: usize| cx.info.objects[place].flags.has("DESCRIPTOR_HEAP");
        if !linked(cx).any(|(place, _)| is_heap(place)) {
            return;
        }
        if let Some((place, _)) =
            objects(cx).find(|(place, model)| GRAPHICS.contains(model) && !is_heap(*place))
        {
            into.at(place, "of the linked shaders, one is for descriptor heaps and another is not");
        }
    }),
];

const TESSELLATION: [Model; 2] = [Model::TessellationControl, Model::TessellationEvaluation];

/// The stages that can be linked, in the order in which they run.
const GRAPHICS: [Model; 9] = [
    Model::Vertex,
    Model::TessellationControl,
    Model::TessellationEvaluation,
    Model::Geometry,
    Model::TaskEXT,
    Model::TaskNV,
    Model::MeshEXT,
    Model::MeshNV,
    Model::Fragment,
];

const PRIMITIVE: [Model; 5] = [
    Model::Vertex,
    Model::TessellationControl,
    Model::TessellationEvaluation,
    Model::Geometry,
    Model::Fragment,
];

fn before_fragment(model: Model) -> bool {
    PRIMITIVE[..4].contains(&model)
}

/// Looks at each object by itself.
fn each(
    cx: &Cx<'_>,
    into: &mut Report<'_>,
    misfit: impl Fn(&PipelineStage<'_>, &ObjectInfo) -> Option<String>,
) {
    let unsaid = ObjectInfo::default();
    for (place, stage) in cx.pipeline.stages.iter().enumerate() {
        if let Some(message) = misfit(stage, cx.info.objects.get(place).unwrap_or(&unsaid)) {
            into.at(place, message);
        }
    }
}

/// The objects of which something is said, with their stages.
fn objects<'c>(cx: &Cx<'c>) -> impl Iterator<Item = (usize, Model)> {
    let stages = cx.pipeline.stages.iter().enumerate().take(cx.info.objects.len());
    stages.map(|(place, stage)| (place, stage.model()))
}

/// The linked ones.
fn linked<'c>(cx: &Cx<'c>) -> impl Iterator<Item = (usize, Model)> {
    let all_are = cx.pipeline.objects == Some(Linking::Linked);
    let info = &cx.info.objects;
    let is_said = info.iter().any(|object| object.flags.has("LINK_STAGE"));
    objects(cx).filter(move |(place, _)| info[*place].flags.has("LINK_STAGE") || all_are && !is_said)
}

fn aligned(cx: &Cx<'_>, into: &mut Report<'_>, of_binaries: bool, alignment: usize) {
    each(cx, into, |_, info| {
        let address = info.code_address.filter(|_| info.is_binary == of_binaries)?;
        (!address.is_multiple_of(alignment)).then(|| format!("pCode is not aligned to {alignment} bytes"))
    });
}

fn only_for(cx: &Cx<'_>, into: &mut Report<'_>, flag: &str, models: &[Model]) {
    each(cx, into, |stage, info| {
        let is_wrong = info.flags.has(flag) && !models.contains(&stage.model());
        is_wrong.then(|| format!("the flag {flag} is not for {:?} shaders", stage.model()))
    });
}

fn needs(cx: &Cx<'_>, into: &mut Report<'_>, flag: &str, feature: &str) {
    each(cx, into, |_, info| {
        let is_wrong = info.flags.has(flag) && cx.lacks(feature);
        is_wrong.then(|| format!("the flag {flag} needs the feature {feature}"))
    });
}

fn stage_needs(cx: &Cx<'_>, into: &mut Report<'_>, models: &[Model], feature: &str) {
    each(cx, into, |stage, _| {
        let is_wrong = models.contains(&stage.model()) && cx.lacks(feature);
        is_wrong.then(|| format!("{:?} shaders need the feature {feature}", stage.model()))
    });
}

fn next(cx: &Cx<'_>, into: &mut Report<'_>, model: Model, allowed: &[Model]) {
    each(cx, into, |stage, info| {
        let mut stages = info.next_stages.iter().flatten().filter(|_| stage.model() == model);
        let wrong = stages.find(|next| !allowed.contains(next))?;
        Some(format!("nextStage has {wrong:?}, which cannot follow a {model:?} shader"))
    });
}

fn next_needs(cx: &Cx<'_>, into: &mut Report<'_>, models: &[Model], feature: &str) {
    each(cx, into, |_, info| {
        let mut stages = info.next_stages.iter().flatten().filter(|_| cx.lacks(feature));
        let wrong = stages.find(|next| models.contains(next))?;
        Some(format!("nextStage has {wrong:?}, and the feature {feature} is off"))
    });
}

fn with_heap(cx: &Cx<'_>, into: &mut Report<'_>, has: impl Fn(&ObjectInfo) -> Option<&'static str>) {
    each(cx, into, |_, info| {
        let found = has(info).filter(|_| info.flags.has("DESCRIPTOR_HEAP"))?;
        Some(format!("it is for descriptor heaps, but has {found}"))
    });
}

/// Of stages of which one is linked, all are.
fn all_linked(cx: &Cx<'_>, into: &mut Report<'_>, models: &[Model]) {
    let info = &cx.info.objects;
    if !info.iter().any(|object| object.flags.has("LINK_STAGE")) {
        return;
    }
    for (place, model) in objects(cx) {
        if models.contains(&model) && !info[place].flags.has("LINK_STAGE") {
            into.at(place, format!("other shaders are linked, but not this {model:?} shader"));
        }
    }
}

fn next_is_linked(cx: &Cx<'_>, into: &mut Report<'_>) {
    let order = |model: Model| GRAPHICS.iter().position(|found| *found == model);
    let all: Vec<_> = linked(cx).filter_map(|(place, model)| Some((order(model)?, place, model))).collect();
    for (own, place, _) in &all {
        let later = all.iter().filter(|(other, ..)| other > own).min_by_key(|(other, ..)| *other);
        let (Some((.., follower)), Some(next)) = (later, &cx.info.objects[*place].next_stages) else {
            continue;
        };
        if next.as_slice() != [*follower] {
            let names: Vec<String> = next.iter().map(|model| format!("{model:?}")).collect();
            let named = if names.is_empty() { "nothing".to_owned() } else { names.join(", ") };
            into.at(*place, format!("nextStage is {named}, but the next linked shader is {follower:?}"));
        }
    }
}
