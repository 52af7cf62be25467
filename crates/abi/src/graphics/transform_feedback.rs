//! What transform feedback captures of vertices.

/// Transform feedback buffers (`maxTransformFeedbackBuffers`).
pub const CAPTURE_BUFFER_COUNT: usize = 4;

/// How a column becomes bytes of a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CaptureKind {
    /// Four bytes as they are.
    Word,
    /// The lower two bytes.
    Short,
    /// A float of 32 bits that was one of 16.
    Half,
}

/// One column that is captured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct CapturedColumn {
    /// The column of the vertex outputs.
    pub column: u32,
    /// Which buffer.
    pub buffer: u32,
    /// Bytes from the start of the vertex's record in the buffer.
    pub offset: u32,
    /// How it is written.
    pub kind: CaptureKind,
}

/// All that is captured of a vertex.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Captures {
    /// The columns.
    pub columns: Vec<CapturedColumn>,
    /// Bytes of a vertex's record in each buffer; zero for buffers that nothing is captured to.
    pub strides: [u32; CAPTURE_BUFFER_COUNT],
    /// The vertex stream whose vertices go to each buffer.
    pub streams: [u32; CAPTURE_BUFFER_COUNT],
}

pyro_util::codec_enum!(CaptureKind { Word, Short, Half });
pyro_util::codec_struct!(CapturedColumn { column, buffer, offset, kind });
pyro_util::codec_struct!(Captures { columns, strides, streams });
