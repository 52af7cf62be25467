//! The capture's file: records go to a thread that compresses and writes them.
#![allow(unsafe_code)] // the process's end, the driver's own library

use super::gate::Gate;
use super::memory::Patch;
use pyro_capture::file::{Summary, Writer};
use pyro_capture::record::{self, Record};
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

/// Pieces that wait to be written, at most: who records faster than the disk writes waits.
const PIECES_MAX: usize = 16;
/// Bytes of records that are handed over at once.
const PIECE_BYTES: usize = 1 << 20;
/// Bytes from which a submission hands over what there is.
const SUBMISSION_BYTES: usize = 64 << 10;

enum Message {
    Records(Vec<u8>, Summary),
    /// Make the file complete, then answer.
    Checkpoint(SyncSender<()>),
    /// Answer when all that was handed over before is in the file.
    Flush(SyncSender<()>),
}

/// Where records go.
pub(super) struct Output {
    piece: Vec<u8>,
    counts: Summary,
    to: SyncSender<Message>,
    /// Pieces that were written, for others.
    spare: Receiver<Vec<u8>>,
    /// Where the process waits behind each submission.
    gate: Option<Gate>,
}

/// The file: `path`, or if it exists, which another process of the program made, with this one's number.
fn create(path: &Path) -> std::io::Result<(File, PathBuf)> {
    match File::create_new(path) {
        Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {
            let mut name = path.as_os_str().to_owned();
            name.push(format!(".{}", std::process::id()));
            let path = PathBuf::from(name);
            Ok((File::create(&path)?, path))
        }
        file => Ok((file?, path.to_owned())),
    }
}

fn serve(mut writer: Writer<File>, from: &Receiver<Message>, spare: &SyncSender<Vec<u8>>) {
    let mut is_good = true;
    for message in from {
        let written = match message {
            Message::Records(mut records, counts) if is_good => {
                let written = writer.append_encoded(&records, counts);
                records.clear();
                // One that nobody waits for is given back to the system.
                let _ = spare.try_send(records);
                written
            }
            Message::Records(..) => Ok(()),
            Message::Flush(answer) => {
                let _ = answer.send(());
                Ok(())
            }
            Message::Checkpoint(answer) => {
                let written = if is_good { writer.checkpoint() } else { Ok(()) };
                let _ = answer.send(());
                written
            }
        };
        if let Err(error) = written {
            pyro_driver::report::to_stderr(&format!("the capture ends here: {error}"));
            is_good = false;
        }
    }
}

impl Output {
    /// Opens the file and starts the thread; none where there can be no file.
    pub(super) fn open(path: &Path) -> Option<Output> {
        let opened = create(path).and_then(|(file, path)| Ok((Writer::new(file)?, path)));
        let (writer, own_path) = match opened {
            Ok(opened) => opened,
            Err(error) => {
                pyro_driver::report::to_stderr(&format!("no capture in {}: {error}", path.display()));
                return None;
            }
        };
        // Loaders unload drivers with the last instance; the capture goes on with the next.
        pyro_codemem::keep_loaded(at_exit as *const ());
        let (to, from) = sync_channel(PIECES_MAX);
        let builder = std::thread::Builder::new().name("pyro-capture".to_owned());
        let (to_spare, spare) = sync_channel(PIECES_MAX);
        builder.spawn(move || serve(writer, &from, &to_spare)).ok()?;
        // On Windows other threads are gone when functions of libraries are called at the process's end, so
        // that only what was submitted is in the file.
        #[cfg(unix)]
        // SAFETY: the library stays loaded, so the function does.
        unsafe {
            libc::atexit(at_exit)
        };
        // Other processes of the program have files of their own, which nobody follows.
        let gate = if own_path == path { Gate::open() } else { None };
        Some(Output { piece: Vec::new(), counts: Summary::default(), to, spare, gate })
    }

    pub(super) fn append(&mut self, record: &Record<'_>) {
        self.counts.records += 1;
        match record {
            Record::Call(_) => self.counts.calls += 1,
            Record::Write { bytes, .. } => self.counts.memory_bytes += bytes.len() as u64,
            _ => {}
        }
        record::append(record, &mut self.piece);
        if self.piece.len() >= PIECE_BYTES {
            self.hand_over();
        }
    }

    fn hand_over(&mut self) {
        let next = self.spare.try_recv().unwrap_or_default();
        let piece = std::mem::replace(&mut self.piece, next);
        let counts = std::mem::take(&mut self.counts);
        let _ = self.to.send(Message::Records(piece, counts));
    }

    /// A submission was recorded: a program that crashes later leaves it in the file. With a gate, all of it
    /// is in the file, and the process waits until it may go on; what is to be written into memory then.
    pub(super) fn end_submission(&mut self) -> Vec<Patch> {
        if self.gate.is_some() {
            self.hand_over();
            self.ask(Message::Flush);
            let Some(mut gate) = self.gate.take() else { return Vec::new() };
            let patches = gate.pass(&mut |digest, words| {
                let count = crate::reload_module(digest, words)?;
                let words: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
                self.append(&Record::Reload { digest, words: &words });
                Ok(count)
            });
            self.gate = patches.is_some().then_some(gate);
            return patches.unwrap_or_default();
        }
        if self.piece.len() >= SUBMISSION_BYTES {
            self.hand_over();
        }
        Vec::new()
    }

    /// The last instance is gone: makes the file complete. Who follows it at the gate reads what comes behind
    /// it, which would take the place of its end.
    pub(super) fn end_instances(&mut self) {
        if self.gate.is_none() {
            self.checkpoint();
        }
    }

    /// Makes the file complete, and waits for that.
    pub(super) fn checkpoint(&mut self) {
        self.hand_over();
        self.ask(Message::Checkpoint);
    }

    fn ask(&self, message: impl FnOnce(SyncSender<()>) -> Message) {
        let (answer, done) = sync_channel(1);
        if self.to.send(message(answer)).is_ok() {
            let _ = done.recv();
        }
    }
}

/// Completes the capture when the process ends without having destroyed its instance.
extern "C" fn at_exit() {
    super::recorder::at_exit();
}
