//! What a capture says, one record after the other: calls, contents of memory, what the program could see.
//!
//! A record is its type (a byte), the length of what follows (four bytes) and its fields, integers with the
//! lowest byte first. The order of records is an order in which the calls can be made on one thread.

use crate::file::ReadError;

/// Bytes of a digest: BLAKE3, cut.
pub const DIGEST_BYTES: usize = 16;

/// A digest of contents.
pub type Digest = [u8; DIGEST_BYTES];

/// The digest of bytes.
pub fn digest(bytes: &[u8]) -> Digest {
    let hash = blake3::hash(bytes);
    hash.as_bytes().first_chunk().copied().unwrap_or_default()
}

/// The name of the fact that somebody asked, at this place, for the frame to be kept.
pub const MARK: &str = "mark";

/// The name of a text that says that the order of invocations was fixed (`PYROCLAST_DETERMINISTIC`): `fixed`.
pub const ORDER: &str = "order";

/// One record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Record<'a> {
    /// A call.
    Call(Call<'a>),
    /// The program wrote into mapped memory, before the next call.
    Write {
        /// The `VkDeviceMemory`.
        memory: u64,
        /// Bytes from its start.
        offset: u64,
        /// What is there now.
        bytes: &'a [u8],
    },
    /// The device wrote into mapped memory: what the program can see there.
    Seen {
        /// The `VkDeviceMemory`.
        memory: u64,
        /// Bytes from its start.
        offset: u64,
        /// Bytes.
        size: u64,
        /// Of these bytes.
        digest: Digest,
    },
    /// An image was presented, by the next call.
    Presented {
        /// The `VkSwapchainKHR`.
        swapchain: u64,
        /// The image's index.
        image: u32,
        /// Of its texels: rows without gaps, from the top, four bytes each: blue, green, red, zero.
        digest: Digest,
    },
    /// Something about the call before it that its parameters do not say.
    Note(Note),
    /// The handles of the shader groups of a ray tracing pipeline's own, made by the call before it.
    Groups {
        /// The `VkPipeline`.
        pipeline: u64,
        /// The handles, one after the other.
        handles: &'a [u8],
    },
    /// What the call before it read of the program's memory, where parameters do not hold it
    /// ([`crate::host`]).
    Host(&'a [u8]),
    /// From here on another shader module stands for one, in pipelines that there are and in those to come.
    Reload {
        /// The digest of the words of the one (`pyro_sanitizer::trace::module_digest`).
        digest: u64,
        /// The words of the other, as bytes.
        words: &'a [u8],
    },
    /// A fact of the capture as a whole: a name and a value. [`MARK`] is one of its place.
    Text(&'a str, &'a str),
}

/// A call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call<'a> {
    /// The command's number in [`crate::schema::commands`].
    pub command: u16,
    /// The thread that made it, numbered from zero.
    pub thread: u16,
    /// What it returned; zero where it returns nothing, or was not waited for.
    pub result: u64,
    /// As [`crate::encode`] writes them.
    pub parameters: &'a [u8],
}

/// Something that parameters do not say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Note {
    /// The opaque capture address of a `VkDeviceMemory` (handle, address).
    MemoryAddress(u64, u64),
    /// The opaque capture address of a `VkBuffer` (handle, address).
    BufferAddress(u64, u64),
    /// The submission before is complete: the device is idle.
    Idle,
    /// The device address of a `VkAccelerationStructureKHR` (handle, address).
    StructureAddress(u64, u64),
}

impl Note {
    fn words(self) -> [u64; 3] {
        match self {
            Note::MemoryAddress(handle, address) => [0, handle, address],
            Note::BufferAddress(handle, address) => [1, handle, address],
            Note::Idle => [2, 0, 0],
            Note::StructureAddress(handle, address) => [3, handle, address],
        }
    }

    fn of_words(words: [u64; 3]) -> Option<Note> {
        Some(match words {
            [0, handle, address] => Note::MemoryAddress(handle, address),
            [1, handle, address] => Note::BufferAddress(handle, address),
            [2, 0, 0] => Note::Idle,
            [3, handle, address] => Note::StructureAddress(handle, address),
            _ => return None,
        })
    }
}

/// Appends a record to bytes.
pub fn append(record: &Record<'_>, bytes: &mut Vec<u8>) {
    let start = bytes.len();
    bytes.extend([0; 5]);
    let kind = match record {
        Record::Call(call) => {
            bytes.extend(call.command.to_le_bytes());
            bytes.extend(call.thread.to_le_bytes());
            bytes.extend(call.result.to_le_bytes());
            bytes.extend(call.parameters);
            1
        }
        Record::Write { memory, offset, bytes: contents } => {
            bytes.extend(memory.to_le_bytes());
            bytes.extend(offset.to_le_bytes());
            bytes.extend(*contents);
            2
        }
        Record::Seen { memory, offset, size, digest } => {
            bytes.extend([memory, offset, size].iter().flat_map(|word| word.to_le_bytes()));
            bytes.extend(digest);
            3
        }
        Record::Presented { swapchain, image, digest } => {
            bytes.extend(swapchain.to_le_bytes());
            bytes.extend(image.to_le_bytes());
            bytes.extend(digest);
            4
        }
        Record::Note(note) => {
            bytes.extend(note.words().iter().flat_map(|word| word.to_le_bytes()));
            5
        }
        Record::Groups { pipeline, handles } => {
            bytes.extend(pipeline.to_le_bytes());
            bytes.extend(*handles);
            7
        }
        Record::Host(contents) => {
            bytes.extend(*contents);
            8
        }
        Record::Reload { digest, words } => {
            bytes.extend(digest.to_le_bytes());
            bytes.extend(*words);
            9
        }
        Record::Text(name, value) => {
            bytes.extend((name.len() as u32).to_le_bytes());
            bytes.extend(name.as_bytes());
            bytes.extend(value.as_bytes());
            6
        }
    };
    let length = (bytes.len() - start - 5) as u32;
    bytes[start] = kind;
    bytes[start + 1..start + 5].copy_from_slice(&length.to_le_bytes());
}

/// Fields of a record, from the first on.
struct Fields<'a>(&'a [u8]);

impl<'a> Fields<'a> {
    fn take<const N: usize>(&mut self) -> Result<[u8; N], ReadError> {
        let (first, rest) = self.0.split_first_chunk().ok_or(ReadError::Record("ends inside a field"))?;
        self.0 = rest;
        Ok(*first)
    }

    fn long(&mut self) -> Result<u64, ReadError> {
        self.take().map(u64::from_le_bytes)
    }

    fn word(&mut self) -> Result<u32, ReadError> {
        self.take().map(u32::from_le_bytes)
    }

    fn bytes(&mut self, length: usize) -> Result<&'a [u8], ReadError> {
        let (first, rest) =
            self.0.split_at_checked(length).ok_or(ReadError::Record("ends inside a field"))?;
        self.0 = rest;
        Ok(first)
    }

    fn rest(&mut self) -> &'a [u8] {
        std::mem::take(&mut self.0)
    }
}

/// Takes the first record off bytes.
///
/// # Errors
/// When they do not begin with a record.
pub fn next<'a>(bytes: &mut &'a [u8]) -> Result<Record<'a>, ReadError> {
    let mut head = Fields(bytes);
    let [kind] = head.take()?;
    let length = head.word()? as usize;
    let mut fields = Fields(head.bytes(length)?);
    *bytes = head.rest();
    let text =
        |bytes| std::str::from_utf8(bytes).map_err(|_| ReadError::Record("has text that is not UTF-8"));
    let record = match kind {
        1 => Record::Call(Call {
            command: u16::from_le_bytes(fields.take()?),
            thread: u16::from_le_bytes(fields.take()?),
            result: fields.long()?,
            parameters: fields.rest(),
        }),
        2 => Record::Write { memory: fields.long()?, offset: fields.long()?, bytes: fields.rest() },
        3 => Record::Seen {
            memory: fields.long()?,
            offset: fields.long()?,
            size: fields.long()?,
            digest: fields.take()?,
        },
        4 => Record::Presented { swapchain: fields.long()?, image: fields.word()?, digest: fields.take()? },
        5 => {
            let words = [fields.long()?, fields.long()?, fields.long()?];
            Record::Note(Note::of_words(words).ok_or(ReadError::Record("is a note of an unknown type"))?)
        }
        6 => {
            let length = fields.word()? as usize;
            Record::Text(text(fields.bytes(length)?)?, text(fields.rest())?)
        }
        8 => Record::Host(fields.rest()),
        7 => Record::Groups { pipeline: fields.long()?, handles: fields.rest() },
        9 => Record::Reload { digest: fields.long()?, words: fields.rest() },
        _ => return Err(ReadError::Record("has an unknown type")),
    };
    if !fields.0.is_empty() {
        return Err(ReadError::Record("is longer than its fields"));
    }
    Ok(record)
}
