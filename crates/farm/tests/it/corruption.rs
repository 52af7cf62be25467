//! Damaged, missing, forged and foreign results are refused by name.

use crate::house::{House, damage};
use std::fs;
use std::os::unix::fs::PermissionsExt;

fn frames(house: &House) {
    house.write(
        "job.toml",
        "name = \"frames\"\n[[units]]\nname = \"frames\"\nkind = \"frames\"\nprogram = \"./writer\"\n\
         arguments = [\"{frame}\", \"{output}/{frame}.txt\"]\ncount = 6\noutputs = [\"{frame}.txt\"]\n",
    );
}

fn key(house: &House, name: &str, byte: &str) {
    house.write(name, &byte.repeat(32));
    fs::set_permissions(house.path(name), fs::Permissions::from_mode(0o600)).expect("a mode");
}

const MERGE: [&str; 4] = ["merge", "job.toml", "--out", "out"];

#[test]
fn damaged_records_and_files_are_named_and_run_again() {
    let house = House::new("damage");
    frames(&house);
    house.expect(0, &["shard", "0/1", "job.toml", "--out", "out"]);
    house.expect(0, &MERGE);
    // Each byte of a record counts.
    let record = house.find("out", "records/u0000002");
    let bytes = fs::read(&record).expect("a record");
    for at in (0..bytes.len()).step_by(23) {
        damage(&record, at);
        let error = house.refuse(&MERGE);
        assert!(error.contains("unit u0000002 (frames: frame-2): its record is refused"), "{at}: {error}");
        fs::write(&record, &bytes).expect("the record again");
    }
    // A file of a frame.
    let digest = blake3::hash(b"contents of 4\n").to_hex();
    let blob = house.find("out", &format!("{}/{}", &digest[..2], &digest[2..]));
    damage(&blob, 3);
    let error = house.refuse(&MERGE);
    assert!(error.contains("unit u0000004 (frames: frame-4): its file 4.txt is refused"), "{error}");
    assert!(error.contains("damaged"), "{error}");
    damage(&record, 100);
    fs::remove_file(house.find("out", "records/u0000005")).expect("a record");
    let error = house.refuse(&[&MERGE[..], &["--into", "into", "--discard"]].concat());
    assert!(error.contains("u0000002") && error.contains("u0000005"), "{error}");
    assert!(!house.path("into/results.json").exists());
    let error = house.refuse(&[&MERGE[..], &["--discard"]].concat());
    assert!(error.contains("u0000002 (frames: frame-2): it has no record"), "{error}");
    house.expect(0, &["shard", "0/1", "job.toml", "--out", "out"]);
    let error = house.refuse(&[&MERGE[..], &["--discard"]].concat());
    assert!(error.contains("its file 4.txt is refused"), "{error}");
    let again = house.expect(0, &["shard", "0/1", "job.toml", "--out", "out"]);
    assert!(again.contains(" 1 of 6 units run here"), "{again}");
    house.expect(0, &MERGE);
}

/// The record of another unit, or of another job, does not serve.
#[test]
fn exchanged_records_are_refused() {
    let house = House::new("exchange");
    frames(&house);
    house.expect(0, &["shard", "0/1", "job.toml", "--out", "out"]);
    let [one, other] = ["u0000000", "u0000001"].map(|unit| house.find("out", &format!("records/{unit}")));
    fs::copy(&other, &one).expect("a copy");
    let error = house.refuse(&MERGE);
    assert!(
        error.contains("unit u0000000") && error.contains("it is the record of frames u0000001"),
        "{error}"
    );
}

#[test]
fn forged_records_and_plans_are_refused() {
    let house = House::new("forge");
    frames(&house);
    key(&house, "key", "k");
    key(&house, "other", "o");
    let keyed = |out: &'static str, key: &'static str| ["job.toml", "--out", out, "--key-file", key];
    house.expect(0, &[&["shard", "0/1"][..], &keyed("out", "key")].concat());
    house.expect(0, &[&["merge"][..], &keyed("out", "key")].concat());
    // Somebody without the key writes records of a run of their own.
    house.expect(0, &[&["shard", "0/1"][..], &keyed("forged", "other")].concat());
    house.expect(0, &["shard", "0/1", "job.toml", "--out", "plain"]);
    let record = house.find("out", "records/u0000003");
    let own = fs::read(&record).expect("a record");
    for (out, why) in [("forged", "forged, or of another key"), ("plain", "not authenticated with the key")] {
        fs::copy(house.find(out, "records/u0000003"), &record).expect("a copy");
        let error = house.refuse(&[&["merge"][..], &keyed("out", "key")].concat());
        assert!(error.contains("unit u0000003") && error.contains(why), "{error}");
    }
    fs::write(&record, own).expect("the record again");
    // Without the key nothing of a keyed store is believed.
    let error = house.refuse(&MERGE);
    assert!(error.contains("/plan") && error.contains("no key is given"), "{error}");
    let plan = house.find("out", "/plan");
    fs::copy(house.find("plain", "/plan"), &plan).expect("a copy");
    let error = house.refuse(&[&["shard", "0/1"][..], &keyed("out", "key")].concat());
    assert!(error.contains("/plan") && error.contains("not authenticated"), "{error}");
}

#[test]
fn key_files_that_others_may_read_are_refused() {
    let house = House::new("key");
    frames(&house);
    key(&house, "key", "k");
    let line = ["shard", "0/1", "job.toml", "--out", "out", "--key-file", "key"];
    fs::set_permissions(house.path("key"), fs::Permissions::from_mode(0o644)).expect("a mode");
    assert!(house.refuse(&line).contains("only its owner can read"));
    house.write("key", "short");
    fs::set_permissions(house.path("key"), fs::Permissions::from_mode(0o600)).expect("a mode");
    assert!(house.refuse(&line).contains("5 bytes"));
    assert!(!house.path("out").exists(), "nothing was written");
}

/// A job whose program has changed is another job; merging says what differs.
#[test]
fn changed_inputs_are_named() {
    let house = House::new("inputs");
    frames(&house);
    house.expect(0, &["shard", "0/1", "job.toml", "--out", "out"]);
    house.program("writer", "#!/bin/sh\necho other > \"$2\"\n");
    let error = house.refuse(&MERGE);
    assert!(error.contains("which differs in: frames: program ./writer"), "{error}");
}

/// Unfinished writes of killed workers are no objects.
#[test]
fn unfinished_objects_are_ignored() {
    let house = House::new("unfinished");
    frames(&house);
    house.expect(0, &["shard", "0/2", "job.toml", "--out", "out"]);
    let record = house.find("out", "records/u0000000");
    // As the store names files that it writes.
    fs::write(record.with_file_name("u0000001#1"), "half").expect("a file");
    house.expect(0, &["shard", "1/2", "job.toml", "--out", "out"]);
    house.expect(0, &MERGE);
}
