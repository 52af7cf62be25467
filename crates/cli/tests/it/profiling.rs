//! `pyroclast profile` and `pyroclast coverage`, on this program's own `run`.

use crate::debug::split::{MODULE, SOURCE};
use crate::support::Folder;
use pyro_test_environment::{Need, skip};
use std::path::Path;
use std::process::{Command, Output};

/// A quarter of the invocations run `cheap`, the others `heavy`, whose loop takes nearly all of the time.
const SHADER: &str = "@group(0) @binding(0) var<storage, read_write> values: array<f32>;

fn cheap(x: f32) -> f32 {
    return x * 0.5 + 1.0;
}

fn heavy(x: f32) -> f32 {
    var sum = x;
    for (var i = 0; i < 500; i++) {
        sum = sin(sum) * 1.01 + cos(sum);
    }
    return sum;
}

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    var x = values[id.x];
    if (id.x % 4u == 0u) {
        x = cheap(x);
    } else {
        x = heavy(x);
    }
    values[id.x] = x;
}
";
const LOOP: u64 = 10;
const WORKGROUPS: u64 = 40_000;

/// A folder with the shader.
fn folder(name: &str) -> Folder {
    let folder = Folder::new(name);
    folder.write("heavy.wgsl", SHADER);
    folder
}

/// Runs a command on `pyroclast run` of the shader.
fn on_run(folder: &Folder, command: &[&str], workgroups: u64) -> Output {
    let buffer = format!("--buffer=0.0=zero:{}", 256 * workgroups);
    let run = ["--", env!("CARGO_BIN_EXE_pyroclast"), "run", "heavy.wgsl"];
    folder.run(&[command, &run, &[&format!("--groups={workgroups}"), &buffer]].concat())
}

fn json(output: &Output) -> serde_json::Value {
    let text = String::from_utf8_lossy(&output.stdout);
    serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("JSON: {text} {output:?}"))
}

fn sum(rows: &serde_json::Value) -> u64 {
    rows.as_array().expect("rows").iter().map(|row| row["ns"].as_u64().expect("a number")).sum()
}

fn row<'r>(rows: &'r serde_json::Value, name: &str) -> u64 {
    let mut rows: std::slice::Iter<'r, serde_json::Value> = rows.as_array().expect("rows").iter();
    rows.find(|row| row["name"] == name).map_or(0, |row| row["ns"].as_u64().expect("a number"))
}

#[test]
fn time_adds_up_and_is_attributed_to_the_loop() {
    let folder = folder("profile");
    let output = on_run(&folder, &["profile", "--json", "--html", "p.html", "--trace", "t.json"], WORKGROUPS);
    assert!(output.status.success(), "{output:?}");
    let profile = json(&output);
    let cpu = profile["cpuNs"].as_u64().expect("a number");
    assert_eq!(sum(&profile["activities"]), cpu, "{profile:#}");
    // What threads do that end before their next sample is all that may be missing.
    assert!(row(&profile["activities"], "not sampled") * 20 < cpu, "{:#}", profile["activities"]);
    let shaders = row(&profile["activities"], "shaders");
    assert_eq!((sum(&profile["lines"]), sum(&profile["instructions"])), (shaders, shaders));
    assert!(shaders * 2 > cpu, "{:#}", profile["activities"]);
    let lines = profile["lines"].as_array().expect("rows");
    let of_loop: u64 = lines
        .iter()
        .filter(|row| row["line"] == LOOP && row["function"] == "heavy")
        .map(|row| row["ns"].as_u64().expect("a number"))
        .sum();
    assert!(of_loop * 10 > shaders * 7, "{:#}", profile["lines"]);
    let first = &profile["lines"][0];
    assert_eq!(first["text"], "sum = sin(sum) * 1.01 + cos(sum);");
    assert!(first["file"].as_str().expect("a name").ends_with("heavy.wgsl"));
    let command = &profile["commands"][0];
    assert_eq!(
        (&command["kind"], &command["count"], &command["size"][0]),
        (&"dispatch".into(), &1.into(), &WORKGROUPS.into())
    );
    assert!(
        command["pipeline"].as_str().expect("a name").contains("compute main (heavy.wgsl)"),
        "{command:#}"
    );
    // The dispatch ran on all threads at once, for as long as its time stamps say.
    let (ns, wall) = (command["ns"].as_u64().expect("ns"), command["wallNs"].as_u64().expect("ns"));
    // How many processors it had is the machine's affair.
    assert!(wall > 0 && ns > 0, "{command:#}");
    assert!(profile["compilerSteps"].as_array().expect("rows").iter().any(|step| step["name"] == "gvn"));

    assert_eq!(sum(&profile["code"]), shaders, "{:#}", profile["code"]);
    let code = &profile["code"][0];
    assert_eq!(code["name"], "compute main (heavy.wgsl)");
    assert!(code["bytes"].as_u64() > Some(100) && code["spills"].is_u64(), "{code:#}");

    let page = folder.read("p.html");
    assert!(page.contains("\"flame\":{") && !page.contains("/*DATA*/"), "the page has its data");
    let trace: serde_json::Value = serde_json::from_str(&folder.read("t.json")).expect("JSON");
    let events = trace["traceEvents"].as_array().expect("events");
    let dispatch = events.iter().find(|event| event["ph"] == "X").expect("a slice");
    assert_eq!(dispatch["name"], format!("dispatch {WORKGROUPS} × 1 × 1"));
    assert!((dispatch["dur"].as_f64().expect("µs") * 1e3 - wall as f64).abs() < 1e3);
}

/// The share of generated code in user time that `perf` sees in a run; none where it cannot sample here.
fn share_by_perf(folder: &Folder, workgroups: u64) -> Option<f64> {
    let perf = |arguments: &[&str]| {
        let mut command = Command::new("perf");
        command.current_dir(&folder.0).args(arguments).env("PYROCLAST_PERF", "1");
        command
    };
    let run = [env!("CARGO_BIN_EXE_pyroclast"), "run", "heavy.wgsl"];
    let recorded = perf(&["record", "-e", "cpu-clock:u", "-F", "997", "-o", "perf.data"])
        .args(run)
        .args([format!("--groups={workgroups}"), format!("--buffer=0.0=zero:{}", 256 * workgroups)])
        .output();
    if !recorded.is_ok_and(|output| output.status.success()) {
        return None;
    }
    let report = perf(&["report", "-i", "perf.data", "--stdio", "--sort", "symbol"]).output().ok()?;
    let text = String::from_utf8_lossy(&report.stdout).into_owned();
    let percent = |line: &str| line.trim().split_once('%')?.0.parse::<f64>().ok();
    let of_code = text.lines().filter(|line| line.contains("pyroclast:"));
    Some(of_code.filter_map(percent).sum::<f64>() / 100.0)
}

/// Of a run of some length all but 2 % of the time is attributed, and the share of shaders is that of `perf`
/// within 10 %. The two are of different runs, so beside other work one run of several has to do.
#[test]
fn the_profile_is_as_accurate_as_perf() {
    let folder = folder("accuracy");
    let workgroups = WORKGROUPS;
    let mut tries = 5;
    loop {
        tries -= 1;
        let profile = json(&on_run(&folder, &["profile", "--json"], workgroups));
        let cpu = profile["cpuNs"].as_u64().expect("a number");
        let activity = |name: &str| row(&profile["activities"], name) as f64 / cpu as f64;
        let (missing, shaders) = (activity("not sampled"), activity("shaders"));
        let activities = &profile["activities"];
        println!("a run of {:.2} s: {:.2} % not sampled", cpu as f64 / 1e9, 100.0 * missing);
        let Some(by_perf) = share_by_perf(&folder, workgroups) else {
            assert!(missing < 0.02, "{activities:#}");
            skip!(Need::Package("linux-perf"));
        };
        println!("in shaders: {:.1} %, by perf {:.1} %", 100.0 * shaders, 100.0 * by_perf);
        if missing < 0.02 && (shaders - by_perf).abs() < 0.1 * by_perf {
            break;
        }
        assert!(tries > 0, "{missing} missing; {shaders}, by perf {by_perf}: {activities:#}");
    }
}

/// A call that the compiler has inlined is in the flame graph as others are.
#[test]
fn inlined_calls_are_in_the_flame_graph() {
    let folder = folder("inlined");
    let heavy = MODULE
        .replace("SOURCE", SOURCE)
        .replace("%more_or_none", "%sum")
        .replace("OpMemoryModel", "%glsl = OpExtInstImport \"GLSL.std.450\"\nOpMemoryModel")
        .replace("%i3 = OpConstant %int 3", "%i3 = OpConstant %int 3000")
        .replace(
            "%y = OpFAdd %float %weight %weight",
            "%both = OpFAdd %float %weight %sum\n%y = OpExtInst %float %glsl Sin %both",
        );
    std::fs::write(folder.path("inlined.spvasm"), heavy).expect("written");
    let output = Command::new(env!("CARGO_BIN_EXE_pyroclast"))
        .current_dir(&folder.0)
        .args(["profile", "--html", "p.html", "--", env!("CARGO_BIN_EXE_pyroclast"), "run", "inlined.spvasm"])
        .args(["--groups", "40000", "--buffer", "0.0=zero:640000"])
        .output()
        .expect("it starts");
    assert!(output.status.success(), "{output:?}");
    let page = folder.read("p.html");
    let data = page.split_once("const data = ").expect("data").1.split(";\n").next().expect("its end");
    let data: serde_json::Value = serde_json::from_str(data).expect("JSON");
    let mut frame = &data["flame"];
    let total = frame["ns"].as_u64().expect("a number");
    let name = |frame: &serde_json::Value| frame["name"].as_str().expect("a name").to_owned();
    let mut path = Vec::new();
    // Down the widest parts.
    while let Some(part) =
        frame["parts"].as_array().and_then(|parts| parts.iter().max_by_key(|part| part["ns"].as_u64()))
    {
        path.push(name(part));
        frame = part;
    }
    let at = path.iter().position(|name| name == "main").expect("main");
    assert_eq!(path[at + 1], "twice", "{path:?}");
    assert!(path[at + 2].ends_with(":5"), "{path:?}");
    assert!(frame["ns"].as_u64() > Some(total / 3), "{path:?}");
}

/// Chromium's arguments for pages of this machine, with no window.
fn chromium(folder: &Folder, arguments: &[&str]) -> Output {
    Command::new("chromium")
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--window-size=1000,900"])
        .arg(format!("--user-data-dir={}", folder.path("browser")))
        .args(arguments)
        .output()
        .expect("it starts")
}

/// The page in a browser: what its script makes, a part of the flame graph that is selected, and the picture.
#[test]
fn a_browser_shows_the_page() {
    if Command::new("chromium").arg("--version").output().is_err() {
        pyro_test_environment::skip!(pyro_test_environment::Need::Package("chromium"));
    }
    let folder = folder("profile-browser");
    let output = on_run(&folder, &["profile", "--json", "--html", "p.html"], WORKGROUPS);
    assert!(output.status.success(), "{output:?}");
    let page = folder.read("p.html");
    // Selects the loop's function, and leaves what is seen then as text.
    let select = "<pre id=seen></pre><script>
        const part = [...document.querySelectorAll('#flame div')].find(e => e.textContent === 'heavy');
        part.click();
        const names = [...document.querySelectorAll('#flame div')].map(e => `${e.textContent} ${e.style.width}`);
        document.getElementById('seen').textContent = 'seen: ' + names.join('; ');
        </script>";
    std::fs::write(folder.path("selected.html"), format!("{page}{select}")).expect("written");
    let address = |name: &str| format!("file://{}", folder.path(name));
    let shown = chromium(&folder, &["--dump-dom", &address("selected.html")]);
    let shown = String::from_utf8_lossy(&shown.stdout).into_owned();
    let seen = shown.split("seen: ").nth(1).and_then(|rest| rest.split("</pre>").next()).unwrap_or_default();
    assert!(seen.contains("heavy 100%") && seen.contains("shaders 100%"), "{shown}");
    assert!(!seen.contains("compiler"), "what is beside the part is not shown: {seen}");
    for part in ["shaders ", "sum = sin(sum) * 1.01 + cos(sum);", "heavy.wgsl:10", "dispatch 40000 × 1 × 1"]
    {
        assert!(shown.contains(part), "{part}: {shown}");
    }
    // The loop's line has the heat of most of the time.
    let picture = folder.path("p.png");
    chromium(&folder, &[&format!("--screenshot={}", picture), &address("p.html")]);
    let file = std::fs::File::open(picture).expect("a picture");
    let mut reader = png::Decoder::new(std::io::BufReader::new(file)).read_info().expect("a header");
    let mut pixels = vec![0; reader.output_buffer_size().expect("a size")];
    let info = reader.next_frame(&mut pixels).expect("pixels");
    assert_eq!((info.width, info.height), (1000, 900));
    let channels = info.line_size / info.width as usize;
    let is_hot = |pixel: &[u8]| pixel[0] > 240 && (130..180).contains(&pixel[1]) && pixel[2] < 140;
    let rows =
        pixels.chunks(info.line_size).map(|row| row.chunks(channels).filter(|one| is_hot(one)).count());
    let hot = rows.filter(|count| *count > 500).count();
    assert!((8..60).contains(&hot), "{hot} rows of pixels have the heat of the loop's line");
}

#[test]
fn counts_are_exact() {
    let folder = folder("profile-counts");
    let output = on_run(&folder, &["profile", "--json", "--counts"], 8);
    assert!(output.status.success(), "{output:?}");
    let profile = json(&output);
    let lines = profile["lines"].as_array().expect("rows");
    let counts = |line: u64| {
        let of = lines.iter().find(|row| row["line"] == line && !row["counts"].is_null());
        of.map(|row| row["counts"].clone()).unwrap_or_else(|| panic!("line {line}: {:#}", profile["lines"]))
    };
    assert_eq!(counts(4)["invocations"], 128);
    assert_eq!(counts(LOOP)["invocations"], 384 * 500);
    // Three of four lanes are in the loop.
    assert!((counts(LOOP)["active"].as_f64().expect("a share") - 0.75).abs() < 1e-9);
    assert_eq!((&counts(17)["active"], &counts(17)["readBytes"]), (&1.0.into(), &(4 * 512).into()));
    assert_eq!(counts(23)["writtenBytes"], 4 * 512);
    // Floats one behind the other: what a subgroup reads fills cache lines, or is a part of one.
    for line in [17, 23] {
        let [accesses, lines] =
            ["bufferAccesses", "cacheLines"].map(|key| counts(line)[key].as_u64().expect("a number"));
        assert!(accesses > 0 && 512 % accesses == 0, "line {line}: {accesses}");
        let bytes = 4 * 512 / accesses;
        assert_eq!(lines, accesses * bytes.div_ceil(64), "line {line}: {accesses}");
    }
}

#[test]
fn profiles_are_kept_and_shown_again() {
    let folder = folder("profile-save");
    let output = on_run(&folder, &["profile", "--save", "a.profile"], 8);
    assert!(output.status.success(), "{output:?}");
    let show = |file: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_pyroclast"));
        command.current_dir(&folder.0).args(["profile", file]).output().expect("it starts")
    };
    let again = show("a.profile");
    assert!(again.status.success());
    assert_eq!(output.stdout, again.stdout);
    assert!(String::from_utf8_lossy(&again.stdout).contains("what threads did"));
    // Profiles in a folder are added, as the farm keeps those of all processes.
    std::fs::create_dir(folder.path("all")).expect("a folder");
    for name in ["all/u0-0", "all/u1-0"] {
        std::fs::copy(folder.path("a.profile"), folder.path(name)).expect("copied");
    }
    let cpu = |file: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_pyroclast"));
        let output = command.current_dir(&folder.0).args(["profile", "--json", file]).output();
        json(&output.expect("it starts"))["cpuNs"].as_u64().expect("a number")
    };
    assert_eq!(cpu("all"), 2 * cpu("a.profile"));
    std::fs::create_dir(folder.path("none")).expect("a folder");
    assert!(String::from_utf8_lossy(&show("none").stderr).contains("none has no profile"));
    std::fs::write(folder.path("b.profile"), "nothing").expect("written");
    let bad = show("b.profile");
    assert_eq!(bad.status.code(), Some(125));
    assert!(String::from_utf8_lossy(&bad.stderr).contains("not a profile"), "{bad:?}");
    let none =
        Command::new(env!("CARGO_BIN_EXE_pyroclast")).args(["profile", "--", "true"]).output().expect("runs");
    assert!(String::from_utf8_lossy(&none.stderr).contains("made no Vulkan device"), "{none:?}");
}

/// Captures of further processes have their numbers behind the name that was asked for.
#[test]
fn captures_are_known_by_what_is_in_them() {
    let folder = folder("profile-capture");
    let output = on_run(&folder, &["capture", "-o", "run.pyro"], 8);
    assert!(output.status.success(), "{output:?}");
    std::fs::rename(folder.path("run.pyro"), folder.path("run.pyro.4321")).expect("renamed");
    let output = folder.run(&["profile", "--json", "run.pyro.4321"]);
    assert!(json(&output)["cpuNs"].as_u64().is_some_and(|time| time > 0), "{output:?}");
}

/// The records of a file that begin with this, without it.
fn records<'t>(text: &'t str, record: &str) -> Vec<&'t str> {
    text.lines().filter_map(|line| line.strip_prefix(record)?.strip_prefix(':')).collect()
}

#[test]
fn coverage_has_lines_branches_and_functions_of_all_processes() {
    let folder = folder("coverage");
    let output = on_run(&folder, &["coverage", "-o", "a.info"], 2);
    assert!(output.status.success(), "{output:?}");
    let text = folder.read("a.info");
    let lines = records(&text, "DA");
    for line in ["4,32", "10,48000", "17,128", "21,96"] {
        assert!(lines.contains(&line), "{line}: {text}");
    }
    let taken = records(&text, "BRDA");
    assert!(taken.contains(&"18,0,0,32") && taken.contains(&"18,0,1,96"), "{text}");
    assert!(records(&text, "FNDA").contains(&"96,heavy"), "{text}");
    let again = on_run(&folder, &["coverage", "-o", "a.info", "--append"], 2);
    assert!(again.status.success(), "{again:?}");
    let both = folder.read("a.info");
    assert!(records(&both, "DA").contains(&"4,64"), "{both}");
    assert!(String::from_utf8_lossy(&again.stdout).contains("100.0 %"), "{again:?}");
}

#[test]
fn lines_that_never_ran_are_not_covered() {
    let folder = folder("coverage-part");
    let shader = SHADER.replace("id.x % 4u == 0u", "id.x < 100000u");
    std::fs::write(folder.path("heavy.wgsl"), shader).expect("written");
    let output = on_run(&folder, &["coverage", "--fail-under", "90", "-o", "a.info"], 2);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let text = folder.read("a.info");
    let (lines, taken) = (records(&text, "DA"), records(&text, "BRDA"));
    assert!(lines.contains(&"10,0") && lines.contains(&"4,128"), "{text}");
    assert!(taken.contains(&"18,0,0,128") && taken.contains(&"18,0,1,0"), "{text}");
    assert!(taken.iter().any(|record| record.starts_with("9,0,") && record.ends_with(",-")), "{text}");
    assert!(records(&text, "FNDA").contains(&"0,heavy"), "{text}");
}

/// Where genhtml is installed, it reads the file.
#[test]
fn genhtml_reads_coverage() {
    if Command::new("genhtml").arg("--version").output().is_err() {
        pyro_test_environment::skip!(pyro_test_environment::Need::Package("lcov"));
    }
    let folder = folder("coverage-html");
    assert!(on_run(&folder, &["coverage", "-o", "a.info"], 2).status.success());
    let mut command = Command::new("genhtml");
    let output = command.current_dir(&folder.0).args(["--branch-coverage", "-o", "html", "a.info"]).output();
    let output = output.expect("it starts");
    assert!(output.status.success(), "{output:?}");
    assert!(Path::new(&folder.path("html/index.html")).exists());
}
