//! Files of tests: cases in TOML beside shaders, in files that end in `.test.toml`.

use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// How the files of tests end.
pub const ENDING: &str = ".test.toml";

/// A file of tests. What it says holds for all cases that do not say otherwise.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TestFile {
    /// The shader, relative to the file; without, the shader whose name the file has before its ending.
    pub shader: Option<PathBuf>,
    /// The stage, where neither the shader's name nor its content says it.
    pub stage: Option<String>,
    /// The entry point.
    pub entry: Option<String>,
    /// The cases.
    #[serde(default, rename = "case")]
    pub cases: Vec<Case>,
}

/// A test.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Case {
    /// Its name, unique in its file.
    pub name: String,
    /// The shader, relative to the file.
    pub shader: Option<PathBuf>,
    /// The stage: `comp` or `frag`.
    pub stage: Option<String>,
    /// The entry point.
    pub entry: Option<String>,
    /// A capture that is replayed instead of a shader: its results have to be those that it says.
    pub capture: Option<PathBuf>,
    /// Shader modules of the capture, in the order of their creation, instead of its own.
    #[serde(default)]
    pub modules: Vec<PathBuf>,
    /// Workgroups, of compute, task and mesh shaders.
    #[serde(default)]
    pub groups: Vec<u32>,
    /// Pixels in x and y, of fragment shaders, which draw to a picture of 8 bits a channel.
    pub size: Option<[u32; 2]>,
    /// The shaders of the stages before the fragment shader, relative to the file: `vert`, and any of `tesc`,
    /// `tese`, `geom`; or `mesh`, and `task` before it. Without them, a triangle covers the picture.
    #[serde(default)]
    pub stages: BTreeMap<String, PathBuf>,
    /// Inputs of the vertex shader.
    #[serde(default)]
    pub attributes: Vec<AttributeCase>,
    /// Indices of vertices: literals of `u16` or `u32`.
    pub indices: Option<String>,
    /// Vertices that are drawn; without, as many as there are indices, or elements of the shortest attribute.
    pub vertices: Option<u32>,
    /// Instances that are drawn.
    pub instances: Option<u32>,
    /// What vertices make: `triangle_list`, `line_strip`, …, as Vulkan names it.
    pub topology: Option<String>,
    /// Vertices of a patch.
    pub patch: Option<u32>,
    /// The color that is there before: red, green, blue, alpha.
    pub clear: Option<[f32; 4]>,
    /// Fragments that are not nearer than those that were drawn before them are left out.
    #[serde(default)]
    pub depth: bool,
    /// How colors are added to those that are there: `alpha`, `add`.
    pub blend: Option<String>,
    /// Push constants, as literals.
    pub push: Option<String>,
    /// Specialization constants by number, as literals.
    #[serde(default)]
    pub spec: BTreeMap<String, String>,
    /// Buffers.
    #[serde(default)]
    pub buffers: Vec<BufferCase>,
    /// The picture that a fragment shader has to draw, relative to the file.
    pub picture: Option<PathBuf>,
    /// By how much a channel of the picture may differ, of 255.
    #[serde(default)]
    pub tolerance: u8,
    /// How many pixels may differ by more.
    #[serde(default)]
    pub different_pixels: u64,
    /// What the sanitizer looks for: `all`, or kinds with commas. A finding fails the case.
    pub sanitize: Option<String>,
    /// Why the case is left out.
    pub skip: Option<String>,
}

/// A buffer of a test.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BufferCase {
    /// Set and binding, as in `0.1`; or the binding alone, of set 0.
    pub at: String,
    /// What it holds: `f32:1,2`, `zero:BYTES`, `file:PATH`.
    pub data: String,
    /// It is a uniform buffer.
    #[serde(default)]
    pub uniform: bool,
    /// What it has to hold afterwards, as literals; elements behind these may be anything.
    pub expect: Option<String>,
    /// By how much an element may differ.
    #[serde(default)]
    pub tolerance: f64,
    /// By which part of what is expected an element may differ.
    #[serde(default)]
    pub relative: f64,
}

/// An input of a vertex shader.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AttributeCase {
    /// The location.
    pub location: u32,
    /// Components of an element, from 1 to 4.
    pub components: u32,
    /// The elements, as literals of `f32`, `u32`, `i32`, or of `u8` (which come as numbers from 0 to 1).
    pub data: String,
    /// It goes on with each instance, not with each vertex.
    #[serde(default)]
    pub per_instance: bool,
}

/// A case with the file that it is from.
#[derive(Clone, Debug)]
pub struct Located {
    /// The file.
    pub file: PathBuf,
    /// The case, in which all that the file says for it stands.
    pub case: Case,
}

impl Located {
    /// The name by which filters select it: the file's and the case's.
    pub fn name(&self) -> String {
        format!("{}::{}", self.file.display(), self.case.name)
    }

    /// A path that the case names.
    pub fn path(&self, relative: &Path) -> PathBuf {
        self.file.parent().unwrap_or(Path::new("")).join(relative)
    }

    /// The shader's path.
    pub fn shader(&self) -> Option<PathBuf> {
        self.case.shader.as_ref().map(|shader| self.path(shader))
    }
}

/// Why a file of tests cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum CaseError {
    /// The file.
    #[error("cannot read {0}: {1}")]
    File(PathBuf, std::io::Error),
    /// Its content: what, and where.
    #[error("{0}: {1}")]
    Content(PathBuf, String),
}

/// The cases of a file.
///
/// # Errors
/// When it cannot be read, or is not what a [`TestFile`] is, or two cases have one name.
pub fn read(path: &Path) -> Result<Vec<Located>, CaseError> {
    let text = std::fs::read_to_string(path).map_err(|error| CaseError::File(path.to_owned(), error))?;
    parse(path, &text)
}

fn parse(path: &Path, text: &str) -> Result<Vec<Located>, CaseError> {
    let bad = |message: String| CaseError::Content(path.to_owned(), message);
    let file: TestFile =
        toml::from_str(text).map_err(|error| bad(error.to_string().trim_end().to_owned()))?;
    let TestFile { shader, stage, entry, cases } = file;
    let own_name = path.file_name().and_then(|name| name.to_str()).and_then(|name| name.strip_suffix(ENDING));
    let shader = shader.or_else(|| own_name.map(PathBuf::from));
    if cases.is_empty() {
        return Err(bad("it has no [[case]]".to_owned()));
    }
    for (index, case) in cases.iter().enumerate() {
        if cases[..index].iter().any(|other| other.name == case.name) {
            return Err(bad(format!("two cases are named \"{}\"", case.name)));
        }
        if case.picture.is_some() && case.size.is_none() {
            return Err(bad(format!("\"{}\" has a picture and no size", case.name)));
        }
        if case.capture.is_none() && !case.modules.is_empty() {
            return Err(bad(format!("\"{}\" has modules and no capture", case.name)));
        }
        if case.capture.is_some() && (!case.buffers.is_empty() || case.picture.is_some()) {
            let name = &case.name;
            return Err(bad(format!("\"{name}\" has a capture, which says itself what is expected")));
        }
        if case.stages.is_empty() && !(case.attributes.is_empty() && case.indices.is_none()) {
            return Err(bad(format!("\"{}\" has vertices and no vertex shader (`stages`)", case.name)));
        }
        let begins = case.stages.contains_key("vert") || case.stages.contains_key("mesh");
        if !case.stages.is_empty() && !begins {
            let name = &case.name;
            return Err(bad(format!(
                "\"{name}\" has stages and no vertex shader (`vert`) or mesh shader (`mesh`)"
            )));
        }
        if case.attributes.iter().any(|one| !(1..=4).contains(&one.components)) {
            return Err(bad(format!("\"{}\" has an attribute without 1 to 4 components", case.name)));
        }
        if case.groups.len() > 3 {
            return Err(bad(format!("\"{}\" has more than three numbers of groups", case.name)));
        }
    }
    let complete = |case: Case| Case {
        shader: case.shader.clone().or_else(|| shader.clone()),
        stage: case.stage.clone().or_else(|| stage.clone()),
        entry: case.entry.clone().or_else(|| entry.clone()),
        ..case
    };
    Ok(cases.into_iter().map(|case| Located { file: path.to_owned(), case: complete(case) }).collect())
}

/// All files of tests below a folder, or the file itself, by path.
///
/// # Errors
/// When a folder cannot be read.
pub fn find(path: &Path) -> Result<Vec<PathBuf>, CaseError> {
    if path.is_file() {
        return Ok(vec![path.to_owned()]);
    }
    let (mut found, mut folders) = (Vec::new(), vec![path.to_owned()]);
    while let Some(folder) = folders.pop() {
        let failed = |error| CaseError::File(folder.clone(), error);
        for entry in std::fs::read_dir(&folder).map_err(failed)? {
            let entry = entry.map_err(failed)?;
            // Links are not followed, so that a circle of them ends.
            let kind = entry.file_type().map_err(failed)?;
            if kind.is_dir() {
                folders.push(entry.path());
            } else if entry.file_name().to_string_lossy().ends_with(ENDING) {
                found.push(entry.path());
            }
        }
    }
    found.sort();
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cases_have_what_their_file_says() {
        let text = "entry = \"go\"\n[[case]]\nname = \"a\"\ngroups = [2]\n\
                    buffers = [{ at = \"0.1\", data = \"f32:1\", expect = \"f32:2\", tolerance = 0.5 }]\n\
                    [[case]]\nname = \"b\"\nentry = \"other\"\nshader = \"x/b.comp\"\n";
        let cases = parse(Path::new("shaders/a.comp.test.toml"), text).expect("well formed");
        assert_eq!(cases[0].shader(), Some(PathBuf::from("shaders/a.comp")));
        assert_eq!(cases[0].case.entry.as_deref(), Some("go"));
        assert_eq!(cases[0].case.buffers[0].expect.as_deref(), Some("f32:2"));
        assert_eq!(cases[1].case.entry.as_deref(), Some("other"));
        assert_eq!(cases[1].shader(), Some(PathBuf::from("shaders/x/b.comp")));
        assert_eq!(cases[0].name(), "shaders/a.comp.test.toml::a");
    }

    #[test]
    fn what_is_not_understood_is_said() {
        for (text, part) in [
            ("", "no [[case]]"),
            ("[[case]]\nname = \"a\"\n[[case]]\nname = \"a\"\n", "two cases"),
            ("[[case]]\nname = \"a\"\ncolour = 3\n", "colour"),
            ("[[case]]\nname = \"a\"\nmodules = [\"a.spvasm\"]\n", "no capture"),
            ("[[case]]\nname = \"a\"\npicture = \"a.png\"\n", "no size"),
            ("[[case]]\nname = \"a\"\nindices = \"u16:0\"\n", "no vertex shader"),
            ("[[case]]\nname = \"a\"\n[case.stages]\ngeom = \"a.geom\"\n", "no vertex shader"),
            ("[[case]\n", "line 1"),
        ] {
            let error = parse(Path::new("a.test.toml"), text).expect_err(text).to_string();
            assert!(error.starts_with("a.test.toml: ") && error.contains(part), "{text}: {error}");
        }
    }

    /// Files of any content are cases or errors.
    #[test]
    fn mutated_files_do_not_panic() {
        use pyro_random::Random;
        use pyro_test_environment::number;
        const FILES: [&str; 2] = [
            "entry = \"go\"\n[[case]]\nname = \"a\"\ngroups = [2, 1]\n\
             buffers = [{ at = \"0.1\", data = \"f32:1,-3\", expect = \"f32:2\", tolerance = 0.5 }]\n",
            "shader = \"x.frag\"\n[[case]]\nname = \"b\"\npicture = \"b.png\"\nsize = [8, 8]\n",
        ];
        const TOKENS: [&str; 12] = [
            "-1",
            "1e400",
            "9223372036854775808",
            "nan",
            "[[case]]\n",
            "{ at = ",
            "\"\"\"",
            "= ",
            "[",
            "..",
            "\\u0000",
            "[[[[[[[[",
        ];
        let first: u64 = number("PYRO_SEED", 1);
        let rounds: u64 = number("PYRO_MUTATIONS", 4000);
        let mut refused = 0;
        for seed in first..first + rounds {
            let mut random = Random::new(seed);
            let mut bytes = FILES[seed as usize % 2].as_bytes().to_vec();
            random.mutate(&mut bytes, &TOKENS);
            let parsed = parse(Path::new("a.comp.test.toml"), &String::from_utf8_lossy(&bytes));
            refused += u64::from(parsed.is_err());
        }
        assert!(refused * 4 > rounds && refused < rounds, "{refused} of {rounds} refused");
    }
}
