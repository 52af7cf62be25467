//! Reports: how running shaders tell the runtime something, such as what `debugPrintf` prints or what the
//! sanitizer finds.
//!
//! # How
//! A place in a shader that reports is a *site*. It writes columns of values into a call record (the header
//! of [`crate::image::record`]) and calls the function object at [`crate::DispatchContext::reporter`]. The
//! header names the site: the number of the kernel's [`SiteTable`], the index in it, and how many lanes a
//! column has. Everything that is known while compiling (format strings, types, source lines) is in the
//! table, so shaders carry only values.
//!
//! # Columns
//! First the invocation's ids ([`SiteTable::ids`]), then the site's values ([`Site::values`]); a scalar of up
//! to 32 bits takes a column, one of 64 bits two, the low half first. Narrow scalars are extended by their
//! sign where they have one; booleans are 0 and 1.
//!
//! # Invariants
//! * A table's number is a digest of its content, and is part of the code that names it. So a table can be
//!   found as long as a kernel with sites of it is alive, also when the kernel comes from a cache.
//! * A reporter keeps all registers, vectors and masks included: code around a report that is seldom made
//!   is compiled as if it were not there.
//! * A reporter writes nothing but its own memory: code that reports may be compiled as if the call only
//!   read.
//!
//! Must not know: what the runtime does with reports.

use crate::shadow::Tracked;
use crate::trace::TraceTable;
use pyro_util::codec::{ByteCodec, Reader};
use pyro_util::sanitize::Kind;
use pyro_util::sync::Mutex;
use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Weak};

/// The header of a report's call record.
pub mod record {
    pub use crate::image::record::{ACTIVE_LANES, column_offset, header_bytes};

    /// [`super::SiteTable::number`], `u64`.
    pub const TABLE: u32 = crate::image::record::IMAGE;
    /// The site's index in its table, `u32`.
    pub const SITE: u32 = crate::image::record::SAMPLER;
    /// Lanes of a column, `u32`.
    pub const LANES: u32 = SITE + 4;

    /// Bytes for one lane of a slot that holds a record of so many columns.
    pub const fn slot_bytes(columns: u32, lanes: u32) -> u32 {
        column_offset(columns, lanes) / lanes
    }
}

/// What a shader declares of an image, as bits of a word: its dimensions, a flag for each property, and the
/// class of its texels.
pub mod declaration {
    /// One dimension.
    pub const D1: u32 = 0;
    /// Two.
    pub const D2: u32 = 1;
    /// Three.
    pub const D3: u32 = 2;
    /// A cube.
    pub const CUBE: u32 = 3;
    /// A texel buffer.
    pub const BUFFER: u32 = 4;
    /// Nothing is known of them.
    pub const ANY: u32 = 7;
    /// The bits of the dimensions.
    pub const DIMENSIONS: u32 = 7;
    /// It has layers.
    pub const ARRAYED: u32 = 1 << 3;
    /// It has samples.
    pub const MULTISAMPLED: u32 = 1 << 4;
    /// Texels are floats.
    pub const FLOAT: u32 = 0;
    /// Texels are signed integers.
    pub const SIGNED: u32 = 1 << 5;
    /// Texels are unsigned integers.
    pub const UNSIGNED: u32 = 2 << 5;
    /// Nothing is known of them.
    pub const ANY_CLASS: u32 = 3 << 5;
    /// Where the format of a storage image begins: a number of [`FORMATS`], or [`OTHER_FORMAT`]; zero where
    /// none is declared.
    pub const FORMAT_SHIFT: u32 = 8;
    /// The format of a view that has no name in shaders.
    pub const OTHER_FORMAT: u32 = 255;

    /// By SPIR-V's number: what the format of a storage image is called in shaders, and in Vulkan.
    pub const FORMATS: [(&str, &str); 42] = [
        ("Unknown", ""),
        ("Rgba32f", "R32G32B32A32_SFLOAT"),
        ("Rgba16f", "R16G16B16A16_SFLOAT"),
        ("R32f", "R32_SFLOAT"),
        ("Rgba8", "R8G8B8A8_UNORM"),
        ("Rgba8Snorm", "R8G8B8A8_SNORM"),
        ("Rg32f", "R32G32_SFLOAT"),
        ("Rg16f", "R16G16_SFLOAT"),
        ("R11fG11fB10f", "B10G11R11_UFLOAT_PACK32"),
        ("R16f", "R16_SFLOAT"),
        ("Rgba16", "R16G16B16A16_UNORM"),
        ("Rgb10A2", "A2B10G10R10_UNORM_PACK32"),
        ("Rg16", "R16G16_UNORM"),
        ("Rg8", "R8G8_UNORM"),
        ("R16", "R16_UNORM"),
        ("R8", "R8_UNORM"),
        ("Rgba16Snorm", "R16G16B16A16_SNORM"),
        ("Rg16Snorm", "R16G16_SNORM"),
        ("Rg8Snorm", "R8G8_SNORM"),
        ("R16Snorm", "R16_SNORM"),
        ("R8Snorm", "R8_SNORM"),
        ("Rgba32i", "R32G32B32A32_SINT"),
        ("Rgba16i", "R16G16B16A16_SINT"),
        ("Rgba8i", "R8G8B8A8_SINT"),
        ("R32i", "R32_SINT"),
        ("Rg32i", "R32G32_SINT"),
        ("Rg16i", "R16G16_SINT"),
        ("Rg8i", "R8G8_SINT"),
        ("R16i", "R16_SINT"),
        ("R8i", "R8_SINT"),
        ("Rgba32ui", "R32G32B32A32_UINT"),
        ("Rgba16ui", "R16G16B16A16_UINT"),
        ("Rgba8ui", "R8G8B8A8_UINT"),
        ("R32ui", "R32_UINT"),
        ("Rgb10a2ui", "A2B10G10R10_UINT_PACK32"),
        ("Rg32ui", "R32G32_UINT"),
        ("Rg16ui", "R16G16_UINT"),
        ("Rg8ui", "R8G8_UINT"),
        ("R16ui", "R16_UINT"),
        ("R8ui", "R8_UINT"),
        ("R64ui", "R64_UINT"),
        ("R64i", "R64_SINT"),
    ];

    /// What shaders have to declare for storage images of a format of Vulkan (without `VK_FORMAT_`).
    pub fn format_bits(name: &str) -> u32 {
        // The same texels, where the least significant byte comes first.
        let name = match name.strip_prefix("A8B8G8R8_").and_then(|rest| rest.strip_suffix("_PACK32")) {
            Some(class) => &format!("R8G8B8A8_{class}"),
            None => name,
        };
        let number = FORMATS.iter().position(|(_, of_vulkan)| *of_vulkan == name);
        number.map_or(OTHER_FORMAT, |number| number as u32) << FORMAT_SHIFT
    }
}

/// Words of [`crate::DispatchContext::told`].
pub const TOLD_COUNT: u32 = 1 << 12;

/// The type of a scalar in a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ValueType {
    /// `OpTypeBool`
    Bool,
    /// A signed integer of up to 32 bits.
    Signed,
    /// An unsigned integer of up to 32 bits.
    Unsigned,
    /// A signed integer of 64 bits.
    Signed64,
    /// An unsigned integer of 64 bits.
    Unsigned64,
    /// A float of up to 32 bits, as one of 32.
    Float,
    /// A float of 64 bits.
    Float64,
    /// A device address.
    Address,
    /// A number of [`SiteTable::strings`].
    String,
}

pyro_util::codec_enum!(ValueType {
    Bool,
    Signed,
    Unsigned,
    Signed64,
    Unsigned64,
    Float,
    Float64,
    Address,
    String
});

impl ValueType {
    /// Columns that a scalar takes.
    pub fn columns(self) -> u32 {
        match self {
            ValueType::Signed64 | ValueType::Unsigned64 | ValueType::Float64 | ValueType::Address => 2,
            _ => 1,
        }
    }
}

/// A scalar or vector in a report.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct SiteValue {
    /// What it is, for messages.
    pub name: String,
    /// The type of a component.
    pub ty: ValueType,
    /// Components.
    pub count: u32,
}

pyro_util::codec_struct!(SiteValue { name, ty, count });

impl SiteValue {
    /// Columns that it takes.
    pub fn columns(&self) -> u32 {
        self.ty.columns() * self.count
    }
}

/// What an access does to memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AccessKind {
    /// It reads.
    Read,
    /// It writes.
    Write,
    /// It is atomic, and reads.
    Atomic,
    /// It is atomic, only writes, and orders other accesses.
    AtomicStore,
    /// It is atomic, only writes, and orders nothing.
    RelaxedStore,
}

pyro_util::codec_enum!(AccessKind { Read, Write, Atomic, AtomicStore, RelaxedStore });

impl AccessKind {
    /// All of them.
    pub const ALL: [AccessKind; 5] = [
        AccessKind::Read,
        AccessKind::Write,
        AccessKind::Atomic,
        AccessKind::AtomicStore,
        AccessKind::RelaxedStore,
    ];

    /// It is an atomic operation.
    pub fn is_atomic(self) -> bool {
        matches!(self, AccessKind::Atomic | AccessKind::AtomicStore | AccessKind::RelaxedStore)
    }

    /// What was there before matters.
    pub fn reads(self) -> bool {
        matches!(self, AccessKind::Read | AccessKind::Atomic)
    }
}

/// Who an access is coherent with: the scope of an atomic operation, or what makes a plain access available
/// and visible to others of the dispatch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Reach {
    /// The invocation alone.
    Invocation,
    /// Those of its subgroup.
    Subgroup,
    /// Those of its workgroup.
    Workgroup,
    /// All of the device.
    Device,
}

pyro_util::codec_enum!(Reach { Invocation, Subgroup, Workgroup, Device });

/// What memory an access is of, as barriers tell it apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MemoryClass {
    /// A uniform buffer.
    Uniform,
    /// A storage buffer, storage image, storage texel buffer or device address.
    Storage,
    /// A sampled image or uniform texel buffer.
    Sampled,
    /// An input attachment.
    InputAttachment,
    /// As `Storage`, by an access that makes memory available to the device, or visible from it, itself.
    DeviceScope,
    /// As `Storage`, by a fragment shader with an interlock: fragments of a pixel are in order, of draws too.
    Interlocked,
    /// An acceleration structure. The address is that of what descriptors have of it.
    Structure,
    /// A tensor. The address is that of its elements.
    Tensor,
}

pyro_util::codec_enum!(MemoryClass {
    Uniform,
    Storage,
    Sampled,
    InputAttachment,
    DeviceScope,
    Interlocked,
    Structure,
    Tensor
});

/// What a report is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SiteKind {
    /// `debugPrintf`: [`Site::text`] is the format.
    Print,
    /// A finding of the sanitizer: [`Site::text`] is the message.
    Finding(Kind),
    /// `OpAbortKHR`, by its number in [`SiteTable::aborts`]: [`Site::text`] is the format at the start of its
    /// message, if there is one.
    Abort(u32),
    /// An access of workgroup memory whose cell in shadow memory ([`crate::shadow`]) is odd: it conflicts
    /// with another, or nobody has written it. Values: [`ACCESS_VALUES`].
    WorkgroupAccess {
        /// What it does, and where marks have what. Its site is the number that marks have.
        tracked: Tracked,
    },
    /// An access of a word of a buffer that another invocation has accessed in a way that conflicts. Values:
    /// [`BUFFER_VALUES`].
    BufferWord {
        /// What it does, and the number that details have for its site.
        tracked: Tracked,
    },
    /// An access of a buffer. Values: [`WORKGROUP_VALUES`], and the address.
    BufferAccess {
        /// What it does.
        access: AccessKind,
        /// Bytes.
        bytes: u32,
        /// Who it is coherent with.
        reach: Reach,
    },
    /// An access at a device address. Values: the address.
    AddressAccess {
        /// What it does.
        access: AccessKind,
        /// Bytes.
        bytes: u32,
    },
    /// A synchronization other than a barrier of the workgroup: a release, an acquire or both.
    Synchronize {
        /// It releases.
        releases: bool,
        /// It acquires.
        acquires: bool,
        /// With invocations of the subgroup only.
        within_subgroup: bool,
    },
    /// A barrier of the workgroup, which the way of an invocation names by this number, from 1. Never
    /// reported itself.
    Barrier {
        /// The number.
        number: u32,
    },
    /// The end of an invocation that came to other barriers than the first of the workgroup that ended.
    /// Values: [`END_VALUES`].
    End {
        /// The end's number, from 1.
        number: u32,
    },
    /// A segment of a trace ([`crate::trace`]), by its number. Columns are those of the segment.
    Trace(u32),
    /// An access of a texel among invocations of a dispatch. Values: [`WORKGROUP_VALUES`], and the address.
    ImageAccess {
        /// What it does.
        access: AccessKind,
        /// Bytes.
        bytes: u32,
    },
    /// An access of a buffer, for commands. Values: [`crate::DispatchContext::serial`], and the address.
    MemoryAccess {
        /// What it does.
        access: AccessKind,
        /// Of what.
        class: MemoryClass,
        /// Bytes.
        bytes: u32,
        /// What it reads need not be written: it is only copied.
        may_be_unwritten: bool,
    },
    /// An access of a texel, for commands. Values: the serial, the address of the image's record,
    /// [`declaration`]; x, y, z and layer; level, sample.
    TexelAccess {
        /// What it does.
        access: AccessKind,
        /// Of what.
        class: MemoryClass,
    },
    /// A read of an image of which it is not told which texels, for commands. Values: the serial, the address
    /// of the image's record, [`declaration`], the address of the sampler's record or zero, one more than the
    /// index of the input attachment or zero.
    ViewAccess {
        /// Of what.
        class: MemoryClass,
    },
    /// A read of an image through a sampler, for commands. Values: those of `ViewAccess`, and the columns of
    /// [`sampling`].
    SampleAccess {
        /// Of what.
        class: MemoryClass,
        /// What there is of operands: bits of [`sampling`].
        operands: u32,
    },
    /// A read of an image through a sampler among invocations of a dispatch. Values: [`WORKGROUP_VALUES`],
    /// the addresses of the image's and the sampler's records, and the columns of [`sampling`].
    SampledTexels {
        /// What there is of operands: bits of [`sampling`].
        operands: u32,
    },
}

/// What is told of an operation through a sampler: bits that say which operands it has, and the columns of
/// their values, which are the last of a report.
pub mod sampling {
    /// Which level of detail is taken, two bits.
    pub const LOD: u32 = 3;
    /// The first level.
    pub const FIRST: u32 = 0;
    /// That of the operand.
    pub const EXPLICIT: u32 = 1;
    /// That of the derivatives.
    pub const DERIVATIVES: u32 = 2;
    /// That of the derivatives, with the operand as bias.
    pub const BIASED: u32 = 3;
    /// Texels are offset.
    pub const OFFSET: u32 = 1 << 2;
    /// There is a least level of detail.
    pub const LEAST: u32 = 1 << 3;
    /// It gathers.
    pub const GATHER: u32 = 1 << 4;
    /// Of a gather only the texel counts that has the least coordinates.
    pub const ONE: u32 = 1 << 5;
    /// It fetches the texel whose numbers are the coordinates (x, y, z, layer) and the level, as integers.
    pub const FETCH: u32 = 1 << 6;

    /// The first of four columns: coordinates, then the layer, as floats.
    pub const COORDINATE: u32 = 0;
    /// The level of detail or the bias.
    pub const LEVEL: u32 = 4;
    /// The first of three columns: derivatives in x.
    pub const DX: u32 = 5;
    /// The first of three columns: derivatives in y.
    pub const DY: u32 = 8;
    /// The first of three columns: texel offsets.
    pub const TEXEL_OFFSET: u32 = 11;
    /// The least level of detail.
    pub const LEAST_LOD: u32 = 14;
    /// Columns.
    pub const COLUMNS: u32 = 15;
}

/// The values that reports about a workgroup begin with. `base` is the address of workgroup memory, `serial`
/// that of the dispatch; then the barriers that the invocation has passed: all of the workgroup, those that
/// order workgroup memory, those that order buffers, and those of the subgroup; the subgroup's number; and
/// the interval of marks ([`crate::shadow`]).
pub const WORKGROUP_VALUES: [(&str, ValueType); 8] = [
    ("base", ValueType::Address),
    ("serial", ValueType::Unsigned),
    ("barriers", ValueType::Unsigned),
    ("workgroup barriers", ValueType::Unsigned),
    ("buffer barriers", ValueType::Unsigned),
    ("subgroup barriers", ValueType::Unsigned),
    ("subgroup", ValueType::Unsigned),
    ("interval", ValueType::Unsigned),
];

/// The values of reports of ends: how many barriers the invocation has come to, and the number of the last;
/// then the same of the invocation of the workgroup that ended first, its index and the number of its end.
pub const END_VALUES: [(&str, ValueType); 6] = [
    ("barriers", ValueType::Unsigned),
    ("last", ValueType::Unsigned),
    ("barriers of the first", ValueType::Unsigned),
    ("last of the first", ValueType::Unsigned),
    ("first", ValueType::Unsigned),
    ("end of the first", ValueType::Unsigned),
];

/// The values of reports about words of buffers: the number of the dispatch's first invocation, its
/// workgroups in x and y, and in the end the invocation's number, the owner and the detail that it
/// found, and the number that stands for several.
pub const BUFFER_VALUES: [(&str, ValueType); 8] = [
    ("first", ValueType::Unsigned),
    ("workgroups in x", ValueType::Unsigned),
    ("workgroups in y", ValueType::Unsigned),
    ("own", ValueType::Unsigned),
    ("owner", ValueType::Unsigned),
    ("detail", ValueType::Unsigned),
    ("several", ValueType::Unsigned),
    ("", ValueType::Unsigned),
];

/// The values of reports about accesses of workgroup memory: its address, the dispatch's serial number, the
/// access's first byte, and in the end the mark of the invocation and what it found in the tables of cells.
pub const ACCESS_VALUES: [(&str, ValueType); 8] = [
    ("base", ValueType::Address),
    ("serial", ValueType::Unsigned),
    ("offset", ValueType::Unsigned),
    ("mark", ValueType::Unsigned),
    ("write", ValueType::Unsigned),
    ("read", ValueType::Unsigned),
    ("atomic", ValueType::Unsigned),
    ("relaxed store", ValueType::Unsigned),
];

impl ByteCodec for SiteKind {
    fn write(&self, out: &mut Vec<u8>) {
        match *self {
            SiteKind::Print => out.push(0),
            SiteKind::Finding(kind) => out.extend([1, kind as u8]),
            SiteKind::WorkgroupAccess { tracked } => {
                out.push(2);
                tracked.write(out);
            }
            SiteKind::BufferAccess { access, bytes, reach } => {
                out.push(3);
                access.write(out);
                bytes.write(out);
                reach.write(out);
            }
            SiteKind::Synchronize { releases, acquires, within_subgroup } => {
                out.push(4);
                releases.write(out);
                acquires.write(out);
                within_subgroup.write(out);
            }
            SiteKind::BufferWord { tracked } => {
                out.push(8);
                tracked.write(out);
            }
            SiteKind::Barrier { number } => {
                out.push(5);
                number.write(out);
            }
            SiteKind::End { number } => {
                out.push(6);
                number.write(out);
            }
            SiteKind::Trace(segment) => {
                out.push(9);
                segment.write(out);
            }
            SiteKind::AddressAccess { access, bytes } => {
                out.push(7);
                access.write(out);
                bytes.write(out);
            }
            SiteKind::MemoryAccess { access, class, bytes, may_be_unwritten } => {
                out.push(10);
                access.write(out);
                class.write(out);
                bytes.write(out);
                may_be_unwritten.write(out);
            }
            SiteKind::TexelAccess { access, class } => {
                out.push(11);
                access.write(out);
                class.write(out);
            }
            SiteKind::ViewAccess { class } => {
                out.push(12);
                class.write(out);
            }
            SiteKind::ImageAccess { access, bytes } => {
                out.push(13);
                access.write(out);
                bytes.write(out);
            }
            SiteKind::Abort(number) => {
                out.push(14);
                number.write(out);
            }
            SiteKind::SampleAccess { class, operands } => {
                out.push(15);
                class.write(out);
                operands.write(out);
            }
            SiteKind::SampledTexels { operands } => {
                out.push(16);
                operands.write(out);
            }
        }
    }

    fn read(reader: &mut Reader<'_>) -> Option<SiteKind> {
        Some(match u8::read(reader)? {
            0 => SiteKind::Print,
            1 => SiteKind::Finding(Kind::from_number(u8::read(reader)?)?),
            2 => SiteKind::WorkgroupAccess { tracked: reader.value()? },
            3 => SiteKind::BufferAccess {
                access: reader.value()?,
                bytes: reader.value()?,
                reach: reader.value()?,
            },
            4 => SiteKind::Synchronize {
                releases: reader.value()?,
                acquires: reader.value()?,
                within_subgroup: reader.value()?,
            },
            5 => SiteKind::Barrier { number: reader.value()? },
            6 => SiteKind::End { number: reader.value()? },
            7 => SiteKind::AddressAccess { access: reader.value()?, bytes: reader.value()? },
            8 => SiteKind::BufferWord { tracked: reader.value()? },
            9 => SiteKind::Trace(reader.value()?),
            10 => SiteKind::MemoryAccess {
                access: reader.value()?,
                class: reader.value()?,
                bytes: reader.value()?,
                may_be_unwritten: reader.value()?,
            },
            11 => SiteKind::TexelAccess { access: reader.value()?, class: reader.value()? },
            12 => SiteKind::ViewAccess { class: reader.value()? },
            13 => SiteKind::ImageAccess { access: reader.value()?, bytes: reader.value()? },
            14 => SiteKind::Abort(reader.value()?),
            15 => SiteKind::SampleAccess { class: reader.value()?, operands: reader.value()? },
            16 => SiteKind::SampledTexels { operands: reader.value()? },
            _ => return None,
        })
    }
}

/// Where a site is in the shader's source.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct SitePlace {
    /// The file's name; empty where it is not known.
    pub file: String,
    /// Line, from 1; zero where it is not known.
    pub line: u32,
    /// Column, from 1; zero where it is not known.
    pub column: u32,
    /// The text of the line, where the module has it.
    pub text: Option<String>,
    /// The function's name, or its id.
    pub function: String,
    /// The instruction's first word in the module.
    pub word: u32,
    /// The instruction's name.
    pub instruction: String,
}

pyro_util::codec_struct!(SitePlace { file, line, column, text, function, word, instruction });

/// A place in a shader that reports.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Site {
    /// What it reports.
    pub kind: SiteKind,
    /// The format of a print, the message of a finding, the variable of an access.
    pub text: String,
    /// Where it is.
    pub place: SitePlace,
    /// The values that follow the invocation's ids.
    pub values: Vec<SiteValue>,
}

pyro_util::codec_struct!(Site { kind, text, place, values });

/// Where a value of a site is in the message of an `OpAbortKHR`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct AbortPlace {
    /// Bytes before its first component.
    pub offset: u32,
    /// Bytes from one component to the next.
    pub stride: u32,
    /// Bytes of a component; zero of a string, whose bytes are constant.
    pub bytes: u32,
}

pyro_util::codec_struct!(AbortPlace { offset, stride, bytes });

/// The message of an `OpAbortKHR`, by the explicit layout of its type.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct AbortMessage {
    /// Its bytes, where what is not constant is zero.
    pub constant: Vec<u8>,
    /// Where each of the site's values is.
    pub places: Vec<AbortPlace>,
}

pyro_util::codec_struct!(AbortMessage { constant, places });

impl AbortMessage {
    /// The most bytes of a message (`maxShaderAbortMessageSize`, of which 65,536 are required).
    pub const BYTES_MAX: u64 = 1 << 16;

    /// The message with these values of the site: the components of each, by their bits.
    pub fn bytes<'v>(&self, values: impl Iterator<Item = (ValueType, &'v [u64])>) -> Vec<u8> {
        let mut message = self.constant.clone();
        for (place, (ty, components)) in self.places.iter().zip(values) {
            for (index, &bits) in components.iter().enumerate() {
                // Halves are reported as floats.
                let bits = match (ty, place.bytes) {
                    (ValueType::Float, 2) => {
                        half::f16::from_f32(f32::from_bits(bits as u32)).to_bits().into()
                    }
                    _ => bits,
                };
                let start = place.offset as usize + index * place.stride as usize;
                let bytes = (place.bytes as usize).min(8);
                if let Some(target) = message.get_mut(start..start + bytes) {
                    target.copy_from_slice(&bits.to_le_bytes()[..bytes]);
                }
            }
        }
        message
    }
}

/// The sites of a kernel.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct SiteTable {
    /// The entry point's name.
    pub shader: String,
    /// The module's name or file, where it says one.
    pub module: String,
    /// The stage, as users know it (`compute`, `fragment`).
    pub stage: String,
    /// Invocations of a workgroup in x, y, z; zeros in stages without workgroups.
    pub workgroup_size: [u32; 3],
    /// What says which invocation reports.
    pub ids: Vec<SiteValue>,
    /// The strings that values of the type [`ValueType::String`] stand for.
    pub strings: Vec<String>,
    /// The sites.
    pub sites: Vec<Site>,
    /// The messages of aborts.
    pub aborts: Vec<AbortMessage>,
    /// What traces of the kernel mean, where it is traced.
    pub trace: Option<Box<TraceTable>>,
}

pyro_util::codec_struct!(SiteTable {
    shader,
    module,
    stage,
    workgroup_size,
    ids,
    strings,
    sites,
    aborts,
    trace
});

impl SiteTable {
    /// Columns of the invocation's ids.
    pub fn id_columns(&self) -> u32 {
        self.ids.iter().map(SiteValue::columns).sum()
    }

    /// Its number: a digest of its content, never zero, the same in all processes of a build.
    pub fn number(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        self.hash(&mut hasher);
        hasher.finish().max(1)
    }
}

/// A site table that can be found by its number as long as this is alive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sites(Arc<SiteTable>);

/// The tables of kernels that are alive, by number. Dead ones are removed when there are many.
static TABLES: Mutex<BTreeMap<u64, Weak<SiteTable>>> = Mutex::new(BTreeMap::new());

/// How many tables have been made.
static MADE: AtomicU64 = AtomicU64::new(0);

/// Tables from which on dead ones are looked for.
const TABLES_KEPT: usize = 64;

impl Sites {
    /// Makes a table known.
    pub fn new(table: SiteTable) -> Sites {
        let number = table.number();
        let mut tables = TABLES.lock();
        if tables.len() >= TABLES_KEPT && tables.len().is_power_of_two() {
            tables.retain(|_, table| table.strong_count() > 0);
        }
        if let Some(known) = tables.get(&number).and_then(Weak::upgrade) {
            return Sites(known);
        }
        let table = Arc::new(table);
        tables.insert(number, Arc::downgrade(&table));
        MADE.fetch_add(1, Ordering::Release);
        Sites(table)
    }

    /// A number that changes whenever another table has been made.
    pub fn made() -> u64 {
        MADE.load(Ordering::Acquire)
    }

    /// Whether some table of a kernel that is alive fulfils a condition.
    pub fn any(mut is_it: impl FnMut(&SiteTable) -> bool) -> bool {
        let tables: Vec<_> = TABLES.lock().values().filter_map(Weak::upgrade).collect();
        tables.iter().any(|table| is_it(table))
    }

    /// The table with this number, if a kernel has it.
    pub fn find(number: u64) -> Option<Sites> {
        TABLES.lock().get(&number)?.upgrade().map(Sites)
    }
}

impl std::ops::Deref for Sites {
    type Target = SiteTable;

    fn deref(&self) -> &SiteTable {
        &self.0
    }
}

impl ByteCodec for Sites {
    fn write(&self, out: &mut Vec<u8>) {
        self.0.write(out);
    }

    fn read(reader: &mut Reader<'_>) -> Option<Sites> {
        reader.value().map(Sites::new)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(name: &str) -> SiteTable {
        let tracked = Tracked::from_bits(0x0640_1101_0001_0002);
        let kinds = [
            SiteKind::Print,
            SiteKind::Finding(Kind::ShiftWidth),
            SiteKind::WorkgroupAccess { tracked },
            SiteKind::BufferAccess { access: AccessKind::Write, bytes: 8, reach: Reach::Workgroup },
            SiteKind::Synchronize { releases: true, acquires: false, within_subgroup: true },
            SiteKind::Barrier { number: 3 },
            SiteKind::End { number: 4 },
            SiteKind::BufferWord { tracked },
            SiteKind::AddressAccess { access: AccessKind::Read, bytes: 2 },
            SiteKind::Trace(5),
            SiteKind::MemoryAccess {
                access: AccessKind::Write,
                class: MemoryClass::Storage,
                bytes: 16,
                may_be_unwritten: false,
            },
            SiteKind::TexelAccess { access: AccessKind::Read, class: MemoryClass::Sampled },
            SiteKind::ViewAccess { class: MemoryClass::InputAttachment },
            SiteKind::SampleAccess { class: MemoryClass::Sampled, operands: sampling::BIASED },
            SiteKind::SampledTexels { operands: sampling::GATHER },
            SiteKind::ImageAccess { access: AccessKind::Write, bytes: 4 },
            SiteKind::Abort(3),
        ];
        let value = SiteValue { name: "x".to_owned(), ty: ValueType::Float64, count: 3 };
        let site = |kind| Site {
            kind,
            text: "%v3lf".to_owned(),
            place: SitePlace { line: 7, ..SitePlace::default() },
            values: vec![value.clone()],
        };
        let ids = vec![SiteValue { name: "workgroup".to_owned(), ty: ValueType::Unsigned, count: 3 }];
        let trace =
            TraceTable { words: vec![7], specialization: vec![(1, vec![2; 8])], ..TraceTable::default() };
        SiteTable {
            shader: name.to_owned(),
            ids,
            sites: kinds.map(site).into(),
            trace: Some(Box::new(trace)),
            ..SiteTable::default()
        }
    }

    #[test]
    fn tables_are_found_as_long_as_they_live() {
        let number = table("found").number();
        assert!(Sites::find(number).is_none());
        let sites = Sites::new(table("found"));
        assert_eq!(Sites::find(number).as_ref(), Some(&sites));
        let same = Sites::new(table("found"));
        assert!(Arc::ptr_eq(&sites.0, &same.0));
        drop((sites, same));
        assert!(Sites::find(number).is_none());
    }

    #[test]
    fn decoded_tables_are_known() {
        let mut bytes = Vec::new();
        Sites::new(table("decoded")).write(&mut bytes);
        let number = table("decoded").number();
        assert!(Sites::find(number).is_none());
        let read: Sites = Reader::new(&bytes).value().expect("it was written");
        assert_eq!(*read, table("decoded"));
        assert_eq!(Sites::find(number), Some(read));
        for len in 0..bytes.len() {
            assert_eq!(Reader::new(&bytes[..len]).value::<Sites>(), None, "{len}");
        }
    }

    #[test]
    fn columns_count_halves_of_wide_values() {
        assert_eq!(table("columns").id_columns(), 3);
        assert_eq!(table("columns").sites[0].values[0].columns(), 6);
        for lanes in [4, 8, 16, 32, 64] {
            assert_eq!(record::slot_bytes(9, lanes) * lanes, record::column_offset(9, lanes));
        }
    }
}
