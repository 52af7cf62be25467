//! Products of cooperative matrices of all listed types.

use crate::ProductTypes;
use crate::canonical;
use pyro_random::Random;
use pyro_test_kit::Client;
use pyro_test_kit::matrices::{Bench, LOADS, STORE, bytes_of, encode, is_integer, operands, shapes, text};
use vulkanalia::prelude::v1_3::*;
use vulkanalia::vk::{ComponentTypeKHR as Type, KhrCooperativeMatrixExtensionInstanceCommands as _};

/// The types of A, B, C and the result, and whether sums saturate.
pub(crate) fn listed(bench: &Bench) -> Vec<ProductTypes> {
    let Client { instance, physical_device, .. } = &**bench.context;
    // SAFETY: the physical device is the instance's.
    let list = unsafe { instance.get_physical_device_cooperative_matrix_properties_khr(*physical_device) };
    let types = |row: &vk::CooperativeMatrixPropertiesKHR| {
        ([row.a_type, row.b_type, row.c_type, row.result_type], row.saturating_accumulation != 0)
    };
    list.unwrap_or_default().iter().map(types).collect()
}

/// A number of a type: any integer, or a float of moderate magnitude, which sums of have to round.
pub(crate) fn number(ty: Type, random: &mut Random) -> u64 {
    if is_integer(ty) {
        return random.bits();
    }
    let (digits, exponents) = match ty {
        Type::FLOAT8_E4M3_EXT => (3, 5_u32),
        Type::FLOAT8_E5M2_EXT => (2, 9),
        Type::FLOAT16 => (10, 9),
        Type::BFLOAT16 => (7, 40),
        Type::FLOAT32 => (23, 40),
        _ => (52, 40),
    };
    let significand = 1.0 + (random.bits() >> (64 - digits)) as f64 / 2_f64.powi(digits);
    let exponent = random.below(exponents) as i32 - exponents as i32 / 2;
    let sign = if random.one_in(2) { -1.0 } else { 1.0 };
    encode(ty, sign * significand * 2_f64.powi(exponent))
}

/// The product of a number, with these types.
pub(crate) fn multiply(bench: &Bench, list: &[ProductTypes], case: u64) -> Result<Vec<u8>, String> {
    let random = &mut Random::new(case);
    if list.is_empty() {
        return Err("no cooperative matrices".to_owned());
    }
    let (types, saturating) = list[random.below(list.len())];
    let size = std::array::from_fn(|_| random.pick(&[4, 8, 16, 16, 32]));
    let by_columns = std::array::from_fn(|_| random.one_in(2));
    let shapes = shapes(size, by_columns, 4 * random.below(3_usize));
    for (binding, (&ty, shape)) in types.iter().zip(&shapes).enumerate().take(3) {
        for row in 0..shape.rows {
            for column in 0..shape.columns {
                bench.put(binding, bytes_of(ty), shape.place(row, column), number(ty, random));
            }
        }
    }
    bench.fill(3, 0);
    let operands = if is_integer(types[0]) { operands(types, saturating) } else { String::new() };
    let body = format!("{LOADS}%r = OpCooperativeMatrixMulAddKHR %m3 %a %b %c {operands}\n{STORE}");
    let subgroup = random.pick(&[None, Some(4), Some(8), Some(32), Some(64)]);
    let invocations = subgroup.unwrap_or(16).max(16);
    let text =
        text(types, &shapes, "", &body).replace("LocalSize 16 1 1", &format!("LocalSize {invocations} 1 1"));
    bench.run(&text, subgroup);
    let (ty, shape) = (types[3], shapes[3]);
    let mut bytes = Vec::new();
    for row in 0..shape.rows {
        for column in 0..shape.columns {
            let bits = bench.get(3, bytes_of(ty), shape.place(row, column));
            let bits = if ty == Type::FLOAT32 { canonical(bits as u32).into() } else { bits };
            bytes.extend(bits.to_le_bytes());
        }
    }
    Ok(bytes)
}
