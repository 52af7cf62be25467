//! Files: what is written is read, and whatever else is refused.

use pyro_capture::file::{Capture, ReadError, VERSION, Writer};
use pyro_capture::record::{Call, Note, Record, digest};
use std::io::Cursor;

fn records() -> Vec<Record<'static>> {
    vec![
        Record::Text("program", "test"),
        Record::Call(Call { command: 3, thread: 1, result: u64::MAX, parameters: b"parameters" }),
        Record::Note(Note::MemoryAddress(5, 0x2000_0000_0000)),
        Record::Write { memory: 5, offset: 64, bytes: &[7; 5000] },
        Record::Note(Note::Idle),
        Record::Seen { memory: 5, offset: 0, size: 16, digest: digest(b"bytes") },
        Record::Presented { swapchain: 8, image: 2, digest: digest(b"") },
        Record::Groups { pipeline: 9, handles: &[1; 64] },
        Record::Reload { digest: 7, words: &[3, 2, 35, 7] },
        Record::Host(&[3; 9]),
    ]
}

fn written(records: &[Record<'_>]) -> Vec<u8> {
    let mut writer = Writer::new(Vec::new()).expect("a vector");
    for record in records {
        writer.append(record).expect("a vector");
    }
    writer.finish().expect("a vector")
}

#[test]
fn records_are_read_as_written() {
    let file = written(&records());
    assert!(file.len() < 1000, "{} bytes: contents are compressed", file.len());
    let capture = Capture::read(&file[..]).expect("a capture");
    assert_eq!(capture.records().collect::<Vec<_>>(), records());
    let summary = capture.summary.expect("complete");
    assert_eq!((summary.records, summary.calls, summary.memory_bytes), (10, 1, 5000));
}

#[test]
fn a_capture_goes_on_behind_a_checkpoint() {
    let mut writer = Writer::new(Cursor::new(Vec::new())).expect("a vector");
    writer.append(&records()[0]).expect("a vector");
    writer.checkpoint().expect("a vector");
    writer.append(&records()[1]).expect("a vector");
    writer.checkpoint().expect("a vector");
    let file = writer.finish().expect("a vector").into_inner();
    let capture = Capture::read(&file[..]).expect("a capture");
    assert_eq!(capture.records().collect::<Vec<_>>(), records()[..2]);
    assert_eq!(capture.summary.map(|summary| summary.records), Some(2));
}

#[test]
fn every_cut_is_noticed() {
    let file = written(&records());
    for end in 0..file.len() {
        match Capture::read(&file[..end]) {
            Ok(capture) => assert!(capture.summary.is_none(), "{end} bytes of {}", file.len()),
            Err(ReadError::Magic | ReadError::Truncated(_)) => {}
            Err(error) => panic!("{end} bytes: {error}"),
        }
    }
}

#[test]
fn every_changed_byte_is_noticed() {
    let file = written(&records());
    for at in (0..file.len()).filter(|at| !(12..16).contains(at)) {
        let mut file = file.clone();
        file[at] ^= 1;
        let read = Capture::read(&file[..]);
        assert!(read.is_err(), "byte {at} of {}", file.len());
    }
}

#[test]
fn other_versions_are_told_apart() {
    let mut file = written(&[]);
    file[8] = VERSION as u8 + 1;
    assert!(matches!(Capture::read(&file[..]), Err(ReadError::Version(_))));
    let mut file = written(&[]);
    file[16] ^= 1;
    assert!(matches!(Capture::read(&file[..]), Err(ReadError::Tables(_))));
}
