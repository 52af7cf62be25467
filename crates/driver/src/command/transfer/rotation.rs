//! Copies and blits that turn (`VK_QCOM_rotated_copy_commands`), and render passes that do
//! (`VK_QCOM_render_pass_transform`).

use super::surface::Region;
use crate::error::{Error, Result};
use crate::objects::image::Image;
use vulkanalia_sys as vk;

/// By how much, clockwise.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Rotation {
    /// Not at all.
    #[default]
    None,
    /// 90 degrees.
    Quarter,
    /// 180 degrees.
    Half,
    /// 270 degrees.
    ThreeQuarters,
}

impl Rotation {
    /// What an application asks for. `rule`: the VUID that says what it may.
    ///
    /// # Errors
    /// When it is none of the four.
    pub fn new(transform: vk::SurfaceTransformFlagsKHR, rule: &str) -> Result<Rotation> {
        use vk::SurfaceTransformFlagsKHR as Transform;
        Ok(match transform {
            Transform::IDENTITY => Rotation::None,
            Transform::ROTATE_90 => Rotation::Quarter,
            Transform::ROTATE_180 => Rotation::Half,
            Transform::ROTATE_270 => Rotation::ThreeQuarters,
            _ => return Err(Error::misuse(format!("transform is not one rotation ({rule})"))),
        })
    }

    /// Whether columns become rows.
    pub(crate) fn is_crosswise(self) -> bool {
        matches!(self, Rotation::Quarter | Rotation::ThreeQuarters)
    }

    /// What turns back.
    #[must_use]
    pub(crate) fn back(self) -> Rotation {
        match self {
            Rotation::Quarter => Rotation::ThreeQuarters,
            Rotation::ThreeQuarters => Rotation::Quarter,
            other => other,
        }
    }

    /// So many columns and rows, turned.
    pub fn turned_size(self, [width, height]: [u32; 2]) -> [u32; 2] {
        if self.is_crosswise() { [height, width] } else { [width, height] }
    }

    /// Checks that an image can be turned.
    ///
    /// # Errors
    /// When it is not of two dimensions, compressed, or of several planes.
    pub(super) fn check(self, image: &Image) -> Result<()> {
        let is_plain = image.info().ty == vk::ImageType::_2D
            && image.format().block_extent() == [1; 3]
            && image.plane(1).is_err();
        if self != Rotation::None && !is_plain {
            return Err(Error::misuse(
                "a rotation of an image that is not of two dimensions, one plane, and single texels \
                 (VUID-VkCopyBufferToImageInfo2KHR-pRegions-04555, VUID-VkCopyBufferToImageInfo2KHR-pRegions-06203, \
                 VUID-VkBlitImageInfo2-pRegions-04561)",
            ));
        }
        Ok(())
    }

    /// The texels of an image that a region of so many columns and rows is turned to, about its offset.
    ///
    /// # Errors
    /// When some lie before the image.
    pub(super) fn turned(self, offset: vk::Offset3D, [width, height, planes]: [u32; 3]) -> Result<Region> {
        let (back, up) = match self {
            Rotation::None => (0, 0),
            Rotation::Quarter => (height, 0),
            Rotation::Half => (width, height),
            Rotation::ThreeQuarters => (0, width),
        };
        let first = |at: i32, before: u32| {
            u32::try_from(i64::from(at) - i64::from(before)).map_err(|_| {
                Error::misuse(
                    "the rotated region is not inside the image (VUID-VkCopyBufferToImageInfo2KHR-pRegions-04554)",
                )
            })
        };
        let count = if self.is_crosswise() { [height, width, planes] } else { [width, height, planes] };
        Ok(Region { first: [first(offset.x, back)?, first(offset.y, up)?, 0], count })
    }

    /// Column and row in memory of a texel of the turned region of so many columns and rows.
    pub(crate) fn place(self, [column, row]: [u32; 2], [columns, rows]: [u32; 2]) -> [u32; 2] {
        match self {
            Rotation::None => [column, row],
            Rotation::Quarter => [row, columns - 1 - column],
            Rotation::Half => [columns - 1 - column, rows - 1 - row],
            Rotation::ThreeQuarters => [rows - 1 - row, column],
        }
    }
}
