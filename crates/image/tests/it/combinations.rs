//! Every combination of format, dimension and operation gives a well-formed function or an error.

use pyro_abi::image::ImageOp;
use pyro_image::access::{build, build_zeros};
use pyro_image::{
    AddressMode, Aspect, CompareOp, Filter, Format, Reduction, SamplerKey, Swizzle, ViewKey, ViewType,
};

const VIEW_TYPES: [ViewType; 8] = [
    ViewType::D1,
    ViewType::D1Array,
    ViewType::D2,
    ViewType::D2Array,
    ViewType::D3,
    ViewType::Cube,
    ViewType::CubeArray,
    ViewType::Buffer,
];

fn samplers() -> [SamplerKey; 4] {
    let linear = SamplerKey {
        mag: Filter::Linear,
        min: Filter::Nearest,
        mip: Filter::Linear,
        compare: Some(CompareOp::Less),
        ..SamplerKey::default()
    };
    let bordered = SamplerKey {
        min: Filter::Linear,
        address: [AddressMode::ClampToBorder, AddressMode::MirroredRepeat, AddressMode::MirrorClampToEdge],
        anisotropic: true,
        reduction: Reduction::Max,
        non_seamless_cube: true,
        ..linear
    };
    // Not allowed, and harmless.
    let unnormalized = SamplerKey { unnormalized: true, address: [AddressMode::Repeat; 3], ..bordered };
    let cubic = SamplerKey { mag: Filter::Cubic, min: Filter::Cubic, anisotropic: false, ..bordered };
    [linear, bordered, unnormalized, cubic]
}

#[test]
fn all_are_functions_or_errors() {
    let ops: Vec<ImageOp> = (0..61).filter_map(ImageOp::from_code).collect();
    let (mut built, mut refused) = (0, 0);
    for (index, &format) in Format::ALL.iter().enumerate() {
        for (turn, view_type) in VIEW_TYPES.into_iter().enumerate() {
            for aspect in [Aspect::Color, Aspect::Depth, Aspect::Stencil] {
                if !format.has_aspect(aspect) {
                    continue;
                }
                // All operations over a few neighbouring formats.
                for (number, &op) in ops.iter().enumerate().skip((index + turn) % 7).step_by(7) {
                    let sampler = samplers()[(index + number) % 4];
                    let mut view = ViewKey::new(format, aspect, view_type, 1 + (number as u32 & 1));
                    view.multisampled = view_type == ViewType::D2 && number % 5 == 0;
                    view.swizzle = [Swizzle::One, Swizzle::R, Swizzle::A, Swizzle::Zero];
                    let lanes = 4 << (number % 5);
                    match build(Some(&view), Some(&sampler), op, lanes) {
                        Ok(function) => {
                            pyro_ir::verify::verify(&function)
                                .unwrap_or_else(|errors| panic!("{view:?} {sampler:?} {op:?}: {errors}"));
                            built += 1;
                        }
                        Err(_) => refused += 1,
                    }
                    assert!(build(None, None, op, lanes).is_ok());
                    // What needs a sampler says so.
                    assert!(!op.uses_sampler() || build(Some(&view), None, op, lanes).is_err());
                }
            }
        }
    }
    assert!(built > 4000 && refused > 1000, "{built} built, {refused} refused");
}

#[test]
fn zeros_need_nothing() {
    for lanes in [4, 8, 16, 32, 64] {
        pyro_ir::verify::verify(&build_zeros(lanes)).expect("well-formed");
    }
}
