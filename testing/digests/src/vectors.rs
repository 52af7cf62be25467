//! Products of cooperative vectors and matrices of all listed types.

use crate::matrices::number;
use pyro_random::Random;
use pyro_test_kit::Client;
use pyro_test_kit::compute::{Buffer, Compute};
use pyro_test_kit::matrices::bytes_of;
use vulkanalia::prelude::v1_3::*;
use vulkanalia::vk::{ComponentTypeKHR as Type, NvCooperativeVectorExtensionInstanceCommands as _};

const POINT: vk::PipelineBindPoint = vk::PipelineBindPoint::COMPUTE;
/// Invocations: a whole subgroup and a part of one.
const INVOCATIONS: u32 = 24;
/// Words of each buffer.
const WORDS: usize = 1 << 14;
/// Rows and columns at most.
const SIDE: u32 = 33;
/// Products of one device, which keeps a pipeline of each.
const PRODUCTS: u32 = 200;
/// Bytes between vectors, and between rows or columns of the matrix.
const STRIDE: u32 = 144;

/// A device and the buffers of inputs, of matrix and bias, and of results.
pub(crate) struct Vectors {
    context: Compute,
    buffers: [Buffer; 3],
    layout: vk::PipelineLayout,
    set: vk::DescriptorSet,
    listed: Vec<vk::CooperativeVectorPropertiesNV>,
    products: u32,
}

/// The name of a vector's component type in the shader.
fn name(ty: Type) -> &'static str {
    match ty {
        Type::FLOAT16 => "half",
        Type::FLOAT32 => "float",
        Type::SINT8 => "sbyte",
        Type::UINT8 => "byte",
        Type::SINT32 => "int",
        _ => "uint",
    }
}

fn is_signed(ty: Type) -> bool {
    matches!(ty, Type::SINT8 | Type::SINT32)
}

impl Vectors {
    pub(crate) fn new() -> Vectors {
        let mut core = vk::PhysicalDeviceFeatures2::builder()
            .features(vk::PhysicalDeviceFeatures { shader_int16: 1, ..Default::default() });
        let mut v11 = vk::PhysicalDeviceVulkan11Features::builder().storage_buffer_16bit_access(true);
        let mut v12 = vk::PhysicalDeviceVulkan12Features::builder()
            .storage_buffer_8bit_access(true)
            .shader_float16(true)
            .shader_int8(true)
            .vulkan_memory_model(true);
        let mut vector = vk::PhysicalDeviceCooperativeVectorFeaturesNV::builder().cooperative_vector(true);
        v12.next = (&raw mut vector).cast();
        v11.next = (&raw mut v12).cast();
        core.next = (&raw mut v11).cast();
        let extensions = [c"VK_NV_cooperative_vector", c"VK_EXT_shader_replicated_composites"];
        let context = Compute::new(vk::make_version(1, 3, 0), &extensions, (&raw mut core).cast());
        let bindings = [(vk::DescriptorType::STORAGE_BUFFER, 1); 3];
        let set_layout = context.set_layout(vk::DescriptorSetLayoutCreateFlags::empty(), &bindings);
        let (layout, set) = (context.layout(&[set_layout]), context.set(set_layout));
        let buffers = [(); 3].map(|()| context.buffer(WORDS));
        for (binding, buffer) in (0..).zip(buffers) {
            context.write_range(set, binding, buffer.buffer, 0);
        }
        let Client { instance, physical_device, .. } = &**context;
        // SAFETY: the physical device is the instance's.
        let listed =
            unsafe { instance.get_physical_device_cooperative_vector_properties_nv(*physical_device) };
        let listed = listed.unwrap_or_default();
        Vectors { context, buffers, layout, set, listed, products: 0 }
    }

    /// Another one is to be made.
    pub(crate) fn is_full(&self) -> bool {
        self.products >= PRODUCTS
    }

    /// Numbers of a type, as many to a line.
    fn fill(&self, random: &mut Random, binding: usize, first: u32, ty: Type, [lines, count]: [u32; 2]) {
        for (line, column) in (0..lines).flat_map(|line| (0..count).map(move |column| (line, column))) {
            let bytes = number(ty, random).to_le_bytes();
            let size = bytes_of(ty);
            let at = (first + line * STRIDE) as usize + column as usize * size;
            // SAFETY: the lines lie within the buffer, which nothing else uses.
            unsafe {
                let target = self.buffers[binding].words.cast::<u8>().add(at);
                target.copy_from(bytes.as_ptr(), size);
            }
        }
    }

    /// The product of a number.
    pub(crate) fn multiply(&mut self, case: u64) -> Result<Vec<u8>, String> {
        self.products += 1;
        let random = &mut Random::new(case ^ 0x7ec7_0000_0000);
        if self.listed.is_empty() {
            return Err("no cooperative vectors".to_owned());
        }
        let row = self.listed[random.below(self.listed.len())];
        let (rows, columns) = (1 + random.below(SIDE), 1 + random.below(SIDE));
        let is_packed = matches!(row.input_interpretation, Type::SINT8_PACKED_NV | Type::UINT8_PACKED_NV);
        let count = if is_packed { columns.div_ceil(4) } else { columns };
        let by_columns = random.one_in(2);
        let lines = if by_columns { [columns, rows] } else { [rows, columns] };
        let bias_at = STRIDE * SIDE;
        for binding in 0..3 {
            (0..WORDS).for_each(|index| self.buffers[binding].put(index, 0));
        }
        self.fill(random, 0, 0, row.input_type, [INVOCATIONS, count]);
        self.fill(random, 1, 0, row.matrix_interpretation, lines);
        self.fill(random, 1, bias_at, row.bias_interpretation, [1, rows]);
        let mut signs = Vec::new();
        if is_signed(row.input_type) {
            signs.push("MatrixBSignedComponentsKHR");
        }
        if is_signed(row.result_type) {
            signs.push("MatrixResultSignedComponentsKHR");
        }
        let (op, bias) = match random.one_in(2) {
            true => ("OpCooperativeVectorMatrixMulAddNV", "%p1 %bias_at %bias_kind"),
            false => ("OpCooperativeVectorMatrixMulNV", ""),
        };
        let constants = [
            ("count", count),
            ("rows", rows),
            ("columns", columns),
            ("layout", u32::from(by_columns)),
            ("stride", STRIDE),
            ("input_kind", row.input_interpretation.as_raw() as u32),
            ("matrix_kind", row.matrix_interpretation.as_raw() as u32),
            ("bias_kind", row.bias_interpretation.as_raw() as u32),
            ("bias_at", bias_at),
        ]
        .map(|(name, value)| format!("%{name} = OpConstant %uint {value}\n"))
        .concat();
        let declarations = format!(
            "{constants}%X = OpTypeCooperativeVectorNV %{} %count\n%Y = OpTypeCooperativeVectorNV %{} %rows\n",
            name(row.input_type),
            name(row.result_type)
        );
        let body = format!(
            "%at = OpIMul %uint %gid %stride\n%x = OpCooperativeVectorLoadNV %X %p0 %at\n\
             %y = {op} %Y %x %input_kind %p1 %uint_0 %matrix_kind {bias} %rows %columns %layout %false %stride {}\n\
             OpCooperativeVectorStoreNV %p2 %at %y\n",
            signs.join("|")
        );
        let pipeline = self.context.pipeline(self.layout, &shader(&declarations, &body));
        self.context.run(|commands| {
            let device = &self.context.device;
            // SAFETY: the objects are the device's, and alive.
            unsafe {
                device.cmd_bind_pipeline(commands, POINT, pipeline);
                device.cmd_bind_descriptor_sets(commands, POINT, self.layout, 0, &[self.set], &[]);
                device.cmd_dispatch(commands, 1, 1, 1);
            }
        });
        let words = self.buffers[2].words();
        Ok(words[..(INVOCATIONS * STRIDE / 4) as usize].iter().flat_map(|word| word.to_le_bytes()).collect())
    }
}

/// A shader in which `%gid` is the invocation's number and `%p0` to `%p2` point to the buffers' words.
fn shader(declarations: &str, body: &str) -> String {
    let of = |line: &dyn Fn(u32) -> String| (0..3).map(line).collect::<String>();
    let decorations =
        of(&|at| format!("OpDecorate %v{at} DescriptorSet 0\nOpDecorate %v{at} Binding {at}\n"));
    let variables = of(&|at| format!("%v{at} = OpVariable %to_block StorageBuffer\n"));
    let pointers = of(&|at| format!("%p{at} = OpAccessChain %to_words %v{at} %uint_0\n"));
    format!(
        "; Version: 1.6
OpCapability Shader
OpCapability VulkanMemoryModel
OpCapability Int8
OpCapability Int16
OpCapability Float16
OpCapability CooperativeVectorNV
OpExtension \"SPV_NV_cooperative_vector\"
OpMemoryModel Logical Vulkan
OpEntryPoint GLCompute %main \"main\" %id %v0 %v1 %v2
OpExecutionMode %main LocalSize {INVOCATIONS} 1 1
OpDecorate %id BuiltIn GlobalInvocationId
OpDecorate %words ArrayStride 4
OpDecorate %block Block
OpMemberDecorate %block 0 Offset 0
{decorations}%void = OpTypeVoid
%fn = OpTypeFunction %void
%bool = OpTypeBool
%false = OpConstantFalse %bool
%uint = OpTypeInt 32 0
%int = OpTypeInt 32 1
%byte = OpTypeInt 8 0
%sbyte = OpTypeInt 8 1
%half = OpTypeFloat 16
%float = OpTypeFloat 32
%uint3 = OpTypeVector %uint 3
%in_uint3 = OpTypePointer Input %uint3
%in_uint = OpTypePointer Input %uint
%uint_0 = OpConstant %uint 0
%words = OpTypeRuntimeArray %uint
%block = OpTypeStruct %words
%to_block = OpTypePointer StorageBuffer %block
%to_words = OpTypePointer StorageBuffer %words
%id = OpVariable %in_uint3 Input
{variables}{declarations}%main = OpFunction %void None %fn
%entry = OpLabel
%to_gid = OpAccessChain %in_uint %id %uint_0
%gid = OpLoad %uint %to_gid
{pointers}{body}OpReturn
OpFunctionEnd
"
    )
}
