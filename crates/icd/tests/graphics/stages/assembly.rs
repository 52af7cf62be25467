//! Assembly around the bodies of shaders.

/// A shader of one entry point.
#[derive(Clone, Copy, Default)]
pub(crate) struct Shader<'a> {
    /// More capabilities, one a line.
    pub(crate) capabilities: &'a str,
    /// Extensions, one a line.
    pub(crate) extensions: &'a str,
    /// The variables of the entry point.
    pub(crate) interface: &'a str,
    /// Execution modes.
    pub(crate) modes: &'a str,
    /// Decorations.
    pub(crate) decorations: &'a str,
    /// Types, constants and variables beside [`TYPES`].
    pub(crate) globals: &'a str,
    /// The instructions of `main`, without its return.
    pub(crate) body: &'a str,
}

/// Types and constants that most shaders need. `%in_x` and `%out_x` are pointers. The buffer of set 0,
/// binding 0 is `%buffer`, an array of `%uint` in a block.
const TYPES: &str = "
       %void = OpTypeVoid
         %fn = OpTypeFunction %void
       %bool = OpTypeBool
        %int = OpTypeInt 32 1
       %uint = OpTypeInt 32 0
      %float = OpTypeFloat 32
         %v2 = OpTypeVector %float 2
         %v3 = OpTypeVector %float 3
         %v4 = OpTypeVector %float 4
         %u2 = OpTypeVector %uint 2
         %u4 = OpTypeVector %uint 4
         %i4 = OpTypeVector %int 4
    %in_bool = OpTypePointer Input %bool
     %in_int = OpTypePointer Input %int
    %in_uint = OpTypePointer Input %uint
   %in_float = OpTypePointer Input %float
      %in_v2 = OpTypePointer Input %v2
      %in_v3 = OpTypePointer Input %v3
      %in_v4 = OpTypePointer Input %v4
      %in_u4 = OpTypePointer Input %u4
    %out_int = OpTypePointer Output %int
   %out_uint = OpTypePointer Output %uint
  %out_float = OpTypePointer Output %float
     %out_v2 = OpTypePointer Output %v2
     %out_v3 = OpTypePointer Output %v3
     %out_v4 = OpTypePointer Output %v4
     %out_u4 = OpTypePointer Output %u4
     %out_i4 = OpTypePointer Output %i4
         %f0 = OpConstant %float 0
         %f1 = OpConstant %float 1
         %f2 = OpConstant %float 2
        %f16 = OpConstant %float 16
      %fhalf = OpConstant %float 0.5
      %fquarter = OpConstant %float 0.25
         %i0 = OpConstant %int 0
         %i1 = OpConstant %int 1
         %u0 = OpConstant %uint 0
         %u1 = OpConstant %uint 1
         %u2c = OpConstant %uint 2
         %u3 = OpConstant %uint 3
         %u4c = OpConstant %uint 4
         %u5 = OpConstant %uint 5
         %u8 = OpConstant %uint 8
        %u16 = OpConstant %uint 16
        %u32 = OpConstant %uint 32
      %words = OpTypeRuntimeArray %uint
      %block = OpTypeStruct %words
  %ptr_block = OpTypePointer StorageBuffer %block
   %ptr_uint = OpTypePointer StorageBuffer %uint
    %one_int = OpTypeArray %int %u1
 %in_one_int = OpTypePointer Input %one_int
%out_one_int = OpTypePointer Output %one_int
  %one_float = OpTypeArray %float %u1
%out_one_float = OpTypePointer Output %one_float
  %two_v4 = OpTypeArray %v4 %u2c
  %out_two_v4 = OpTypePointer Output %two_v4
  %in_two_v4 = OpTypePointer Input %two_v4
  %three_v4 = OpTypeArray %v4 %u3
  %in_three_v4 = OpTypePointer Input %three_v4
     %buffer = OpVariable %ptr_block StorageBuffer
";

/// Code: the number of the fragment's pixel, `%pixel`, from the `FragCoord` at `%coord`.
pub(crate) const PIXEL: &str = "%c = OpLoad %v4 %coord
    %x = OpCompositeExtract %float %c 0
    %y = OpCompositeExtract %float %c 1
    %xu = OpConvertFToU %uint %x
    %yu = OpConvertFToU %uint %y
    %row = OpIMul %uint %yu %u16
    %pixel = OpIAdd %uint %row %xu";

/// Code behind [`PIXEL`]: a pointer `%cell` to the buffer's word of the sample `%n`, whose `SampleId` is at
/// `%id`; four for each pixel.
pub(crate) const SAMPLE_CELL: &str = "%four = OpIMul %uint %pixel %u4c
    %n = OpLoad %uint %id
    %slot = OpIAdd %uint %four %n
    %cell = OpAccessChain %ptr_uint %buffer %i0 %slot";

/// A fragment shader that appends the vector's first component as a digit to the number of its pixel, or of
/// its sample, in an interlock of this execution mode.
pub(crate) fn interlocked(mode: &str, is_of_samples: bool) -> String {
    let [capabilities, id, decorations, globals, cell] = if is_of_samples {
        [
            "OpCapability SampleRateShading OpCapability FragmentShaderSampleInterlockEXT",
            "%id",
            "OpDecorate %id BuiltIn SampleId OpDecorate %id Flat",
            "%id = OpVariable %in_uint Input",
            SAMPLE_CELL,
        ]
    } else {
        let cell = "%cell = OpAccessChain %ptr_uint %buffer %i0 %pixel";
        ["OpCapability FragmentShaderShadingRateInterlockEXT", "", "", "", cell]
    };
    Shader {
        capabilities,
        extensions: "OpExtension \"SPV_EXT_fragment_shader_interlock\"",
        modes: &format!("OpExecutionMode %main {mode}"),
        interface: &format!("%coord %passed %out {id}"),
        decorations: &format!(
            "OpDecorate %coord BuiltIn FragCoord
             OpDecorate %passed Location 0
             OpDecorate %out Location 0
             {decorations}"
        ),
        globals: &format!(
            "%coord = OpVariable %in_v4 Input
             %passed = OpVariable %in_v4 Input
             %out = OpVariable %out_v4 Output
             %u10 = OpConstant %uint 10
             {globals}"
        ),
        body: &format!(
            "{PIXEL}
             {cell}
             %p = OpLoad %v4 %passed
             %digit = OpCompositeExtract %float %p 0
             %digit_u = OpConvertFToU %uint %digit
             OpBeginInvocationInterlockEXT
             %old = OpLoad %uint %cell
             %shifted = OpIMul %uint %old %u10
             %new = OpIAdd %uint %shifted %digit_u
             OpStore %cell %new
             OpEndInvocationInterlockEXT
             OpStore %out %p"
        ),
    }
    .fragment()
}

/// The three digits of a number that [`interlocked`] made: in their order, or sorted where there is none.
pub(crate) fn interlocked_digits(number: u32, is_ordered: bool) -> [u32; 3] {
    let mut digits = [number / 100, number / 10 % 10, number % 10];
    if !is_ordered {
        digits.sort_unstable();
    }
    digits
}

impl Shader<'_> {
    /// The module of a stage.
    fn text(&self, model: &str) -> String {
        let Shader { capabilities, extensions, interface, modes, decorations, globals, body } = self;
        format!(
            "; Version: 1.3
             OpCapability Shader
             {capabilities}
             OpExtension \"SPV_KHR_storage_buffer_storage_class\"
             {extensions}
             OpMemoryModel Logical GLSL450
             OpEntryPoint {model} %main \"main\" {interface}
             {modes}
             OpDecorate %buffer DescriptorSet 0
             OpDecorate %buffer Binding 0
             OpDecorate %block Block
             OpMemberDecorate %block 0 Offset 0
             OpDecorate %words ArrayStride 4
             {decorations}
             {TYPES}
             {globals}
             %main = OpFunction %void None %fn
             %entry = OpLabel
             {body}
             OpReturn
             OpFunctionEnd"
        )
    }

    pub(crate) fn vertex(&self) -> String {
        self.text("Vertex")
    }

    pub(crate) fn fragment(&self) -> String {
        let modes = format!("OpExecutionMode %main OriginUpperLeft\n{}", self.modes);
        Shader { modes: &modes, ..*self }.text("Fragment")
    }
}

/// A vertex shader of position and one vector, which goes to location 0.
pub(crate) fn passing() -> String {
    Shader {
        interface: "%place %color %position %passed",
        decorations: "OpDecorate %place Location 0
                      OpDecorate %color Location 1
                      OpDecorate %position BuiltIn Position
                      OpDecorate %passed Location 0",
        globals: "%place = OpVariable %in_v4 Input
                  %color = OpVariable %in_v4 Input
                  %position = OpVariable %out_v4 Output
                  %passed = OpVariable %out_v4 Output",
        body: "%p = OpLoad %v4 %place
               %c = OpLoad %v4 %color
               OpStore %position %p
               OpStore %passed %c",
        ..Shader::default()
    }
    .vertex()
}

/// A fragment shader whose colour is the vector of location 0.
pub(crate) fn passed_on() -> String {
    Shader {
        interface: "%passed %out",
        decorations: "OpDecorate %passed Location 0
                      OpDecorate %out Location 0",
        globals: "%passed = OpVariable %in_v4 Input
                  %out = OpVariable %out_v4 Output",
        body: "%p = OpLoad %v4 %passed
               OpStore %out %p",
        ..Shader::default()
    }
    .fragment()
}

/// A rectangle of two triangles from (`x0`, `y0`) to (`x1`, `y1`) in clip space, with a depth and a vector.
pub(crate) fn rectangle([x0, y0, x1, y1]: [f32; 4], depth: f32, vector: [f32; 4]) -> [[[f32; 4]; 2]; 6] {
    [(x0, y0), (x1, y0), (x0, y1), (x0, y1), (x1, y0), (x1, y1)].map(|(x, y)| [[x, y, depth, 1.0], vector])
}

/// All of the target.
pub(crate) const WHOLE: [f32; 4] = [-1.0, -1.0, 1.0, 1.0];
