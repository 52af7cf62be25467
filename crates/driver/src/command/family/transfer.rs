//! Commands that move or fill memory: copies of buffers, images and tensors, clears, acceleration structures.

use crate::command::acceleration_structure::StructureCommand;
use crate::command::state::CommandProcessor;
use crate::command::transfer::{Decompression, IndirectCopy, MatrixConversion, Transfer};
use crate::objects::memory::mapped::Range;
use crate::objects::tensor::TensorCopy;
use crate::report::Severity;

/// Moves or fills memory.
pub enum TransferCommand {
    /// Copies between ranges of the same size.
    Copy(Box<[(Range, Range)]>),
    /// Copies a tensor.
    CopyTensor(Box<TensorCopy>),
    /// Repeats a word (`vkCmdFillBuffer`).
    Fill(Box<Range>, u32),
    /// Writes bytes (`vkCmdUpdateBuffer`).
    Update(Box<UpdateBuffer>),
    /// Copies, blits, clears or resolves images.
    Images(Box<[Transfer]>),
    /// Copies whose regions are in memory.
    CopyIndirect(Box<IndirectCopy>),
    /// Decompresses memory.
    Decompress(Box<Decompression>),
    /// Converts matrices of cooperative vectors.
    ConvertMatrices(Box<[MatrixConversion]>),
    /// Builds acceleration structures, copies them or asks about them.
    Structures(Box<StructureCommand>),
}

/// `vkCmdUpdateBuffer`.
pub struct UpdateBuffer {
    /// Where the bytes go; as long as they are.
    pub target: Range,
    /// The bytes.
    pub bytes: Box<[u8]>,
}

impl TransferCommand {
    /// Runs it.
    pub(in crate::command) fn run(&self, processor: &CommandProcessor<'_>) {
        let (engine, alive) = (processor.engine(), processor.alive);
        match self {
            TransferCommand::Copy(pairs) => {
                pairs.iter().for_each(|(source, target)| target.copy_from(source));
            }
            TransferCommand::CopyTensor(copy) => copy.run(),
            TransferCommand::Fill(range, word) => range.fill(*word),
            TransferCommand::Update(update) => update.target.write(0, &update.bytes),
            TransferCommand::Images(list) => list.iter().for_each(|transfer| transfer.run(engine)),
            TransferCommand::CopyIndirect(copy) => {
                copy.run(alive.memory(), |transfer| transfer.run(engine));
            }
            TransferCommand::Decompress(regions) => {
                let failed = regions.run(engine, alive.memory());
                if failed > 0 {
                    let message = format!(
                        "{failed} regions are not decompressed: their data is not GDeflate, or more than they have room for (VUID-VkDecompressMemoryRegionEXT-decompressedSize-07689)"
                    );
                    processor.device.reporter().report(Severity::Error, &message, None);
                }
            }
            TransferCommand::ConvertMatrices(conversions) => {
                conversions.iter().for_each(|conversion| conversion.run(alive.memory()));
            }
            TransferCommand::Structures(command) => command.run(processor.device, engine, alive.memory()),
        }
    }

    /// Bytes that it moves, where that is known when it is recorded.
    pub(in crate::command) fn bytes(&self) -> Option<u64> {
        match self {
            TransferCommand::Copy(pairs) => Some(pairs.iter().map(|(source, _)| source.size()).sum()),
            TransferCommand::Fill(range, _) => Some(range.size()),
            TransferCommand::Update(update) => Some(update.target.size()),
            TransferCommand::Decompress(regions) => regions.bytes(),
            _ => None,
        }
    }
}
