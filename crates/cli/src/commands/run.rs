//! `pyroclast run`: one compute shader on buffers given as literals or files.

use crate::client::{Binding, Buffer, Driver, Gpu, Job};
use crate::shader;
use anyhow::{Context, Result, anyhow, bail};
use pyro_shadertest::values::Element;
use pyro_spirv::spirv::BuiltIn;
use serde_json::{Value, json};
use std::path::PathBuf;

/// What to run and on what.
#[derive(clap::Args)]
#[command(
    after_long_help = "DATA is TYPE:VALUE,VALUE,… (types u8 i8 u16 i16 u32 i32 u64 i64 f32 f64), zero:BYTES, \
or file:PATH.\n\nExample: pyroclast run double.comp --buffer 0.0=f32:1,2,3,4 --print 0.0=f32"
)]
pub(crate) struct Arguments {
    /// A .spv, .wgsl, .comp or .glsl file.
    shader: PathBuf,
    /// The entry point.
    #[arg(long, default_value = "main")]
    entry: String,
    /// Workgroups: X, X,Y or X,Y,Z.
    #[arg(long, default_value = "1", value_parser = parse_groups)]
    groups: [u32; 3],
    /// The first workgroup: X, X,Y or X,Y,Z. --groups then counts from there, to run a part of a larger
    /// dispatch.
    #[arg(long, default_value = "0", value_parser = parse_base)]
    base: [u32; 3],
    /// A storage buffer: SET.BINDING=DATA.
    #[arg(long, value_name = "S.B=DATA", value_parser = parse_resource)]
    buffer: Vec<Resource>,
    /// A uniform buffer: SET.BINDING=DATA.
    #[arg(long, value_name = "S.B=DATA", value_parser = parse_resource)]
    uniform: Vec<Resource>,
    /// Push constants: DATA.
    #[arg(long, value_name = "DATA", value_parser = parse_data)]
    push: Option<Bytes>,
    /// A 32-bit specialization constant: ID=VALUE (an integer, or a number with a point).
    #[arg(long, value_name = "ID=VALUE", value_parser = parse_specialization)]
    spec: Vec<(u32, u32)>,
    /// Print a buffer afterwards: SET.BINDING=TYPE.
    #[arg(long, value_name = "S.B=TYPE", value_parser = parse_print)]
    print: Vec<(Place, Element)>,
    /// Write a buffer's bytes to a file afterwards: SET.BINDING=PATH.
    #[arg(long, value_name = "S.B=PATH", value_parser = parse_save)]
    save: Vec<(Place, PathBuf)>,
    /// Print the buffers and the times as JSON.
    #[arg(long)]
    json: bool,
}

/// Bytes of a buffer or of the push constants.
#[derive(Clone)]
pub(super) struct Bytes(pub(super) Vec<u8>);

/// Set and binding.
pub(super) type Place = (u32, u32);

#[derive(Clone)]
struct Resource {
    place: Place,
    data: Bytes,
}

/// The element of this name in a literal or a print.
fn element_of(name: &str) -> Result<Element> {
    Element::from_name(name)
        .ok_or_else(|| anyhow!("`{name}` is not one of u8 i8 u16 i16 u32 i32 u64 i64 f32 f64"))
}

/// The bytes of a value.
fn encode(element: Element, text: &str) -> Result<Vec<u8>> {
    let bad = || anyhow!("`{text}` does not fit {}", element.name());
    if matches!(element, Element::F32) {
        return Ok(text.parse::<f32>().map_err(|_| bad())?.to_le_bytes().to_vec());
    }
    if matches!(element, Element::F64) {
        return Ok(text.parse::<f64>().map_err(|_| bad())?.to_le_bytes().to_vec());
    }
    let value = match text.strip_prefix("0x") {
        Some(digits) => i128::from_str_radix(digits, 16),
        None => text.parse(),
    }
    .map_err(|_| bad())?;
    let bits = element.bytes() * 8;
    let is_signed = matches!(element, Element::I8 | Element::I16 | Element::I32 | Element::I64);
    let (low, high) =
        if is_signed { (-(1i128 << (bits - 1)), 1i128 << (bits - 1)) } else { (0, 1i128 << bits) };
    if !(low..high).contains(&value) {
        return Err(bad());
    }
    Ok(value.to_le_bytes()[..element.bytes()].to_vec())
}

/// A value in JSON.
fn decode(element: Element, bytes: &[u8]) -> Value {
    let mut raw = [0u8; 8];
    raw[..bytes.len()].copy_from_slice(bytes);
    let unsigned = u64::from_le_bytes(raw);
    let unused = 64 - 8 * bytes.len() as u32;
    let signed = (unsigned << unused) as i64 >> unused;
    match element {
        Element::U8 | Element::U16 | Element::U32 | Element::U64 => json!(unsigned),
        Element::I8 | Element::I16 | Element::I32 | Element::I64 => json!(signed),
        // JSON has no infinities; text keeps them readable.
        Element::F32 => {
            let value = f32::from_bits(unsigned as u32);
            value
                .to_string()
                .parse()
                .ok()
                .and_then(serde_json::Number::from_f64)
                .map_or_else(|| json!(value.to_string()), Value::Number)
        }
        Element::F64 => {
            let value = f64::from_bits(unsigned);
            serde_json::Number::from_f64(value).map_or_else(|| json!(value.to_string()), Value::Number)
        }
    }
}

fn parse_groups(text: &str) -> Result<[u32; 3]> {
    parse_triple(text, 1)
}

fn parse_base(text: &str) -> Result<[u32; 3]> {
    parse_triple(text, 0)
}

/// Up to three numbers; those that are left out have the default.
fn parse_triple(text: &str, default: u32) -> Result<[u32; 3]> {
    let mut groups = [default; 3];
    let parts: Vec<&str> = text.split(',').collect();
    if parts.len() > 3 {
        bail!("at most three numbers");
    }
    for (group, part) in groups.iter_mut().zip(parts) {
        *group = part.trim().parse().map_err(|_| anyhow!("`{part}` is not a number of workgroups"))?;
    }
    Ok(groups)
}

pub(super) fn parse_place(text: &str) -> Result<Place> {
    let (set, binding) = text.split_once('.').unwrap_or(("0", text));
    let number = |part: &str| part.parse::<u32>().map_err(|_| anyhow!("`{text}` is not SET.BINDING"));
    let place = (number(set)?, number(binding)?);
    if place.0 >= 32 {
        bail!("set {} is past the last one, 31", place.0);
    }
    Ok(place)
}

fn split(text: &str) -> Result<(&str, &str)> {
    text.split_once('=').ok_or_else(|| anyhow!("`{text}` has no `=`"))
}

/// What is before and behind the first colon of data.
pub(super) fn split_kind(text: &str) -> Result<(&str, &str)> {
    text.split_once(':').ok_or_else(|| anyhow!("`{text}` is not KIND:VALUES"))
}

pub(super) fn parse_data(text: &str) -> Result<Bytes> {
    let (kind, rest) = split_kind(text)?;
    Ok(Bytes(match kind {
        "zero" => vec![0; rest.parse().map_err(|_| anyhow!("`{rest}` is not a number of bytes"))?],
        "file" => std::fs::read(rest).with_context(|| format!("cannot read {rest}"))?,
        _ => {
            let element = element_of(kind)?;
            let values: Result<Vec<Vec<u8>>> =
                rest.split(',').map(|value| encode(element, value.trim())).collect();
            values?.concat()
        }
    }))
}

fn parse_resource(text: &str) -> Result<Resource> {
    let (place, data) = split(text)?;
    Ok(Resource { place: parse_place(place)?, data: parse_data(data)? })
}

pub(super) fn parse_specialization(text: &str) -> Result<(u32, u32)> {
    let (id, value) = split(text)?;
    let id = id.parse().map_err(|_| anyhow!("`{id}` is not a constant id"))?;
    let element = if value.contains(['.', 'e']) && !value.starts_with("0x") {
        Element::F32
    } else if value.starts_with('-') {
        Element::I32
    } else {
        Element::U32
    };
    let bytes = encode(element, value)?;
    Ok((id, u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]])))
}

fn parse_print(text: &str) -> Result<(Place, Element)> {
    let (place, element) = split(text)?;
    Ok((parse_place(place)?, element_of(element)?))
}

fn parse_save(text: &str) -> Result<(Place, PathBuf)> {
    let (place, path) = split(text)?;
    Ok((parse_place(place)?, PathBuf::from(path)))
}

/// Runs the shader.
pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let words = shader::load(&arguments.shader)?;
    if arguments.base != [0; 3] && shader::uses_built_in(&words, BuiltIn::NumWorkgroups) {
        bail!(
            "--base: the shader uses NumWorkgroups, which is the count of this part, not of the whole dispatch: \
             it would compute something else"
        );
    }
    let driver = Driver::open()?;
    let gpu = Gpu::new(&driver)?;
    let resources = || {
        let storage = arguments.buffer.iter().map(|resource| (resource, false));
        storage.chain(arguments.uniform.iter().map(|resource| (resource, true)))
    };
    let buffers: Vec<Buffer> =
        resources().map(|(resource, _)| gpu.buffer(&resource.data.0)).collect::<Result<_>>()?;
    let bindings: Vec<Binding<'_>> = resources()
        .zip(&buffers)
        .map(|((resource, is_uniform), buffer)| {
            let (set, binding) = resource.place;
            Binding { set, binding, is_uniform, buffer }
        })
        .collect();
    let find = |place: Place| {
        let index = resources().position(|(resource, _)| resource.place == place);
        let index = index.ok_or_else(|| anyhow!("no buffer at {}.{}", place.0, place.1))?;
        let byte_count = resources().nth(index).map_or(0, |(resource, _)| resource.data.0.len());
        Ok::<_, anyhow::Error>((index, byte_count))
    };
    // Before running: a mistyped place should not cost a long run's result.
    for place in
        arguments.print.iter().map(|&(place, _)| place).chain(arguments.save.iter().map(|&(place, _)| place))
    {
        find(place)?;
    }
    let times = gpu.run(&Job {
        words: &words,
        entry_point: &arguments.entry,
        specialization: &arguments.spec,
        push_constants: arguments.push.as_ref().map_or(&[], |push| &push.0),
        bindings: &bindings,
        base: arguments.base,
        groups: arguments.groups,
    })?;

    let mut printed = serde_json::Map::new();
    for &(place, element) in &arguments.print {
        let (index, byte_count) = find(place)?;
        let values: Vec<Value> = buffers[index].bytes()[..byte_count]
            .chunks_exact(element.bytes())
            .map(|bytes| decode(element, bytes))
            .collect();
        let name = format!("{}.{}", place.0, place.1);
        if arguments.json {
            printed.insert(name, Value::Array(values));
        } else {
            let text: Vec<String> = values.iter().map(|value| value.to_string().replace('"', "")).collect();
            println!("{name}: {}", text.join(" "));
        }
    }
    for (place, path) in &arguments.save {
        let (index, byte_count) = find(*place)?;
        std::fs::write(path, &buffers[index].bytes()[..byte_count])
            .with_context(|| format!("cannot write {}", path.display()))?;
    }
    if arguments.json {
        let report = json!({
            "buffers": printed,
            "compile_seconds": times.compile.as_secs_f64(),
            "run_seconds": times.run.as_secs_f64(),
        });
        println!("{report:#}");
    } else {
        eprintln!("compiled in {:.2?}, ran in {:.2?}", times.compile, times.run);
    }
    drop(bindings);
    buffers.into_iter().for_each(|buffer| gpu.destroy(buffer));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals() {
        assert_eq!(parse_data("u16:1,0xffff").unwrap().0, [1, 0, 255, 255]);
        assert_eq!(parse_data("i8:-1, 2").unwrap().0, [255, 2]);
        assert_eq!(parse_data("zero:3").unwrap().0, [0; 3]);
        assert_eq!(parse_data("f32:1.5").unwrap().0, 1.5f32.to_le_bytes());
        for bad in ["u8:256", "u8:-1", "i8:128", "f32:x", "u7:1", "7", "file:/no/such/file"] {
            assert!(parse_data(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn decoding_is_the_inverse() {
        for (element, text) in
            [(Element::I16, "-3"), (Element::U64, "18446744073709551615"), (Element::I64, "-9")]
        {
            assert_eq!(decode(element, &encode(element, text).unwrap()).to_string(), text);
        }
        assert_eq!(decode(Element::F32, &0.1f32.to_le_bytes()), json!(0.1));
        assert_eq!(decode(Element::F32, &f32::INFINITY.to_le_bytes()), json!("inf"));
    }

    #[test]
    fn places_groups_and_constants() {
        assert_eq!(parse_place("2.7").unwrap(), (2, 7));
        assert_eq!(parse_place("7").unwrap(), (0, 7));
        assert!(parse_place("32.0").is_err());
        assert_eq!(parse_groups("4,2").unwrap(), [4, 2, 1]);
        assert_eq!(parse_base("4,2").unwrap(), [4, 2, 0]);
        assert_eq!(parse_specialization("3=1.0").unwrap(), (3, 1.0f32.to_bits()));
        assert_eq!(parse_specialization("3=-1").unwrap(), (3, u32::MAX));
    }
}
