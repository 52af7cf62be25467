//! The container: a header, then blocks of records, each compressed and with a digest.
//! `docs/capture-format.md` describes it.
//!
//! A block is complete or absent: a program that is killed leaves a file whose blocks up to some call can be
//! read, but without the last block, which a complete file ends with. Nothing is believed before its digest
//! is checked, and no more memory is taken than the file has bytes to fill.

use crate::record::{self, DIGEST_BYTES, Digest, Record};
use crate::schema;
use std::io::{self, Read, Seek, SeekFrom, Write};
use thiserror::Error;

/// What files begin with.
const MAGIC: [u8; 8] = *b"PYROCAPT";
/// The version of the container and of the records.
pub const VERSION: u32 = 1;
/// Bytes of records after which a block is written.
pub const BLOCK_BYTES: usize = 1 << 20;
/// Bytes of records in a block at most.
const RAW_BYTES_MAX: usize = 1 << 30;
/// Bytes that one byte of LZ4 becomes at most.
const EXPANSION_MAX: usize = 255;

/// Types of blocks.
const RECORDS: u32 = 1;
const END: u32 = 2;

/// Why a file cannot be read.
#[derive(Debug, Error)]
pub enum ReadError {
    /// The system says so.
    #[error("cannot read the capture: {0}")]
    Io(#[from] io::Error),
    /// Another kind of file.
    #[error("not a capture: the file does not begin with PYROCAPT")]
    Magic,
    /// Another version of the format.
    #[error("the capture has version {0} of the format, this program reads version {VERSION}")]
    Version(u32),
    /// Calls are encoded by other tables.
    #[error("the capture was made by another version of the driver: its tables of commands differ ({0:#x})")]
    Tables(u64),
    /// The file ends inside a block.
    #[error("the capture ends inside block {0}")]
    Truncated(u64),
    /// The bytes of a block are not those that were written.
    #[error("block {0} of the capture is damaged: {1}")]
    Damaged(u64, &'static str),
    /// A record is not one.
    #[error("a record of the capture {0}")]
    Record(&'static str),
}

/// What the last block says of the whole.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// Records.
    pub records: u64,
    /// Calls.
    pub calls: u64,
    /// Bytes of contents of memory, before compression.
    pub memory_bytes: u64,
}

/// Writes a capture.
pub struct Writer<W: Write> {
    to: W,
    block: Vec<u8>,
    compressed: Vec<u8>,
    number: u64,
    summary: Summary,
}

/// The digest of a block: of its number, its header and what is stored.
fn block_digest(number: u64, header: &[u8], stored: &[u8]) -> Digest {
    let mut hasher = blake3::Hasher::new();
    hasher.update(&number.to_le_bytes()).update(header).update(stored);
    hasher.finalize().as_bytes().first_chunk().copied().unwrap_or_default()
}

impl<W: Write> Writer<W> {
    /// Writes the header.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn new(mut to: W) -> io::Result<Writer<W>> {
        to.write_all(&MAGIC)?;
        to.write_all(&VERSION.to_le_bytes())?;
        to.write_all(&0_u32.to_le_bytes())?;
        to.write_all(&schema::FINGERPRINT.to_le_bytes())?;
        Ok(Writer { to, block: Vec::new(), compressed: Vec::new(), number: 0, summary: Summary::default() })
    }

    /// Appends a record; it reaches the file with its block.
    ///
    /// # Errors
    /// When a block cannot be written.
    pub fn append(&mut self, record: &Record<'_>) -> io::Result<()> {
        self.summary.records += 1;
        match record {
            Record::Call(_) => self.summary.calls += 1,
            Record::Write { bytes, .. } => self.summary.memory_bytes += bytes.len() as u64,
            _ => {}
        }
        record::append(record, &mut self.block);
        if self.block.len() >= BLOCK_BYTES { self.flush() } else { Ok(()) }
    }

    /// Appends records that [`record::append`] made, and counts of what they are.
    ///
    /// # Errors
    /// When they cannot be written.
    pub fn append_encoded(&mut self, records: &[u8], counts: Summary) -> io::Result<()> {
        self.summary.records += counts.records;
        self.summary.calls += counts.calls;
        self.summary.memory_bytes += counts.memory_bytes;
        self.flush()?;
        if records.is_empty() {
            return Ok(());
        }
        self.write_block(RECORDS, records)?;
        self.to.flush()
    }

    /// Writes the records so far as a block.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn flush(&mut self) -> io::Result<()> {
        if self.block.is_empty() {
            return Ok(());
        }
        let block = std::mem::take(&mut self.block);
        self.write_block(RECORDS, &block)?;
        self.block = block;
        self.block.clear();
        self.to.flush()
    }

    fn write_block(&mut self, kind: u32, raw: &[u8]) -> io::Result<()> {
        self.compressed.resize(lz4_flex::block::get_maximum_output_size(raw.len()), 0);
        // Without room for the result, which there is, the block stays as it is.
        let length = lz4_flex::block::compress_into(raw, &mut self.compressed).unwrap_or(raw.len());
        let is_smaller = length < raw.len();
        let stored = if is_smaller { &self.compressed[..length] } else { raw };
        let words = [kind, u32::from(is_smaller), raw.len() as u32, stored.len() as u32];
        let header: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        self.to.write_all(&header)?;
        self.to.write_all(&block_digest(self.number, &header, stored))?;
        self.to.write_all(stored)?;
        self.number += 1;
        Ok(())
    }

    /// Writes what is left and the last block.
    ///
    /// # Errors
    /// When they cannot be written.
    pub fn finish(mut self) -> io::Result<W> {
        self.end()?;
        Ok(self.to)
    }

    fn end(&mut self) -> io::Result<()> {
        self.flush()?;
        let Summary { records, calls, memory_bytes } = self.summary;
        let words: Vec<u8> =
            [records, calls, memory_bytes].iter().flat_map(|word| word.to_le_bytes()).collect();
        self.write_block(END, &words)?;
        self.to.flush()
    }
}

impl<W: Write + Seek> Writer<W> {
    /// Makes the file complete as it is; what is appended later takes the last block's place.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn checkpoint(&mut self) -> io::Result<()> {
        self.flush()?;
        let position = self.to.stream_position()?;
        self.end()?;
        self.number -= 1;
        self.to.seek(SeekFrom::Start(position)).map(|_| ())
    }
}

/// Reads a capture, block by block.
pub struct Reader<R: Read> {
    from: R,
    number: u64,
    summary: Option<Summary>,
}

/// Fills a buffer as far as the file goes.
fn fill(from: &mut impl Read, buffer: &mut [u8]) -> io::Result<usize> {
    let mut filled = 0;
    while filled < buffer.len() {
        match from.read(&mut buffer[filled..])? {
            0 => break,
            count => filled += count,
        }
    }
    Ok(filled)
}

impl<R: Read> Reader<R> {
    /// Reads the header.
    ///
    /// # Errors
    /// When it is not that of a capture which this program can read.
    pub fn new(mut from: R) -> Result<Reader<R>, ReadError> {
        let mut header = [0; 24];
        let length = fill(&mut from, &mut header)?;
        if length < 8 || header[..8] != MAGIC {
            return Err(ReadError::Magic);
        }
        if length < header.len() {
            return Err(ReadError::Truncated(0));
        }
        let version = u32::from_le_bytes(std::array::from_fn(|at| header[8 + at]));
        if version != VERSION {
            return Err(ReadError::Version(version));
        }
        let fingerprint = u64::from_le_bytes(std::array::from_fn(|at| header[16 + at]));
        if fingerprint != schema::FINGERPRINT {
            return Err(ReadError::Tables(fingerprint));
        }
        Ok(Reader { from, number: 0, summary: None })
    }

    /// The next block's records; none behind the last block, or where the file ends after a complete block
    /// ([`Reader::summary`] tells which).
    ///
    /// # Errors
    /// When the block is damaged or incomplete.
    pub fn next_block(&mut self) -> Result<Option<Vec<u8>>, ReadError> {
        if self.summary.is_some() {
            return Ok(None);
        }
        let number = self.number;
        let mut header = [0; 16 + DIGEST_BYTES];
        match fill(&mut self.from, &mut header)? {
            0 => return Ok(None),
            length if length < header.len() => return Err(ReadError::Truncated(number)),
            _ => {}
        }
        let word = |index: usize| u32::from_le_bytes(std::array::from_fn(|at| header[4 * index + at]));
        let (kind, compression, raw, stored) = (word(0), word(1), word(2) as usize, word(3) as usize);
        if raw > RAW_BYTES_MAX || stored > raw || raw > stored.saturating_mul(EXPANSION_MAX) {
            return Err(ReadError::Damaged(number, "its lengths do not fit each other"));
        }
        let mut bytes = Vec::new();
        self.from.by_ref().take(stored as u64).read_to_end(&mut bytes)?;
        if bytes.len() < stored {
            return Err(ReadError::Truncated(number));
        }
        if block_digest(number, &header[..16], &bytes) != header[16..] {
            return Err(ReadError::Damaged(number, "its digest is another"));
        }
        let bytes = match compression {
            0 => bytes,
            1 => lz4_flex::block::decompress(&bytes, raw)
                .map_err(|_| ReadError::Damaged(number, "it cannot be decompressed"))?,
            _ => return Err(ReadError::Damaged(number, "it has an unknown compression")),
        };
        if bytes.len() != raw {
            return Err(ReadError::Damaged(number, "it has another length than it says"));
        }
        self.number += 1;
        match kind {
            RECORDS => Ok(Some(bytes)),
            END => {
                let long =
                    |index: usize| bytes.get(8 * index..8 * index + 8).and_then(|bytes| bytes.first_chunk());
                let long = |index| long(index).map(|bytes| u64::from_le_bytes(*bytes));
                let counts = long(0).zip(long(1)).zip(long(2));
                let ((records, calls), memory_bytes) =
                    counts.ok_or(ReadError::Damaged(number, "the last block is too short"))?;
                self.summary = Some(Summary { records, calls, memory_bytes });
                Ok(None)
            }
            _ => Err(ReadError::Damaged(number, "it has an unknown type")),
        }
    }

    /// What the last block says, once it was read; none in a file that ends without one.
    pub fn summary(&self) -> Option<Summary> {
        self.summary
    }
}

/// A capture in memory: its records, in order.
#[derive(Default)]
pub struct Capture {
    blocks: Vec<Vec<u8>>,
    /// How many records there are before each block.
    firsts: Vec<usize>,
    /// How many records there are.
    count: usize,
    /// What the last block says; none in a file that ends without one.
    pub summary: Option<Summary>,
}

impl Capture {
    /// Reads a whole capture, and checks that it consists of records.
    ///
    /// # Errors
    /// As of [`Reader`] and [`record::next`].
    pub fn read(from: impl Read) -> Result<Capture, ReadError> {
        let mut capture = Capture::default();
        capture.read_more(&mut Reader::new(from)?)?;
        Ok(capture)
    }

    /// Reads the blocks that a reader has not given yet: of a file that grows, those that are new.
    ///
    /// # Errors
    /// As of [`Capture::read`].
    pub fn read_more(&mut self, reader: &mut Reader<impl Read>) -> Result<(), ReadError> {
        while let Some(block) = reader.next_block()? {
            self.push(block)?;
        }
        self.summary = reader.summary();
        Ok(())
    }

    /// Appends a block, which consists of records.
    fn push(&mut self, block: Vec<u8>) -> Result<(), ReadError> {
        let mut rest = &block[..];
        let mut count = 0;
        while !rest.is_empty() {
            record::next(&mut rest)?;
            count += 1;
        }
        self.firsts.push(self.count);
        self.count += count;
        self.blocks.push(block);
        Ok(())
    }

    /// A capture of records that [`record::append`] made.
    ///
    /// # Errors
    /// As of [`record::next`].
    pub fn of_records(records: Vec<u8>) -> Result<Capture, ReadError> {
        let mut capture = Capture::default();
        capture.push(records)?;
        Ok(capture)
    }

    /// How many records there are.
    pub fn record_count(&self) -> usize {
        self.count
    }

    /// The records.
    pub fn records(&self) -> Records<'_> {
        self.records_from(0)
    }

    /// The records from one on, by its number; only its own block is looked through for it.
    pub fn records_from(&self, record: usize) -> Records<'_> {
        let block = self.firsts.partition_point(|first| *first <= record).saturating_sub(1);
        let blocks = self.blocks.get(block..).unwrap_or_default().iter();
        let mut records = Records { blocks, rest: &[] };
        for _ in self.firsts.get(block).copied().unwrap_or(0)..record.min(self.count) {
            records.next();
        }
        records
    }
}

/// The records of a capture, in order.
#[derive(Clone)]
pub struct Records<'a> {
    blocks: std::slice::Iter<'a, Vec<u8>>,
    rest: &'a [u8],
}

impl<'a> Iterator for Records<'a> {
    type Item = Record<'a>;

    fn next(&mut self) -> Option<Record<'a>> {
        while self.rest.is_empty() {
            self.rest = self.blocks.next()?;
        }
        // The blocks consist of records: `Capture::read` looked.
        record::next(&mut self.rest).ok()
    }
}
