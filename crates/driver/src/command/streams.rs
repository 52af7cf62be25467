//! Commands that memory says in streams (`VK_NV_device_generated_commands`,
//! `VK_NV_device_generated_commands_compute`): layouts of sequences whose pieces lie in several buffers, and
//! how a sequence becomes ordinary commands, as those of [`super::generated`] do.
//!
//! Nothing is preprocessed. Pieces lie in ranges of buffers whose sizes are checked when they are read, since
//! memory may say which sequences there are. A compute pipeline is known by the address that it was saved at
//! ([`DeviceCore::remember`](crate::objects::device_core::DeviceCore::remember)).

use super::family::render::{BindVertexBuffers, RenderCommand};
use super::generated::{Place, TokenKind, bind, index_bytes};
use super::list::Command;
use super::state::{CommandProcessor, Outcome};
use crate::caps::limits::{
    INDIRECT_SEQUENCE_COUNT_MAX, INDIRECT_STREAM_COUNT_MAX, INDIRECT_STRIDE_MAX, INDIRECT_TOKEN_COUNT_MAX,
    INDIRECT_TOKEN_OFFSET_MAX,
};
use crate::error::{Error, Result};
use crate::objects::memory::mapped::{DeviceAddresses, Range};
use crate::objects::memory::words::{wide, word};
use crate::pipeline::ComputePipeline;
use crate::pipeline::execution_set::{Choice, Choices};
use crate::pipeline::graphics::{GraphicsPipeline, IndexBuffer, StateChange, VertexBuffer};
use smallvec::smallvec;
use std::sync::Arc;
use vulkanalia_sys as vk;

/// What a piece of a sequence does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StreamTokenKind {
    /// What a token of sequences in one buffer does, and lies in memory as that does: writes push constants,
    /// draws or runs workgroups.
    Plain(TokenKind),
    /// Chooses a shader group of the pipeline.
    Group,
    /// Chooses the compute pipeline that was saved at an address.
    ComputePipeline,
    /// Says which faces are front faces.
    FrontFace,
    /// Binds an index buffer. Each number of a type with the bytes of an index; none: Vulkan's types.
    IndexBuffer(Box<[(u32, u32)]>),
    /// Binds a vertex buffer to a binding.
    VertexBuffer {
        /// Which.
        binding: u32,
        /// Its stride is the token's, not the pipeline's.
        has_stride: bool,
    },
}

impl StreamTokenKind {
    /// Bytes in a stream.
    fn bytes(&self) -> u64 {
        match self {
            StreamTokenKind::Plain(kind) => kind.bytes(),
            StreamTokenKind::Group | StreamTokenKind::FrontFace => 4,
            StreamTokenKind::ComputePipeline => 8,
            StreamTokenKind::IndexBuffer(_) | StreamTokenKind::VertexBuffer { .. } => 16,
        }
    }

    fn is_work(&self) -> bool {
        matches!(self, StreamTokenKind::Plain(kind) if kind.is_work())
    }
}

/// A piece of a sequence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StreamToken {
    /// What it does.
    pub kind: StreamTokenKind,
    /// In which stream it lies.
    pub stream: u32,
    /// Where it lies in a sequence, in bytes.
    pub offset: u32,
}

/// A `VkIndirectCommandsLayoutNV`.
#[derive(Debug)]
pub struct StreamLayout {
    strides: Box<[u32]>,
    tokens: Box<[StreamToken]>,
    is_indexed: bool,
}

impl StreamLayout {
    /// A layout of sequences for a bind point, in streams with these strides in bytes. `is_indexed`: memory
    /// says which sequences there are.
    ///
    /// # Errors
    /// When it has too many tokens or streams, they lie too far apart, the last token is not the only work,
    /// or does not fit the bind point.
    pub fn new(
        point: vk::PipelineBindPoint,
        strides: &[u32],
        tokens: Vec<StreamToken>,
        is_indexed: bool,
    ) -> Result<StreamLayout> {
        let refuse = |what: &str, rule: &str| {
            Err(Error::misuse(format!("{what} (VUID-VkIndirectCommandsLayoutCreateInfoNV-{rule})")))
        };
        let is_compute = point == vk::PipelineBindPoint::COMPUTE;
        if !is_compute && point != vk::PipelineBindPoint::GRAPHICS {
            return refuse("generated commands of another bind point", "pipelineBindPoint-02930");
        }
        let Some((last, others)) = tokens.split_last() else {
            return refuse("no tokens", "tokenCount-02931");
        };
        if tokens.len() > INDIRECT_TOKEN_COUNT_MAX as usize {
            return refuse("more than maxIndirectCommandsTokenCount tokens", "tokenCount-02931");
        }
        if strides.is_empty() || strides.len() > INDIRECT_STREAM_COUNT_MAX as usize {
            return refuse("no streams, or more than maxIndirectCommandsStreamCount", "streamCount-02936");
        }
        if strides.iter().any(|&stride| stride == 0 || stride > INDIRECT_STRIDE_MAX) {
            return refuse(
                "a stride that is zero or more than maxIndirectCommandsStreamStride",
                "pStreamStrides-02937",
            );
        }
        if !last.kind.is_work() || others.iter().any(|token| token.kind.is_work()) {
            return refuse("the last token and no other one draws or dispatches", "pTokens-02935");
        }
        let dispatches = last.kind == StreamTokenKind::Plain(TokenKind::Dispatch);
        if dispatches != is_compute {
            return refuse("the last token does not fit the bind point", "pTokens-02935");
        }
        let of_compute = |token: &StreamToken| {
            matches!(
                token.kind,
                StreamTokenKind::ComputePipeline | StreamTokenKind::Plain(TokenKind::PushConstants(..))
            )
        };
        if is_compute && !others.iter().all(of_compute) {
            return refuse("a token that dispatches do not have", "pipelineBindPoint-09089");
        }
        let chooses = |kind: &StreamTokenKind| {
            matches!(kind, StreamTokenKind::Group | StreamTokenKind::ComputePipeline)
        };
        if others.iter().skip(1).any(|token| chooses(&token.kind)) {
            return refuse("what chooses a pipeline is not the first token", "pTokens-02932");
        }
        for token in &tokens {
            if token.stream as usize >= strides.len() {
                return Err(Error::misuse(
                    "a token of a stream that is not there (VUID-VkIndirectCommandsLayoutTokenNV-stream-02951)",
                ));
            }
            if token.offset > INDIRECT_TOKEN_OFFSET_MAX {
                return Err(Error::misuse(
                    "a token's offset is more than maxIndirectCommandsTokenOffset \
                     (VUID-VkIndirectCommandsLayoutTokenNV-offset-02952)",
                ));
            }
        }
        Ok(StreamLayout { strides: strides.into(), tokens: tokens.into(), is_indexed })
    }
}

/// `vkCmdExecuteGeneratedCommandsNV`.
pub struct StreamCommands {
    layout: Arc<StreamLayout>,
    /// The shader groups of the pipeline.
    groups: Box<[Arc<GraphicsPipeline>]>,
    streams: Box<[Range]>,
    max_count: u32,
    /// The word that says how many sequences there are.
    count: Option<Range>,
    /// Words that say which.
    indices: Option<Range>,
}

impl StreamCommands {
    /// The commands of up to `max_count` sequences in streams.
    ///
    /// # Errors
    /// When there are other streams than the layout has, too many sequences, or indices where the layout has
    /// none and none where it has.
    pub fn new(
        layout: Arc<StreamLayout>,
        groups: Vec<Arc<GraphicsPipeline>>,
        streams: Vec<Range>,
        (max_count, count): (u32, Option<Range>),
        indices: Option<Range>,
    ) -> Result<StreamCommands> {
        if streams.len() != layout.strides.len() {
            return Err(Error::misuse(
                "another number of streams than the layout has \
                 (VUID-VkGeneratedCommandsInfoNV-streamCount-02916)",
            ));
        }
        if max_count > INDIRECT_SEQUENCE_COUNT_MAX {
            return Err(Error::misuse(
                "sequencesCount is more than maxIndirectSequenceCount \
                 (VUID-VkGeneratedCommandsInfoNV-sequencesCount-02917)",
            ));
        }
        if indices.is_some() != layout.is_indexed {
            return Err(Error::misuse(
                "sequencesIndexBuffer is there where the layout has no indices, or the other way round \
                 (VUID-VkGeneratedCommandsInfoNV-sequencesIndexBuffer-02924)",
            ));
        }
        if groups.is_empty() && layout.tokens.iter().any(|token| token.kind == StreamTokenKind::Group) {
            return Err(Error::misuse(
                "the pipeline has no shader groups \
                 (VUID-VkGeneratedCommandsInfoNV-indirectCommandsLayout-02913)",
            ));
        }
        let commands = StreamCommands {
            layout,
            groups: groups.into(),
            streams: streams.into(),
            max_count,
            count,
            indices,
        };
        let last =
            max_count.checked_sub(1).filter(|_| commands.count.is_none() && commands.indices.is_none());
        if let Some(last) = last
            && commands.layout.tokens.iter().any(|token| commands.place(token, last).is_none())
        {
            return Err(Error::misuse(format!(
                "{max_count} sequences do not fit into their buffers (VUID-VkIndirectCommandsStreamNV-offset)"
            )));
        }
        Ok(commands)
    }

    /// The address of a token of a sequence, if it lies in its stream.
    fn place(&self, token: &StreamToken, sequence: u32) -> Option<u64> {
        let stream = &self.streams[token.stream as usize];
        let stride = self.layout.strides[token.stream as usize];
        let offset = u64::from(token.offset) + u64::from(stride) * u64::from(sequence);
        (offset + token.kind.bytes() <= stream.size()).then(|| stream.address() + offset)
    }

    /// Runs the sequences; `run` runs each of their commands that is not a bind.
    pub(super) fn run<'d>(
        &self,
        processor: &mut CommandProcessor<'d>,
        mut run: impl FnMut(&mut CommandProcessor<'d>, &Command) -> Outcome,
    ) -> Outcome {
        let count = self.count.as_ref().map_or(self.max_count, |count| count.word_at(0).min(self.max_count));
        for number in 0..count {
            let sequence = match &self.indices {
                None => number,
                Some(indices) if 4 * u64::from(number) + 4 <= indices.size() => {
                    indices.word_at(4 * u64::from(number))
                }
                Some(_) => break,
            };
            for token in &self.layout.tokens {
                // What memory says may lie anywhere.
                let Some(address) = self.place(token, sequence) else { break };
                if let Some(command) = self.token(&token.kind, address, processor)
                    && run(processor, &command) == Outcome::Stopped
                {
                    return Outcome::Stopped;
                }
            }
        }
        Outcome::Done
    }

    /// Does what a token says, or gives the command that it is.
    fn token(
        &self,
        kind: &StreamTokenKind,
        address: u64,
        processor: &mut CommandProcessor<'_>,
    ) -> Option<Command> {
        let memory = processor.alive.memory();
        let mut bytes = [0; 16];
        let size = kind.bytes().min(16);
        memory.range(address, size).read(0, &mut bytes[..size as usize]);
        match kind {
            StreamTokenKind::Plain(kind) => {
                let place = Place { memory, address, kind: *kind };
                if let TokenKind::PushConstants(offset, _) = *kind {
                    processor.push_constants(offset as usize, &place.bytes());
                    return None;
                }
                place.command(1)
            }
            StreamTokenKind::Group => {
                // One that is not there is misuse, and leaves what is bound.
                if let Some(group) = self.groups.get(word(&bytes, 0) as usize) {
                    processor.rendering.bind_pipeline(group);
                }
                None
            }
            StreamTokenKind::ComputePipeline => {
                if let Some(pipeline) = processor.device.remembered::<ComputePipeline>(wide(&bytes, 0)) {
                    let choice = Choice::Compute(pipeline);
                    bind(&choice, processor);
                    processor.kept.push(Choices::one(choice));
                }
                None
            }
            StreamTokenKind::FrontFace => {
                let face = match word(&bytes, 0) & 1 {
                    0 => vk::FrontFace::COUNTER_CLOCKWISE,
                    _ => vk::FrontFace::CLOCKWISE,
                };
                Some(RenderCommand::SetState(Box::new(StateChange::FrontFace(face))).into())
            }
            StreamTokenKind::IndexBuffer(types) => index_buffer(memory, &bytes, types),
            StreamTokenKind::VertexBuffer { binding, has_stride } => {
                let stride = has_stride.then(|| word(&bytes, 12));
                let buffers = smallvec![VertexBuffer { range: range(memory, &bytes), stride }];
                Some(
                    RenderCommand::VertexBuffers(Box::new(BindVertexBuffers { first: *binding, buffers }))
                        .into(),
                )
            }
        }
    }
}

/// The memory that a token names; none where the address is zero.
fn range(memory: DeviceAddresses, bytes: &[u8; 16]) -> Option<Range> {
    let (address, size) = (wide(bytes, 0), word(bytes, 8));
    (address != 0).then(|| memory.range(address, size.into()))
}

/// The command that a token of indices is; none for types that are not known.
fn index_buffer(memory: DeviceAddresses, bytes: &[u8; 16], types: &[(u32, u32)]) -> Option<Command> {
    let ty = word(bytes, 12);
    let own = types.iter().find(|(number, _)| *number == ty).map(|(_, bytes)| *bytes);
    let index_bytes = if types.is_empty() { index_bytes(ty, false)? } else { own? };
    let indices = IndexBuffer { range: range(memory, bytes), index_bytes, restart: None };
    Some(RenderCommand::IndexBuffer(Box::new(indices)).into())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn token(kind: StreamTokenKind, stream: u32, offset: u32) -> StreamToken {
        StreamToken { kind, stream, offset }
    }

    #[test]
    fn layouts_end_with_their_only_work() {
        let dispatch = token(StreamTokenKind::Plain(TokenKind::Dispatch), 0, 4);
        let pipeline = token(StreamTokenKind::ComputePipeline, 1, 0);
        let push = token(StreamTokenKind::Plain(TokenKind::PushConstants(0, 4)), 0, 0);
        let face = token(StreamTokenKind::FrontFace, 0, 0);
        let new = |point, strides: &[u32], tokens: &[&StreamToken]| {
            StreamLayout::new(point, strides, tokens.iter().map(|&token| token.clone()).collect(), false)
        };
        let (compute, graphics) = (vk::PipelineBindPoint::COMPUTE, vk::PipelineBindPoint::GRAPHICS);
        assert!(new(compute, &[16, 8], &[&pipeline, &push, &dispatch]).is_ok());
        for (point, strides, tokens) in [
            (compute, &[16_u32, 8][..], &[][..]),
            (compute, &[16, 8], &[&pipeline]),
            (compute, &[16, 8], &[&dispatch, &dispatch]),
            (compute, &[16, 8], &[&push, &pipeline, &dispatch]),
            (compute, &[16, 8], &[&face, &dispatch]),
            (compute, &[16], &[&pipeline, &dispatch]),
            (compute, &[16, 0], &[&pipeline, &dispatch]),
            (compute, &[16, INDIRECT_STRIDE_MAX + 1], &[&pipeline, &dispatch]),
            (graphics, &[16, 8], &[&dispatch]),
            (vk::PipelineBindPoint::RAY_TRACING_KHR, &[16], &[&dispatch]),
        ] {
            assert!(new(point, strides, tokens).is_err(), "{point:?} {strides:?} {tokens:?}");
        }
        let far = token(StreamTokenKind::Plain(TokenKind::Dispatch), 0, INDIRECT_TOKEN_OFFSET_MAX + 1);
        assert!(new(compute, &[16], &[&far]).is_err());
    }
}
