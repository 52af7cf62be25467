//! The vertex stage: fetch of attributes, stores of outputs.

use crate::state::{InputRate, VertexInputState};
use pyro_abi::graphics::graphics_offset as at;
use pyro_image::texel::{self, load_words};
use pyro_image::{Aspect, Format};
use pyro_ir::{Builder, MemoryOp, Scalar, Space, Value};
use pyro_library::Ops;

/// What lanes of a vertex subgroup start from. Made once, where it dominates its uses.
#[derive(Clone, Copy, Debug)]
pub struct Vertex {
    context: Value,
    record: Value,
    lane_offset: Value,
    always: Value,
    /// `VertexIndex`, `i32`.
    pub vertex_index: Value,
    /// `InstanceIndex`, `i32`.
    pub instance_index: Value,
    /// `BaseVertex`, `i32`.
    pub base_vertex: Value,
    /// `BaseInstance`, `i32`.
    pub base_instance: Value,
    /// `DrawIndex`, `i32`.
    pub draw_index: Value,
    /// `ViewIndex`, `i32`.
    pub view_index: Value,
}

impl Vertex {
    /// Reads the record.
    pub fn begin(b: &mut Builder) -> Vertex {
        let (context, record) = (b.arg(0), b.arg(1));
        let lane = b.lane_id();
        let two = b.i32(2);
        let lane_offset = b.shl(lane, two);
        let (always, zero) = (b.bool(true), b.i32(0));
        let memory = MemoryOp::new(Space::Context).speculatable();
        let mut load =
            |place: u32, offset| b.load(Scalar::I32, memory.at(place as i32), record, offset, always);
        Vertex {
            context,
            record,
            lane_offset,
            always,
            vertex_index: load(at::VERTEX_INDEX, lane_offset),
            instance_index: load(at::INSTANCE_INDEX, lane_offset),
            base_vertex: load(at::BASE_VERTEX, zero),
            base_instance: load(at::BASE_INSTANCE, zero),
            draw_index: load(at::DRAW_INDEX, zero),
            view_index: load(at::VIEW_INDEX, zero),
        }
    }

    /// The four components of an attribute, by its place in the state's list; their type is
    /// [`attribute_scalar`]. An element that is not in its buffer whole reads as zero bytes.
    ///
    /// # Panics
    /// When the state has no such attribute.
    pub fn fetch(&self, b: &mut Builder, state: &VertexInputState, index: usize) -> [Value; 4] {
        let attribute = &state.attributes[index];
        let element = self.element(b, attribute.rate);
        let memory = MemoryOp::new(Space::Context).speculatable();
        let record = at::ATTRIBUTES + index as u32 * at::ATTRIBUTE_BYTES;
        let zero = b.i32(0);
        let mut load = |scalar, place: u32| {
            b.load(scalar, memory.at((record + place) as i32), self.context, zero, self.always)
        };
        let address = load(Scalar::I64, at::ATTRIBUTE_ADDRESS);
        let limit = load(Scalar::I32, at::ATTRIBUTE_LIMIT);
        let stride = load(Scalar::I32, at::ATTRIBUTE_STRIDE);
        let within = b.ult(element, limit);
        let offset = b.imul(element, stride);
        // Shaders of the draw may write the buffer, which is legal where they do not race.
        let place = MemoryOp::new(Space::Global);
        let words = load_words(b, attribute.format, place, address, offset, within);
        texel::decode(b, attribute.format, Aspect::Color, &words)
    }

    /// The number of the element that an attribute reads.
    fn element(&self, b: &mut Builder, rate: InputRate) -> Value {
        match rate {
            InputRate::Vertex => self.vertex_index,
            InputRate::Instance { divisor: 0 } => self.base_instance,
            InputRate::Instance { divisor: 1 } => self.instance_index,
            InputRate::Instance { divisor } => {
                let instance = b.isub(self.instance_index, self.base_instance);
                let divisor = b.i32(divisor);
                let step = b.udiv(instance, divisor);
                b.iadd(self.base_instance, step)
            }
        }
    }

    /// Stores a 32-bit value as a column of the outputs.
    pub fn store_column(&self, b: &mut Builder, column: u32, value: Value) {
        let zero = b.i32(0);
        let memory = MemoryOp::new(Space::Context).speculatable().at(at::OUTPUTS as i32);
        let outputs = b.load(Scalar::I64, memory, self.record, zero, self.always);
        let bytes = 4 * b.function.lanes;
        let place = MemoryOp::new(Space::Global).at((column * bytes) as i32);
        let bits = b.bitcast(value, Scalar::I32);
        b.store(place, outputs, self.lane_offset, bits, self.always);
    }
}

/// The type of the components that [`Vertex::fetch`] gives.
pub fn attribute_scalar(format: Format) -> Scalar {
    texel::value_scalar(format, Aspect::Color)
}
