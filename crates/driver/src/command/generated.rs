//! Commands that memory says (`VK_EXT_device_generated_commands`): layouts of sequences, and how a sequence
//! becomes ordinary commands. What sequences choose from is in [`crate::pipeline::execution_set`].
//!
//! Nothing is preprocessed: a sequence is read when it runs. Addresses are taken at their word, as those that
//! shaders follow are; the sequences themselves lie in a range whose size is checked.
//!
//! Invariant: the pipelines and shader objects of a set stay while a command buffer that uses it runs, also
//! when others are put in their places meanwhile (`CommandProcessor::kept`).

use super::family::dispatch::{DispatchCommand, TraceRaysCommand};
use super::family::draw::DrawCommand;
use super::family::render::{BindVertexBuffers, RenderCommand};
use super::list::Command;
use super::state::{CommandProcessor, Outcome};
use super::streams::StreamCommands;
use crate::caps::limits::{
    INDIRECT_SEQUENCE_COUNT_MAX, INDIRECT_STRIDE_MAX, INDIRECT_TOKEN_COUNT_MAX, INDIRECT_TOKEN_OFFSET_MAX,
};
use crate::error::{Error, Result};
use crate::objects::memory::mapped::DeviceAddresses;
use crate::objects::memory::words::{wide, word};
use crate::pipeline::execution_set::{Choice, IndirectExecutionSet};
use crate::pipeline::graphics::{IndexBuffer, IndirectDraw, IndirectKind, VertexBuffer};
use smallvec::smallvec;
use std::sync::Arc;
use vulkanalia_sys as vk;

/// What a piece of a sequence does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TokenKind {
    /// Chooses the pipeline from the set.
    Pipeline,
    /// Chooses a shader object for each of these stages, from the lowest bit on.
    Shaders(vk::ShaderStageFlags),
    /// Writes so many bytes from this byte of the push constants on.
    PushConstants(u32, u32),
    /// Writes the number of the sequence to this byte of the push constants.
    SequenceIndex(u32),
    /// Binds an index buffer; its type is one of DXGI's formats.
    IndexBuffer {
        /// `VK_INDIRECT_COMMANDS_INPUT_MODE_DXGI_INDEX_BUFFER_BIT_EXT`
        is_dxgi: bool,
    },
    /// Binds a vertex buffer to this binding.
    VertexBuffer(u32),
    /// Draws once.
    Draw(IndirectKind),
    /// Draws as often as the sequence says, by commands that lie elsewhere.
    DrawCount(IndirectKind),
    /// Runs workgroups.
    Dispatch,
    /// Launches rays.
    TraceRays,
}

impl TokenKind {
    /// Bytes in a sequence.
    pub(super) fn bytes(self) -> u64 {
        match self {
            TokenKind::Pipeline => 4,
            TokenKind::Shaders(stages) => 4 * u64::from(stages.bits().count_ones()),
            TokenKind::PushConstants(_, size) => size.into(),
            TokenKind::SequenceIndex(_) => 0,
            TokenKind::IndexBuffer { .. } | TokenKind::VertexBuffer(_) | TokenKind::DrawCount(_) => 16,
            TokenKind::Draw(kind) => kind.bytes(),
            TokenKind::Dispatch => 12,
            TokenKind::TraceRays => size_of::<vk::TraceRaysIndirectCommand2KHR>() as u64,
        }
    }

    /// Whether it is the work of a sequence.
    pub(super) fn is_work(self) -> bool {
        use TokenKind::{Dispatch, Draw, DrawCount, TraceRays};
        matches!(self, Draw(_) | DrawCount(_) | Dispatch | TraceRays)
    }
}

/// A piece of a sequence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Token {
    /// What it does.
    pub kind: TokenKind,
    /// Where it lies in a sequence, in bytes.
    pub offset: u32,
}

/// A `VkIndirectCommandsLayoutEXT`.
#[derive(Debug)]
pub struct IndirectCommandsLayout {
    stride: u32,
    tokens: Box<[Token]>,
    /// Bytes from the start of a sequence to its end.
    bytes: u64,
}

impl IndirectCommandsLayout {
    /// A layout of sequences that begin `stride` bytes apart.
    ///
    /// # Errors
    /// When it has too many tokens, they lie too far behind the start, or the last is not the only work.
    pub fn new(stride: u32, tokens: Vec<Token>) -> Result<IndirectCommandsLayout> {
        if tokens.is_empty() || tokens.len() > INDIRECT_TOKEN_COUNT_MAX as usize {
            return Err(Error::misuse(
                "no tokens, or more than maxIndirectCommandsTokenCount \
                 (VUID-VkIndirectCommandsLayoutCreateInfoEXT-tokenCount-11092)",
            ));
        }
        if stride > INDIRECT_STRIDE_MAX {
            return Err(Error::misuse(
                "indirectStride is more than maxIndirectCommandsIndirectStride \
                 (VUID-VkIndirectCommandsLayoutCreateInfoEXT-indirectStride-11090)",
            ));
        }
        let (last, others) = tokens.split_last().expect("not empty");
        if !last.kind.is_work() || others.iter().any(|token| token.kind.is_work()) {
            return Err(Error::misuse(
                "the last token of a layout draws, dispatches or traces rays, and no other one",
            ));
        }
        if tokens.iter().any(|token| token.offset > INDIRECT_TOKEN_OFFSET_MAX) {
            return Err(Error::misuse("a token's offset is more than maxIndirectCommandsTokenOffset"));
        }
        let end = |token: &Token| u64::from(token.offset) + token.kind.bytes();
        let bytes = tokens.iter().map(end).max().unwrap_or(0);
        Ok(IndirectCommandsLayout { stride, tokens: tokens.into(), bytes })
    }
}

/// Binds what a sequence chooses.
pub(super) fn bind(choice: &Choice, processor: &mut CommandProcessor<'_>) {
    match choice {
        Choice::Compute(pipeline) => processor.compute.bind_pipeline(processor.device, Some(pipeline)),
        Choice::Graphics(pipeline) => processor.rendering.bind_pipeline(pipeline),
        Choice::Rays(pipeline) => processor.rays.bind_pipeline(pipeline),
        Choice::Shader(shader) if shader.stage() == vk::ShaderStageFlags::COMPUTE => {
            processor.compute.bind_pipeline(processor.device, shader.compute());
        }
        Choice::Shader(shader) => processor.rendering.bind_shader(shader.stage(), Some(shader)),
    }
}

/// Commands that memory says.
pub enum GeneratedCommands {
    /// `vkCmdExecuteGeneratedCommandsEXT`
    Sequences(SequenceCommands),
    /// `vkCmdExecuteGeneratedCommandsNV`
    Streams(StreamCommands),
}

impl GeneratedCommands {
    /// Runs the sequences; `run` runs each of their commands that is not a bind.
    pub(super) fn run<'d>(
        &self,
        processor: &mut CommandProcessor<'d>,
        run: impl FnMut(&mut CommandProcessor<'d>, &Command) -> Outcome,
    ) -> Outcome {
        // An earlier subpass may have written what they read.
        processor.wait_for_draws();
        match self {
            GeneratedCommands::Sequences(commands) => commands.run(processor, run),
            GeneratedCommands::Streams(commands) => commands.run(processor, run),
        }
    }
}

/// `vkCmdExecuteGeneratedCommandsEXT`.
pub struct SequenceCommands {
    layout: Arc<IndirectCommandsLayout>,
    set: Option<Arc<IndirectExecutionSet>>,
    /// Of the first sequence.
    address: u64,
    max_count: u32,
    /// Where the count is, or 0.
    count_address: u64,
    /// Draws of one sequence.
    max_draw_count: u32,
}

impl SequenceCommands {
    /// The commands of up to `max_count` sequences in `size` bytes at an address.
    ///
    /// # Errors
    /// When the sequences are not all in the range, or the layout chooses from a set that is not there.
    pub fn new(
        layout: Arc<IndirectCommandsLayout>,
        set: Option<Arc<IndirectExecutionSet>>,
        (address, size): (u64, u64),
        (max_count, count_address): (u32, u64),
        max_draw_count: u32,
    ) -> Result<SequenceCommands> {
        let chooses = |token: &Token| matches!(token.kind, TokenKind::Pipeline | TokenKind::Shaders(_));
        if set.is_none() && layout.tokens.iter().any(chooses) {
            return Err(Error::misuse("the layout chooses from an execution set, and there is none"));
        }
        if max_count > INDIRECT_SEQUENCE_COUNT_MAX {
            return Err(Error::misuse("maxSequenceCount is more than maxIndirectSequenceCount"));
        }
        // A count in memory may be less than that of the command, which then may exceed the range.
        let stride = u64::from(layout.stride).max(1);
        let fitting = size.checked_sub(layout.bytes).map_or(0, |rest| rest / stride + 1);
        let max_count = match count_address {
            0 => max_count,
            _ => u64::from(max_count).min(fitting) as u32,
        };
        let needed = match max_count {
            0 => 0,
            count => u64::from(count - 1) * u64::from(layout.stride) + layout.bytes,
        };
        if needed > size || address.checked_add(size).is_none() || (address == 0 && needed != 0) {
            return Err(Error::misuse(format!(
                "{max_count} sequences take {needed} bytes of {size} at {address:#x} \
                 (VUID-VkGeneratedCommandsInfoEXT-indirectAddress-11076)"
            )));
        }
        Ok(SequenceCommands { layout, set, address, max_count, count_address, max_draw_count })
    }

    fn run<'d>(
        &self,
        processor: &mut CommandProcessor<'d>,
        mut run: impl FnMut(&mut CommandProcessor<'d>, &Command) -> Outcome,
    ) -> Outcome {
        let memory = processor.alive.memory();
        let choices = self.set.as_ref().map(|set| set.choices());
        if let Some(choices) = &choices
            && !processor.kept.last().is_some_and(|last| last.is_same(choices))
        {
            processor.kept.push(choices.clone());
        }
        let count = match self.count_address {
            0 => self.max_count,
            address => memory.range(address, 4).word_at(0).min(self.max_count),
        };
        for number in 0..count {
            let sequence = self.address + u64::from(number) * u64::from(self.layout.stride);
            for token in &self.layout.tokens {
                let place = Place { memory, address: sequence + u64::from(token.offset), kind: token.kind };
                let command = match token.kind {
                    TokenKind::SequenceIndex(offset) => {
                        processor.push_constants(offset as usize, &number.to_le_bytes());
                        continue;
                    }
                    TokenKind::PushConstants(offset, _) => {
                        processor.push_constants(offset as usize, &place.bytes());
                        continue;
                    }
                    TokenKind::Pipeline | TokenKind::Shaders(_) => {
                        let bytes = place.bytes();
                        let Some(choices) = &choices else { continue };
                        for at in (0..bytes.len()).step_by(4) {
                            // An empty place is misuse, and leaves what is bound.
                            if let Some(choice) = choices.get(word(&bytes, at) as usize) {
                                bind(choice, processor);
                            }
                        }
                        continue;
                    }
                    _ => match place.command(self.max_draw_count) {
                        Some(command) => command,
                        None => continue,
                    },
                };
                if run(processor, &command) == Outcome::Stopped {
                    return Outcome::Stopped;
                }
            }
        }
        Outcome::Done
    }
}

/// A token of a sequence in memory.
pub(super) struct Place {
    pub(super) memory: DeviceAddresses,
    pub(super) address: u64,
    pub(super) kind: TokenKind,
}

impl Place {
    pub(super) fn bytes(&self) -> Vec<u8> {
        let mut bytes = vec![0; self.kind.bytes() as usize];
        self.memory.range(self.address, self.kind.bytes()).read(0, &mut bytes);
        bytes
    }

    /// The command that it is; none where it is invalid, as with an unknown type of indices.
    pub(super) fn command(&self, max_draw_count: u32) -> Option<Command> {
        let memory = self.memory;
        Some(match self.kind {
            TokenKind::IndexBuffer { is_dxgi } => {
                let bytes = self.bytes();
                let (address, size) = (wide(&bytes, 0), word(&bytes, 8));
                let range = (address != 0).then(|| memory.range(address, size.into()));
                let index_bytes = index_bytes(word(&bytes, 12), is_dxgi)?;
                RenderCommand::IndexBuffer(Box::new(IndexBuffer { range, index_bytes, restart: None })).into()
            }
            TokenKind::VertexBuffer(binding) => {
                let bytes = self.bytes();
                let (address, size) = (wide(&bytes, 0), word(&bytes, 8));
                let range = (address != 0).then(|| memory.range(address, size.into()));
                let buffers = smallvec![VertexBuffer { range, stride: Some(word(&bytes, 12)) }];
                RenderCommand::VertexBuffers(Box::new(BindVertexBuffers { first: binding, buffers })).into()
            }
            TokenKind::Draw(kind) => {
                let commands = memory.range(self.address, kind.bytes());
                let room = commands.size();
                let draw = IndirectDraw { commands, count: None, max_count: 1, room, stride: 0, kind };
                DrawCommand::Indirect(Box::new(draw)).into()
            }
            TokenKind::DrawCount(kind) => {
                let bytes = self.bytes();
                let (address, stride) = (wide(&bytes, 0), word(&bytes, 8));
                let max_count = word(&bytes, 12).min(max_draw_count);
                if max_count == 0 || address == 0 {
                    return None;
                }
                let size = u64::from(max_count - 1) * u64::from(stride) + kind.bytes();
                let commands = memory.range(address, size);
                let room = commands.size();
                let draw = IndirectDraw { commands, count: None, max_count, room, stride, kind };
                DrawCommand::Indirect(Box::new(draw)).into()
            }
            TokenKind::Dispatch => {
                let bytes = self.bytes();
                DispatchCommand::Dispatch([0, 4, 8].map(|at| word(&bytes, at))).into()
            }
            TokenKind::TraceRays => {
                DispatchCommand::TraceRays(Box::new(TraceRaysCommand::Indirect2(self.address))).into()
            }
            TokenKind::Pipeline
            | TokenKind::Shaders(_)
            | TokenKind::PushConstants(..)
            | TokenKind::SequenceIndex(_) => return None,
        })
    }
}

/// Bytes of an index of a `VkIndexType`, or of one of DXGI's formats.
pub(super) fn index_bytes(ty: u32, is_dxgi: bool) -> Option<u32> {
    const R32_UINT: u32 = 42;
    const R16_UINT: u32 = 57;
    const R8_UINT: u32 = 62;
    if is_dxgi {
        return match ty {
            R32_UINT => Some(4),
            R16_UINT => Some(2),
            R8_UINT => Some(1),
            _ => None,
        };
    }
    match vk::IndexType::from_raw(ty as i32) {
        vk::IndexType::UINT32 => Some(4),
        vk::IndexType::UINT16 => Some(2),
        vk::IndexType::UINT8 => Some(1),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn token(kind: TokenKind, offset: u32) -> Token {
        Token { kind, offset }
    }

    #[test]
    fn layouts_end_with_their_only_work() {
        let (dispatch, index) = (token(TokenKind::Dispatch, 4), token(TokenKind::SequenceIndex(0), 0));
        assert_eq!(IndirectCommandsLayout::new(16, vec![index, dispatch]).unwrap().bytes, 16);
        for wrong in [vec![], vec![index], vec![dispatch, dispatch], vec![dispatch, index]] {
            IndirectCommandsLayout::new(16, wrong).unwrap_err();
        }
        IndirectCommandsLayout::new(INDIRECT_STRIDE_MAX + 1, vec![dispatch]).unwrap_err();
        IndirectCommandsLayout::new(16, vec![token(TokenKind::Dispatch, INDIRECT_TOKEN_OFFSET_MAX + 1)])
            .unwrap_err();
        IndirectCommandsLayout::new(16, vec![dispatch; INDIRECT_TOKEN_COUNT_MAX as usize + 1]).unwrap_err();
    }

    #[test]
    fn sequences_lie_in_their_range() {
        let layout = IndirectCommandsLayout::new(32, vec![token(TokenKind::Dispatch, 8)]).unwrap();
        let layout = Arc::new(layout);
        let made = |range, count| SequenceCommands::new(Arc::clone(&layout), None, range, (count, 0), 0);
        assert!(made((256, 52), 2).is_ok());
        assert!(made((256, 51), 2).is_err());
        let counted = SequenceCommands::new(Arc::clone(&layout), None, (256, 51), (9, 64), 0);
        assert_eq!(counted.unwrap().max_count, 1, "a count in memory");
        assert!(made((0, 0), 0).is_ok());
        assert!(made((0, 52), 1).is_err());
        assert!(made((u64::MAX - 8, 52), 1).is_err());
        assert!(made((256, u64::MAX - 256), INDIRECT_SEQUENCE_COUNT_MAX + 1).is_err());
    }

    #[test]
    fn index_types_have_two_kinds_of_names() {
        assert_eq!([42, 57, 62, 0].map(|ty| index_bytes(ty, true)), [Some(4), Some(2), Some(1), None]);
        let types =
            [vk::IndexType::UINT32, vk::IndexType::UINT16, vk::IndexType::UINT8, vk::IndexType::NONE_KHR];
        assert_eq!(types.map(|ty| index_bytes(ty.as_raw() as u32, false)), [Some(4), Some(2), Some(1), None]);
    }
}
