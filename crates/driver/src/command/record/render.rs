//! Recording of rendering: render passes, draws and what they read.

use super::CommandBuffer;
use crate::command::family::dispatch::DispatchCommand;
use crate::command::family::draw::DrawCommand;
use crate::command::family::render::{BindVertexBuffers, ClearAttachments, RenderCommand};
use crate::command::family::sync::SyncCommand;
use crate::command::family::transfer::TransferCommand;
use crate::command::list::CommandList;
use crate::command::render_pass::{ClearWords, CountedRegions, Instance, RenderPass, RenderingInfo, Step};
use crate::command::transfer::{Rotation, Transfer};
use crate::error::{Error, Result};
use crate::objects::image::ImageView;
use crate::pipeline::graphics::{VERTEX_BINDINGS_MAX, VertexBuffer};
use smallvec::SmallVec;
use std::sync::Arc;
use vulkanalia_sys as vk;

impl CommandBuffer {
    /// Records transfers.
    ///
    /// # Errors
    /// When it does not record.
    pub fn transfer(&mut self, list: Vec<Transfer>) -> Result<()> {
        if list.is_empty() {
            return Ok(());
        }
        self.push(TransferCommand::Images(list.into()))
    }

    fn step(&mut self, make: impl FnOnce(&mut Option<Instance>) -> Result<Step>) -> Result<()> {
        self.record(|recording| {
            recording
                .not_per_tile("VUID-vkCmdEndRendering-None-10645, VUID-vkCmdEndRenderPass-None-10653")?;
            let mut step = make(&mut recording.instance)?;
            if step.resolves.iter().any(|resolve| resolve.target.image().is_in_tile_memory()) {
                return Err(Error::misuse(
                    "an attachment in tile memory is resolved to \
                     (VUID-VkRenderingAttachmentInfo-resolveImageView-10728, \
                     VUID-VkFramebufferCreateInfo-pAttachments-12327, \
                     VUID-VkRenderPassBeginInfo-framebuffer-12328)",
                ));
            }
            step.split(&recording.device_areas);
            step.split_views(&recording.view_areas);
            if let (Some(regions), Some(instance)) = (&recording.regions, &recording.instance)
                && let Some(targets) = &mut step.targets
            {
                Arc::make_mut(targets).regions = Some(Arc::new(instance.regions(regions)?));
            }
            if recording.instance.is_none() {
                recording.device_areas.clear();
                recording.view_areas.clear();
                recording.regions = None;
            }
            recording.list.commands.push(RenderCommand::Step(Box::new(step)).into());
            Ok(())
        })
    }

    /// The physical devices that the next render pass instance runs on, by device mask (zero: those that
    /// commands run on now), and the render area of each, if there is not one for all.
    ///
    /// # Errors
    /// When it does not record.
    pub fn set_render_devices(&mut self, mask: u32, areas: &[vk::Rect2D]) -> Result<()> {
        self.record(|recording| {
            // What other devices have is not cleared.
            let has = |index: usize| mask == 0 || mask >> index.min(31) & 1 != 0;
            let areas = areas.iter().enumerate();
            recording.device_areas =
                areas.map(|(index, &area)| if has(index) { area } else { vk::Rect2D::default() }).collect();
            Ok(())
        })?;
        if mask == 0 { Ok(()) } else { self.set_device_mask(mask) }
    }

    /// The render areas of the next render pass instance by view, if it has views; none: one for all.
    ///
    /// # Errors
    /// When it does not record.
    pub fn set_view_areas(&mut self, areas: &[vk::Rect2D]) -> Result<()> {
        self.record(|recording| {
            recording.view_areas = areas.to_vec();
            Ok(())
        })
    }

    /// What the next render pass instance counts by region, if it does.
    ///
    /// # Errors
    /// When it does not record.
    pub fn set_counted_regions(&mut self, regions: Option<CountedRegions>) -> Result<()> {
        self.record(|recording| {
            recording.regions = regions;
            Ok(())
        })
    }

    /// Begins an instance of a render pass.
    ///
    /// # Errors
    /// When one is under way, or attachments are missing.
    pub fn begin_render_pass(
        &mut self,
        pass: Arc<RenderPass>,
        views: Vec<Arc<ImageView>>,
        clears: Vec<ClearWords>,
        area: vk::Rect2D,
        extent: ([u32; 2], u32),
        transform: Option<Rotation>,
    ) -> Result<()> {
        self.step(|current| {
            if current.is_some() {
                return Err(inside());
            }
            let (instance, step) = Instance::begin_pass(pass, views, clears, area, extent, transform)?;
            *current = Some(instance);
            Ok(step)
        })
    }

    /// Begins dynamic rendering.
    ///
    /// # Errors
    /// When an instance is under way.
    pub fn begin_rendering(&mut self, info: RenderingInfo) -> Result<()> {
        self.step(|current| {
            if current.is_some() {
                return Err(inside());
            }
            let (instance, step) = Instance::begin_dynamic(info)?;
            *current = Some(instance);
            Ok(step)
        })
    }

    /// Begins or ends the execution of commands for each tile.
    ///
    /// # Errors
    /// When no render pass with tile shading is under way, or the end has no beginning.
    pub fn set_per_tile(&mut self, is_on: bool) -> Result<()> {
        self.record(|recording| {
            let shades_tiles = recording.instance.as_ref().is_some_and(Instance::shades_tiles);
            if !shades_tiles && !recording.inherits_tile_shading {
                return Err(Error::misuse(
                    "no render pass with tile shading is under way \
                     (VUID-vkCmdBeginPerTileExecutionQCOM-None-10664, \
                     VUID-vkCmdEndPerTileExecutionQCOM-None-10667)",
                ));
            }
            if !is_on && !recording.is_per_tile {
                return Err(Error::misuse(
                    "commands do not run for each tile (VUID-vkCmdEndPerTileExecutionQCOM-None-10666)",
                ));
            }
            recording.is_per_tile = is_on;
            recording.list.commands.push(RenderCommand::PerTile(is_on).into());
            Ok(())
        })
    }

    /// Records a dispatch over the tile.
    ///
    /// # Errors
    /// When commands do not run for each tile.
    pub fn dispatch_tile(&mut self) -> Result<()> {
        self.record(|recording| {
            if !recording.is_per_tile {
                return Err(Error::misuse(
                    "commands do not run for each tile (VUID-vkCmdDispatchTileQCOM-None-10668)",
                ));
            }
            Ok(())
        })?;
        self.push(DispatchCommand::Tile)
    }

    /// Goes on to the next subpass.
    ///
    /// # Errors
    /// When there is none.
    pub fn next_subpass(&mut self) -> Result<()> {
        self.step(|current| current.as_mut().ok_or_else(outside)?.next_subpass())
    }

    /// Draws write what attachments are resolved to, from here on.
    ///
    /// # Errors
    /// When no dynamic rendering that was begun for it is under way.
    pub fn begin_custom_resolve(&mut self) -> Result<()> {
        self.step(|current| current.as_mut().ok_or_else(outside)?.begin_custom_resolve())
    }

    /// Ends a render pass instance, or dynamic rendering, whose fragment density map is moved so far in each
    /// layer.
    ///
    /// # Errors
    /// When none is under way, or the offsets cannot be.
    pub fn end_rendering(&mut self, density_offsets: &[vk::Offset2D]) -> Result<()> {
        self.step(|current| {
            let instance = current.take().ok_or_else(outside)?;
            if let (Some(offsets), false) = (instance.density_offsets(), density_offsets.is_empty()) {
                offsets.set(density_offsets)?;
            }
            Ok(instance.end())
        })
    }

    /// Draws before and after do not overlap. Other commands run one after another anyway.
    ///
    /// # Errors
    /// When it does not record.
    pub fn barrier(&mut self) -> Result<()> {
        let secondary = self.level == vk::CommandBufferLevel::SECONDARY;
        self.record(|recording| {
            if secondary || recording.instance.is_some() {
                recording.list.commands.push(SyncCommand::Barrier.into());
            }
            Ok(())
        })
    }

    /// Clears parts of the attachments.
    ///
    /// # Errors
    /// When it does not record.
    pub fn clear_attachments(
        &mut self,
        clears: Vec<(vk::ImageAspectFlags, u32, ClearWords)>,
        rects: Vec<vk::ClearRect>,
    ) -> Result<()> {
        self.check_not_per_tile("VUID-vkCmdClearAttachments-None-10616")?;
        self.push(RenderCommand::ClearAttachments(Box::new(ClearAttachments { clears, rects })))
    }

    /// Binds vertex buffers.
    ///
    /// # Errors
    /// When there are fewer bindings.
    pub fn bind_vertex_buffers(&mut self, first: u32, buffers: SmallVec<[VertexBuffer; 4]>) -> Result<()> {
        if first as usize + buffers.len() > VERTEX_BINDINGS_MAX {
            return Err(Error::misuse(
                "more than maxVertexInputBindings (VUID-vkCmdBindVertexBuffers-firstBinding-00625)",
            ));
        }
        self.push(RenderCommand::VertexBuffers(Box::new(BindVertexBuffers { first, buffers })))
    }

    /// Records a draw.
    ///
    /// # Errors
    /// When it does not record.
    pub fn draw(&mut self, draw: DrawCommand) -> Result<()> {
        self.push(draw)
    }
}

/// Checks that secondary command buffers inherit the transform that the beginning of a render pass names, if
/// it does.
pub(super) fn check_transforms(instance: &Instance, lists: &[Arc<CommandList>]) -> Result<()> {
    let Some((rotation, area)) = instance.transform() else { return Ok(()) };
    let inherits = |list: &Arc<CommandList>| {
        list.inherited_transform.is_some_and(|(inherited, other)| {
            inherited == rotation && (other.offset, other.extent) == (area.offset, area.extent)
        })
    };
    if lists.iter().all(inherits) {
        return Ok(());
    }
    Err(Error::misuse(
        "a secondary command buffer does not inherit the render pass's transform and render area \
         (VUID-vkCmdExecuteCommands-pNext-02865, VUID-vkCmdExecuteCommands-pNext-02866, \
         VUID-vkCmdExecuteCommands-pNext-02867)",
    ))
}

fn inside() -> Error {
    Error::misuse("a render pass is under way (VUID-vkCmdBeginRenderPass2-renderpass)")
}

fn outside() -> Error {
    Error::misuse("no render pass is under way (VUID-vkCmdEndRenderPass2-renderpass)")
}
