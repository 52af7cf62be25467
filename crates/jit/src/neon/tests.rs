//! Every row of the table against two independent disassemblers: `yaxpeax-arm`, and binutils' objdump for
//! AArch64 where there is one.

use super::op::{Encoded, Form, Op, TABLE, Variants};
use pyro_random::Random;
use std::process::Command;

const CONDITIONS: [&str; 14] =
    ["eq", "ne", "cs", "cc", "mi", "pl", "vs", "vc", "hi", "ls", "ge", "lt", "gt", "le"];

/// An instruction and what it should be called.
struct Case {
    word: u32,
    text: String,
}

fn arrangement(bits: u32, register_bits: u32) -> String {
    let letter = ["b", "h", "s", "d"][bits.trailing_zeros() as usize - 3];
    format!("{}{letter}", register_bits / bits)
}

/// A random variant of a row.
#[allow(clippy::too_many_lines)] // a row for each placeholder
fn case(name: &str, op: &Op, random: &mut Random) -> Case {
    let below = |random: &mut Random, end: u32| random.below(end as usize) as u32;
    let bits = match op.variants {
        Variants::Words => [8, 16, 32][random.below(3)],
        Variants::Floats | Variants::General | Variants::Fields => [32, 64][random.below(2)],
        _ => [8, 16, 32, 64][random.below(4)],
    };
    // Widening shifts have no widest form.
    let bits = if op.text.contains("{L}") && bits == 64 { 32 } else { bits };
    let bits = if name == "UMOV" && bits == 64 { 32 } else { bits };
    let bits = if op.text.contains("movk") || op.text.contains("{G}") { bits.max(16) } else { bits };
    let mut number = 0i64;
    let mut condition = "";
    let encoded: Encoded = match (op.variants, op.imm) {
        (Variants::Left, _) => {
            number = below(random, bits).into();
            op.shift(bits, number as u32)
        }
        (Variants::Right, _) => {
            number = i64::from(1 + below(random, bits));
            op.shift(bits, number as u32)
        }
        (Variants::Lane | Variants::MemoryLane, _) => {
            let whole = name.starts_with("DUP_GENERAL");
            number = if whole { 0 } else { below(random, 128 / bits).into() };
            op.lane(bits, number as u32)
        }
        (Variants::Fields, _) => {
            number = i64::from(1 + below(random, bits - 2));
            op.of(bits).bits(16, number as u32).bits(10, bits - 1)
        }
        (_, Some(_)) if op.text.contains("C}") => {
            let index = random.below(14);
            let negated = op.text.contains("{!C}");
            condition = CONDITIONS[if negated { index ^ 1 } else { index }];
            op.imm(bits, index as i32)
        }
        (_, Some(imm)) => {
            let end = 1 << (imm.bits - u32::from(imm.signed));
            let value = 1 + below(random, end - 1) as i32;
            let value = if imm.signed && random.below(2) == 0 { -value } else { value };
            let memory = op.text.contains('[') && !imm.signed;
            let pair = op.text.contains("p q");
            let unit = match () {
                () if pair || (memory && op.text.contains(" q{d}")) => 16,
                () if memory => bits as i32 / 8,
                () => 1,
            };
            number = i64::from(value) * i64::from(unit);
            op.imm(bits, value)
        }
        _ => op.of(bits),
    };
    let mut registers: Vec<u8> = op.form.fields().iter().map(|_| random.below(28) as u8).collect();
    if matches!(name, "MOV_GENERAL" | "ORR") && registers.len() == 3 {
        registers[2] = registers[1] ^ 1;
    }
    let field = |at: u32| op.form.fields().iter().position(|&field| field == at).map(|slot| registers[slot]);
    let register = |at| field(at).unwrap_or(0).to_string();
    let wide = bits == 64;
    let twice = arrangement((2 * bits).min(64), 128);
    let log = bits.trailing_zeros() as usize - 3;
    let mut text = op.text.to_owned();
    for next in 1..4 {
        text = text.replace(&format!("{{d+{next}}}"), &(field(0).unwrap_or(0) + next).to_string());
    }
    for (key, value) in [
        ("{d}", register(0)),
        ("{n}", register(5)),
        ("{m}", register(16)),
        ("{a}", register(10)),
        ("{T}", arrangement(bits, 128)),
        ("{L}", twice),
        ("{H}", arrangement(bits.min(32), 64)),
        ("{E}", ["b", "h", "s", "d"][log].to_owned()),
        ("{V}", ["b", "h", "s", "d"][log].to_owned()),
        ("{G}", if wide { "x" } else { "w" }.to_owned()),
        ("{R}", if wide { "x" } else { "w" }.to_owned()),
        ("{M}", if wide { "x" } else { "w" }.to_owned()),
        ("{w}", ["b", "h", "", ""][log].to_owned()),
        ("{i}", number.to_string()),
        ("{C}", condition.to_owned()),
        ("{!C}", condition.to_owned()),
    ] {
        text = text.replace(key, &value);
    }
    Case { word: encoded.with(&registers), text }
}

/// The text in a form that does not depend on who wrote it.
fn normal(text: &str) -> String {
    let text = text.split("//").next().unwrap_or(text).trim().to_lowercase();
    // Targets of jumps are addresses.
    let jump = text.starts_with('b') && !text.starts_with("bi") && !text.starts_with("bs");
    let cut = jump && !text.starts_with("blr") && !text.starts_with("brk");
    let cut = cut
        || text.starts_with("cb")
        || text.starts_with("adr")
        || text.contains("ldr") && !text.contains('[');
    let text = if cut {
        text.rsplit_once([' ', '\t']).map_or(text.clone(), |(head, _)| head.to_owned())
    } else {
        text
    };
    let mut out = String::new();
    let mut rest = text.replace(['#', ' ', '\t'], "");
    while let Some(start) = rest.find("0x") {
        let end =
            rest[start + 2..].find(|c: char| !c.is_ascii_hexdigit()).map_or(rest.len(), |at| start + 2 + at);
        let value = i64::from_str_radix(&rest[start + 2..end], 16).expect("a number");
        out.push_str(&rest[..start]);
        out.push_str(&value.to_string());
        rest = rest[end..].to_owned();
    }
    out.push_str(&rest);
    for (one, other) in [("umov", "mov"), ("ins", "mov"), ("mvn", "not"), ("-{", "-{")] {
        if let Some(operands) = out.strip_prefix(one) {
            out = format!("{other}{operands}");
        }
    }
    // Names that mean the same.
    for (one, other) in [("b.cs", "b.hs"), ("b.cc", "b.lo")] {
        out = out.replace(one, other);
    }
    if out.starts_with("cs") {
        out = out.replace(",cs", ",hs").replace(",cc", ",lo");
    }
    if let (Some(rest), true) = (out.strip_prefix("dup"), out.contains('[')) {
        out = format!("mov{rest}");
    }
    for (one, other) in [("sshll", "sxtl"), ("ushll", "uxtl")] {
        if let Some(rest) = out.strip_prefix(one).and_then(|rest| rest.strip_suffix(",0")) {
            out = format!("{other}{rest}");
        }
    }
    // A list of two, three or four registers may be written as a range.
    if let (Some(open), Some(close)) = (out.find('{'), out.find('}')) {
        let list = out[open + 1..close].to_owned();
        let first = list.split([',', '-']).next().unwrap_or(&list).to_owned();
        out.replace_range(open + 1..close, &first);
    }
    out
}

fn cases() -> Vec<Case> {
    let mut random = Random::new(1);
    let rows = TABLE.iter().filter(|(name, _)| !matches!(*name, "MOVN"));
    rows.flat_map(|(name, op)| (0..40).map(|_| case(name, op, &mut random)).collect::<Vec<_>>()).collect()
}

fn compare(cases: &[Case], found: impl Fn(usize) -> String) {
    let mut differences = Vec::new();
    for (index, case) in cases.iter().enumerate() {
        let found = found(index);
        if normal(&case.text) != normal(&found) {
            differences.push(format!("{:08x}: {} | {found}", case.word, case.text));
        }
    }
    let count = differences.len();
    differences.dedup_by_key(|text| text.split(' ').nth(1).map(str::to_owned));
    differences.truncate(60);
    assert!(count == 0, "{count} of {} differ:\n{}", cases.len(), differences.join("\n"));
}

#[test]
fn yaxpeax_agrees() {
    let cases = cases();
    compare(&cases, |index| {
        let found = super::disassemble_one(&cases[index].word.to_le_bytes());
        // It leaves out how the register of a sum is extended where that is the rule.
        let leaves_out = cases[index].text.ends_with("uxtw") && !found.contains("uxt");
        if leaves_out { format!("{found}, uxtw") } else { found }
    });
}

#[test]
fn objdump_agrees() {
    let cases = cases();
    let bytes: Vec<u8> = cases.iter().flat_map(|case| case.word.to_le_bytes()).collect();
    let path = std::env::temp_dir().join(format!("pyro-jit-arm-encodings-{}", std::process::id()));
    std::fs::write(&path, bytes).expect("a temporary file");
    let arguments = ["-D", "-z", "-b", "binary", "-m", "aarch64", "--no-show-raw-insn"];
    let output = Command::new("aarch64-linux-gnu-objdump").args(arguments).arg(&path).output();
    std::fs::remove_file(&path).expect("is there");
    let Ok(output) = output else {
        pyro_test_environment::skip!(pyro_test_environment::Need::Package(
            "objdump of binutils-aarch64-linux-gnu"
        ));
    };
    let listing = String::from_utf8(output.stdout).expect("is text");
    let lines: Vec<&str> = listing.lines().filter_map(|line| Some(line.split_once(":\t")?.1)).collect();
    assert_eq!(lines.len(), cases.len());
    compare(&cases, |index| lines[index].to_owned());
}

#[test]
fn fields_of_registers_do_not_meet_the_word() {
    for (name, op) in TABLE {
        for &at in op.form.fields() {
            assert_eq!(op.word >> at & 31, 0, "{name}");
        }
        assert!(!op.form.is_tied() || op.form != Form::DN, "{name}");
    }
}

/// What rewriting for other processors reads from an instruction is what it was made of.
#[test]
fn variants_are_read_back() {
    for (_, op) in TABLE {
        let sizes = [8u32, 16, 32, 64];
        match op.variants {
            Variants::Left => sizes.map(|bits| {
                (0..bits).for_each(|count| assert_eq!(op.shift(bits, count).variant(), (bits, count)));
            }),
            Variants::Right => sizes.map(|bits| {
                (1..=bits).for_each(|count| assert_eq!(op.shift(bits, count).variant(), (bits, count)));
            }),
            Variants::Lane if op.word & 0x1f_0000 == 0 => sizes.map(|bits| {
                (0..128 / bits).for_each(|lane| assert_eq!(op.lane(bits, lane).variant(), (bits, lane)));
            }),
            Variants::Ints => sizes.map(|bits| assert_eq!(op.of(bits).variant(), (bits, 0))),
            Variants::Floats => {
                sizes.map(|bits| assert_eq!(op.of(bits.max(32)).variant(), (bits.max(32), 0)))
            }
            _ => continue,
        };
    }
}
