//! A fleet of processes that shares compiled code: each shader is compiled once among them.

use crate::support::Folder;
use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const WORKERS: usize = 8;
const SHADERS: usize = 6;

/// A folder with shaders, keys and folders of profiles.
struct Fleets(Folder);

impl Fleets {
    fn new() -> Fleets {
        let folder = Folder::new("fleet");
        let path = &folder.0;
        for at in 0..SHADERS {
            let text = format!(
                "@group(0) @binding(0) var<storage, read_write> words: array<u32>;
                 @compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3<u32>) {{
                     for (var i = 0u; i < {}u; i++) {{ words[id.x] = words[id.x] * {}u + (id.x >> (i & 7u)); }}
                 }}",
                at + 3,
                2 * at + 5
            );
            fs::write(path.join(format!("{at}.wgsl")), text).expect("a shader");
        }
        for (name, byte) in [("key", 1), ("other-key", 2)] {
            fs::write(path.join(name), [byte; 32]).expect("a key");
            fs::set_permissions(path.join(name), fs::Permissions::from_mode(0o600))
                .expect("a key of one user");
        }
        Fleets(folder)
    }

    /// Runs a shader as a worker of a fleet; keeps its profile and the buffer.
    fn run(&self, fleet: &str, worker: usize, shader: usize, key: &str) -> Output {
        let name = format!("{worker}-{shader}");
        let profiles = self.0.0.join(format!("{fleet}-profiles"));
        fs::create_dir_all(&profiles).expect("a folder");
        let mut command = Command::new(env!("CARGO_BIN_EXE_pyroclast"));
        for variable in ["PYROCLAST_CPU", "PYROCLAST_CACHE_DIR", "PYROCLAST_CACHE_SHARED_READ_ONLY"] {
            command.env_remove(variable);
        }
        let output = command
            .current_dir(&self.0.0)
            .env("PYROCLAST_CACHE_SHARED", self.0.0.join(fleet))
            .env("PYROCLAST_CACHE_KEY_FILE", self.0.0.join(key))
            .env("PYROCLAST_PROFILE", profiles.join(&name))
            .args(["run", &format!("{shader}.wgsl"), "--groups", "4", "--buffer", "0.0=zero:1024"])
            .arg(format!("--save=0.0={fleet}-{name}"))
            .output()
            .expect("the program runs");
        assert!(output.status.success(), "{output:?}");
        output
    }

    /// How often the processes of a fleet made each of the compiler's steps.
    fn steps(&self, fleet: &str) -> BTreeMap<String, u64> {
        let mut command = Command::new(env!("CARGO_BIN_EXE_pyroclast"));
        let folder = self.0.0.join(format!("{fleet}-profiles"));
        let output = command.args(["profile", "--json"]).arg(&folder).output().expect("the program runs");
        let profile: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
        let rows = profile["compilerSteps"].as_array().expect("rows").iter();
        let steps = rows.map(|row| {
            (row["name"].as_str().expect("a name").to_owned(), row["count"].as_u64().expect("a count"))
        });
        fs::remove_dir_all(folder).expect("profiles");
        steps.filter(|&(_, count)| count > 0).collect()
    }

    /// All workers at once, each with the shaders in another order.
    fn fleet(&self, name: &str) {
        std::thread::scope(|scope| {
            for worker in 0..WORKERS {
                scope.spawn(move || {
                    for at in 0..SHADERS {
                        self.run(name, worker, (at + worker * 5) % SHADERS, "key");
                    }
                });
            }
        });
    }
}

/// The artifacts in a folder, and what else is there.
fn artifacts(root: &Path) -> Vec<PathBuf> {
    let builds = fs::read_dir(root).expect("a folder").map(|entry| entry.expect("an entry").path());
    let files = builds.flat_map(|build| fs::read_dir(build).expect("a folder"));
    files.map(|entry| entry.expect("an entry").path()).collect()
}

/// A cold fleet makes as many steps of the compiler as one process that is alone; a warm one makes none; what
/// is damaged or of another key is refused by its path, and made again.
#[test]
fn a_cold_fleet_compiles_each_shader_once() {
    let fleets = Fleets::new();
    for shader in 0..SHADERS {
        fleets.run("alone", 0, shader, "key");
    }
    let alone = fleets.steps("alone");
    assert!(alone.values().sum::<u64>() >= SHADERS as u64, "{alone:?}");
    fleets.fleet("cold");
    assert_eq!(fleets.steps("cold"), alone, "each shader is compiled once");
    let made = artifacts(&fleets.0.0.join("cold"));
    assert_eq!(made.len(), artifacts(&fleets.0.0.join("alone")).len(), "no claims are left: {made:?}");
    for (worker, shader) in (0..WORKERS).flat_map(|worker| (0..SHADERS).map(move |shader| (worker, shader))) {
        let [one, other] = [format!("alone-0-{shader}"), format!("cold-{worker}-{shader}")];
        assert_eq!(fs::read(fleets.0.0.join(one)).unwrap(), fs::read(fleets.0.0.join(other)).unwrap());
    }
    fleets.fleet("cold");
    assert_eq!(fleets.steps("cold"), BTreeMap::new(), "a warm fleet compiles nothing");

    let mut bytes = fs::read(&made[0]).expect("an artifact");
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs::write(&made[0], bytes).expect("damaged");
    let said: String = (0..SHADERS)
        .map(|shader| String::from_utf8_lossy(&fleets.run("cold", 0, shader, "key").stderr).into_owned())
        .collect();
    let name = made[0].to_string_lossy().into_owned();
    assert!(said.contains(&format!("{name} is not used")), "{said}");
    assert!(!fleets.steps("cold").is_empty(), "it is made again");
    let forged = fleets.run("cold", 0, 0, "other-key");
    let said = String::from_utf8_lossy(&forged.stderr).into_owned();
    assert!(said.contains("is not used: it is damaged, forged, or of another key"), "{said}");
}
