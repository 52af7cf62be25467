//! Recording of what is bound: pipelines, descriptor sets, descriptors that commands hold themselves, push
//! constants.

use super::{CommandBuffer, Recording};
use crate::Shared;
use crate::command::family::bind::{BindAddresses, BindCommand, BindSet, BindSets, DynamicBuffer, PushWords};
use crate::error::{Error, Result};
use crate::objects::descriptor::DescriptorSet;
use crate::pipeline::graphics::GraphicsPipeline;
use crate::pipeline::raytrace::RayPipeline;
use crate::pipeline::{ComputePipeline, PipelineLayout};
use smallvec::SmallVec;
use std::sync::Arc;
use vulkanalia_sys as vk;

fn too_many_sets() -> Error {
    Error::misuse("more sets than the pipeline layout has (VUID-vkCmdBindDescriptorSets-firstSet-00360)")
}

impl Recording {
    #[inline]
    fn bind_set(
        &mut self,
        point: vk::PipelineBindPoint,
        number: u32,
        set: Option<impl Shared<DescriptorSet>>,
    ) {
        let set = set.map(|set| self.list.objects.sets.insert(set));
        self.list.commands.push(BindCommand::Set(BindSet { point, number, set }).into());
    }
}

impl CommandBuffer {
    /// Sets the compute pipeline.
    ///
    /// # Errors
    /// When it does not record.
    #[inline]
    pub fn bind_pipeline(&mut self, pipeline: impl Shared<ComputePipeline>) -> Result<()> {
        self.record(|recording| {
            let id = recording.list.objects.compute_pipelines.insert(pipeline);
            recording.list.commands.push(BindCommand::ComputePipeline(id).into());
            Ok(())
        })
    }

    /// Sets the pipeline of subpass shading.
    ///
    /// # Errors
    /// When it does not record.
    pub fn bind_subpass_pipeline(&mut self, pipeline: impl Shared<ComputePipeline>) -> Result<()> {
        self.record(|recording| {
            let id = recording.list.objects.compute_pipelines.insert(pipeline);
            recording.list.commands.push(BindCommand::SubpassPipeline(id).into());
            Ok(())
        })
    }

    /// Sets the graphics pipeline.
    ///
    /// # Errors
    /// When it does not record.
    #[inline]
    pub fn bind_graphics_pipeline(&mut self, pipeline: impl Shared<GraphicsPipeline>) -> Result<()> {
        self.record(|recording| {
            let id = recording.list.objects.graphics_pipelines.insert(pipeline);
            recording.list.commands.push(BindCommand::GraphicsPipeline(id).into());
            Ok(())
        })
    }

    /// Makes a compute pipeline known by an address to generated commands, when this is executed.
    ///
    /// # Errors
    /// When it does not record, or within a render pass instance.
    pub fn save_pipeline(&mut self, address: u64, pipeline: impl Shared<ComputePipeline>) -> Result<()> {
        self.record(|recording| {
            if recording.instance.is_some() {
                return Err(Error::misuse(
                    "within a render pass instance (VUID-vkCmdUpdatePipelineIndirectBufferNV-renderpass)",
                ));
            }
            let id = recording.list.objects.compute_pipelines.insert(pipeline);
            recording.list.commands.push(BindCommand::SavePipeline(address, id).into());
            Ok(())
        })
    }

    /// Sets the ray tracing pipeline.
    ///
    /// # Errors
    /// When it does not record, or the pipeline is only a library.
    pub fn bind_ray_pipeline(&mut self, pipeline: impl Shared<RayPipeline>) -> Result<()> {
        if pipeline.object().is_library() {
            return Err(Error::misuse("a library is bound (VUID-vkCmdBindPipeline-pipeline-03382)"));
        }
        self.record(|recording| {
            let id = recording.list.objects.ray_pipelines.insert(pipeline);
            recording.list.commands.push(BindCommand::RayPipeline(id).into());
            Ok(())
        })
    }

    /// Binds a set, or none, as number `number`.
    ///
    /// # Errors
    /// When the layout has fewer sets, or the set has dynamic buffers: they have no offsets.
    #[inline]
    pub fn bind_set(
        &mut self,
        point: vk::PipelineBindPoint,
        layout: &PipelineLayout,
        number: u32,
        set: Option<impl Shared<DescriptorSet>>,
    ) -> Result<()> {
        if set.as_ref().is_some_and(|set| set.object().layout().dynamic_count() != 0) {
            let sets = SmallVec::from_iter([set.map(|set| set.share())]);
            return self.bind_sets(point, layout, number, sets, &[]);
        }
        if number as usize >= layout.sets().len() {
            return Err(too_many_sets());
        }
        self.record(|recording| {
            recording.bind_set(point, number, set);
            Ok(())
        })
    }

    /// Binds sets.
    ///
    /// # Errors
    /// When the layout has fewer sets or other ones, or the dynamic offsets do not suffice.
    pub fn bind_sets(
        &mut self,
        point: vk::PipelineBindPoint,
        layout: &PipelineLayout,
        first: u32,
        sets: SmallVec<[Option<Arc<DescriptorSet>>; 4]>,
        dynamic_offsets: &[u32],
    ) -> Result<()> {
        let first = first as usize;
        if first.saturating_add(sets.len()) > layout.sets().len() {
            return Err(too_many_sets());
        }
        let mut dynamic = SmallVec::new();
        let mut offsets = dynamic_offsets.iter();
        let mut index = layout.dynamic_before(first);
        for (number, set) in sets.iter().enumerate() {
            for binding in set.iter().flat_map(|set| set.layout().bindings().iter()) {
                if binding.dynamic_first.is_none() {
                    continue;
                }
                for element in 0..binding.info.count {
                    let &offset = offsets.next().ok_or_else(|| {
                        Error::misuse(
                            "too few dynamic offsets (VUID-vkCmdBindDescriptorSets-dynamicOffsetCount-00359)",
                        )
                    })?;
                    let place = binding.offset + element * binding.stride;
                    dynamic.push(DynamicBuffer { index, set: number as u32, place, offset });
                    index += 1;
                }
            }
        }
        if offsets.next().is_some() {
            return Err(Error::misuse(
                "too many dynamic offsets (VUID-vkCmdBindDescriptorSets-dynamicOffsetCount-00359)",
            ));
        }
        self.push(BindCommand::Sets(Box::new(BindSets { point, first, sets, dynamic })))
    }

    /// Says which buffers hold descriptors, by address.
    ///
    /// # Errors
    /// When it does not record.
    pub fn bind_descriptor_buffers(&mut self, addresses: impl Iterator<Item = u64>) -> Result<()> {
        self.record(|recording| {
            recording.descriptor_buffers = addresses.collect();
            Ok(())
        })
    }

    /// Binds sets from number `first` on that lie in these buffers, each given by number and an offset in it.
    ///
    /// # Errors
    /// When the layout has fewer sets, or there is no such buffer.
    pub fn set_descriptor_offsets(
        &mut self,
        point: vk::PipelineBindPoint,
        layout: &PipelineLayout,
        first: u32,
        places: impl ExactSizeIterator<Item = (u32, u64)>,
    ) -> Result<()> {
        let first = first as usize;
        let layouts = layout.sets().get(first..).and_then(|sets| sets.get(..places.len())).ok_or_else(|| {
            Error::misuse(
                "more sets than the pipeline layout has (VUID-vkCmdSetDescriptorBufferOffsetsEXT-firstSet-08066)",
            )
        })?;
        self.record(|recording| {
            let sets = places.zip(layouts).map(|((buffer, offset), layout)| {
                let address = recording.descriptor_buffers.get(buffer as usize).ok_or_else(|| {
                    Error::misuse(
                        "no such descriptor buffer is bound \
                         (VUID-vkCmdSetDescriptorBufferOffsetsEXT-pBufferIndices-08065)",
                    )
                })?;
                Ok((address.wrapping_add(offset), Arc::clone(layout)))
            });
            let bind = BindAddresses { point, first, sets: sets.collect::<Result<_>>()? };
            recording.list.commands.push(BindCommand::SetAddresses(Box::new(bind)).into());
            Ok(())
        })
    }

    /// Binds the samplers that the set layout number `set` has itself.
    ///
    /// # Errors
    /// When the layout has no such set, or there is no memory.
    pub fn bind_embedded_samplers(
        &mut self,
        point: vk::PipelineBindPoint,
        layout: &PipelineLayout,
        set: u32,
    ) -> Result<()> {
        let set_layout = layout.sets().get(set as usize).ok_or_else(|| {
            Error::misuse(
                "the pipeline layout has no such set (VUID-vkCmdBindDescriptorBufferEmbeddedSamplersEXT-set-08071)",
            )
        })?;
        let samplers = Arc::new(DescriptorSet::new(Arc::clone(set_layout), None)?);
        self.record(|recording| {
            recording.bind_set(point, set, Some(&samplers));
            Ok(())
        })
    }

    /// Changes the push descriptor set number `set` by `write` and binds it.
    ///
    /// # Errors
    /// When the layout has no push descriptor set there, and `write`'s.
    pub fn push_descriptors(
        &mut self,
        point: vk::PipelineBindPoint,
        layout: &PipelineLayout,
        set: u32,
        write: impl FnOnce(&DescriptorSet) -> Result<()>,
    ) -> Result<()> {
        let set_layout = layout.sets().get(set as usize).filter(|set| set.is_push()).ok_or_else(|| {
            Error::misuse(
                "the set's layout is not for push descriptors (VUID-vkCmdPushDescriptorSet-set-00365)",
            )
        })?;
        self.record(|recording| {
            let next = match recording.pushed.get(&(point, set)) {
                Some(old) if Arc::ptr_eq(old.layout(), set_layout) => old.duplicate()?,
                _ => DescriptorSet::new(Arc::clone(set_layout), None)?,
            };
            write(&next)?;
            let next = Arc::new(next);
            recording.bind_set(point, set, Some(&next));
            recording.pushed.insert((point, set), next);
            Ok(())
        })
    }

    /// Writes push constants.
    ///
    /// # Errors
    /// When they are beyond the limit.
    pub fn push_constants(&mut self, offset: u32, bytes: &[u8]) -> Result<()> {
        if offset as usize + bytes.len() > pyro_abi::PUSH_CONSTANT_BYTES_MAX || !offset.is_multiple_of(4) {
            return Err(Error::misuse(
                "push constants beyond maxPushConstantsSize (VUID-vkCmdPushConstants-offset-00370)",
            ));
        }
        match PushWords::new(offset, bytes) {
            Some(words) => self.push(words),
            None => self.push(BindCommand::PushConstants { offset, bytes: bytes.into() }),
        }
    }

    /// Writes push constants of a bank.
    ///
    /// # Errors
    /// When there is no such bank, or they are beyond the limit.
    pub fn push_bank_constants(&mut self, bank: u32, offset: u32, bytes: &[u8]) -> Result<()> {
        if bank == 0 {
            return self.push_constants(offset, bytes);
        }
        if bank as usize >= pyro_abi::PUSH_BANK_COUNT {
            return Err(Error::misuse(format!("there is no bank {bank} of push constants")));
        }
        if offset as usize + bytes.len() > pyro_abi::PUSH_CONSTANT_BYTES_MAX || !offset.is_multiple_of(4) {
            return Err(Error::misuse("push constants beyond the end of their bank"));
        }
        let offset = bank * pyro_abi::PUSH_CONSTANT_BYTES_MAX as u32 + offset;
        self.push(BindCommand::PushConstants { offset, bytes: bytes.into() })
    }
}
