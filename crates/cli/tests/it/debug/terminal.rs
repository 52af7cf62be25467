//! A session by a script.

use super::{Folder, capture, script, text};

#[test]
fn a_script_debugs() {
    let folder = Folder::new("script");
    let file = capture(&folder.0);
    let commands = "\
# comments are no commands
break fine.wgsl:17
log fine.wgsl:25 result is {result}
run
print item
next

locals
where
step 2
lanes item.count
watch data[2]
continue
print data[2]
back
reverse
set item.count = 1
continue
breakpoints
delete
nonsense
quit
sources
";
    let output = script(&file, &["--target", "local 2 0 0"], commands);
    let printed = text(&output.stdout);
    for part in [
        "breakpoint 1 at fine.wgsl:17 (line 17)",
        "breakpoint 1, compute workgroup (0, 0, 0) local (2, 0, 0), main at fine.wgsl:17",
        "   17      var both = vec2<f32>(item.weight, 1.0);",
        "item = {weight = 3.0, count = 3}",
        "main at fine.wgsl:19",
        "vec2 both = (3.0, 1.0)",
        "#0 main at fine.wgsl:19",
        "result is 72.0",
        "written: breakpoint 3",
        "data[2] = 73.0",
        "error: there is no command \"nonsense\"",
    ] {
        assert!(printed.contains(part), "{part}:\n{printed}");
    }
    // The prompt is for people, and nothing runs behind `quit`.
    assert!(!printed.contains("(pyroclast)"));
    assert!(!printed.contains(".spvasm"));
    assert_eq!(output.status.code(), Some(1), "a command failed");
    assert!(!printed.contains("are not those of the capture"), "{printed}");
}
