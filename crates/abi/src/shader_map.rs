//! What the compiler says of a shader's code: where in its source each instruction comes from.

use pyro_util::codec_struct;

/// Stands for no file, function or instruction.
pub const NO_FILE: u32 = u32::MAX;

/// A file of a shader's source.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SourceFile {
    /// Its name, as the module has it.
    pub name: String,
    /// Its text, where the module carries it; else empty.
    pub text: String,
}

/// Where an instruction of SPIR-V is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ShaderPlace {
    /// Index of the file, or [`NO_FILE`].
    pub file: u32,
    /// Line, from 1; zero: not known.
    pub line: u32,
    /// Column, from 1; zero: not known.
    pub column: u32,
    /// Index of the function, or [`NO_FILE`].
    pub function: u32,
    /// Index of the list of functions that called it.
    pub callers: u32,
    /// Index of the instruction's text, or [`NO_FILE`].
    pub instruction: u32,
}

/// A shader, and the places that its machine code is attributed to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ShaderMap {
    /// A digest of the module's words.
    pub module: u64,
    /// The stage's name, such as `fragment`.
    pub stage: String,
    /// The entry point.
    pub entry_point: String,
    /// The source's files.
    pub files: Vec<SourceFile>,
    /// The names of functions, also of those whose calls the front end has inlined.
    pub functions: Vec<String>,
    /// Lists of functions that called each other, the entry point first; the first list is empty.
    pub callers: Vec<Vec<u32>>,
    /// Texts of instructions.
    pub instructions: Vec<String>,
    /// Places by the numbers that machine code has; number 0 stands for none.
    pub places: Vec<Option<ShaderPlace>>,
}

codec_struct!(SourceFile { name, text });
codec_struct!(ShaderPlace { file, line, column, function, callers, instruction });
codec_struct!(ShaderMap { module, stage, entry_point, files, functions, callers, instructions, places });

impl ShaderMap {
    /// What to call the shader: stage, entry point and file.
    pub fn name(&self) -> String {
        match self.files.first() {
            Some(file) if !file.name.is_empty() => {
                format!("{} {} ({})", self.stage, self.entry_point, file.name)
            }
            _ => format!("{} {} ({:016x})", self.stage, self.entry_point, self.module),
        }
    }
}
