//! Values that a user gives specialization constants, and overrides of WGSL: `--spec` and `spec` of tests.

use crate::sources::Decoded;
use anyhow::{Context, Result, anyhow, bail};
use naga::back::PipelineConstants;
use naga::{Override, ScalarKind};
use pyro_interface::SpecConstant;
use pyro_spirv::{ConstantValues, Module, Specialization, Type, parse_number};
use std::collections::BTreeMap;

/// A constant, by its number (`SpecId`, `@id`) or its name, and the text of its value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Constant {
    pub(crate) key: String,
    pub(crate) value: String,
}

/// Reads `KEY=VALUE`.
pub(crate) fn parse(text: &str) -> Result<Constant> {
    let (key, value) = text.split_once('=').ok_or_else(|| anyhow!("`{text}` is not CONSTANT=VALUE"))?;
    let (key, value) = (key.trim().to_owned(), value.trim().to_owned());
    if key.is_empty() || value.is_empty() {
        bail!("`{text}` is not CONSTANT=VALUE");
    }
    Ok(Constant { key, value })
}

/// The values of specialization constants that a pipeline takes: `SpecId` and bytes, each once.
pub(crate) type Values = Vec<(u32, Vec<u8>)>;

/// As the interfaces of shaders take them.
pub(crate) fn specialization(values: &Values) -> Specialization {
    let mut specialization = Specialization::new();
    for (id, bytes) in values {
        specialization.set_bytes(*id, bytes);
    }
    specialization
}

/// What the constants are in these modules, each in at least one of them.
///
/// # Errors
/// When none has the constant, or the text is no value of its type.
pub(crate) fn resolve(constants: &[Constant], modules: &[&Decoded]) -> Result<Values> {
    let mut found: BTreeMap<u32, Vec<u8>> = BTreeMap::new();
    let mut all = Vec::new();
    for &of in modules {
        let values = ConstantValues::evaluate(&of.module, &Specialization::new())
            .map_err(|error| anyhow!("{}: {error}", of.name))?;
        all.push((of, pyro_interface::spec_constants(&values)));
    }
    for constant in constants {
        let mut is_known = false;
        for (of, known) in &all {
            is_known |= of.overridden.contains(&constant.key);
            for one in known.iter().filter(|one| is_named(one, &constant.key)) {
                is_known = true;
                let bytes = encode(&of.module, one, &constant.value)
                    .with_context(|| format!("{}: the constant {}", of.name, described(one)))?;
                if found.insert(one.spec_id, bytes.clone()).is_some_and(|before| before != bytes) {
                    bail!("the constant {} is given two values", described(one));
                }
            }
        }
        if !is_known {
            let names: Vec<_> = all.iter().flat_map(|(_, known)| known).map(described).collect();
            let has = if names.is_empty() { "none".to_owned() } else { names.join(", ") };
            bail!("no specialization constant is `{}`: the shaders have {has}", constant.key);
        }
    }
    Ok(found.into_iter().collect())
}

fn is_named(constant: &SpecConstant, key: &str) -> bool {
    match key.parse::<u32>() {
        Ok(id) => constant.spec_id == id,
        Err(_) => constant.name == key,
    }
}

fn described(constant: &SpecConstant) -> String {
    match constant.name.as_str() {
        "" => constant.spec_id.to_string(),
        name => format!("{} ({name})", constant.spec_id),
    }
}

/// The bytes of a value of the constant's type.
fn encode(module: &Module, constant: &SpecConstant, value: &str) -> Result<Vec<u8>> {
    let bits = match module.ty(constant.ty) {
        Type::Bool => u64::from(boolean(value)?),
        ty => parse_number(value, ty).map_err(|error| anyhow!(error))?,
    };
    Ok(bits.to_le_bytes()[..constant.size as usize].to_vec())
}

fn boolean(value: &str) -> Result<bool> {
    match value {
        "true" | "1" => Ok(true),
        "false" | "0" => Ok(false),
        _ => bail!("'{value}' is not a boolean: true or false"),
    }
}

/// Values of a module's overrides.
pub(crate) struct Overrides {
    /// As naga takes them.
    pub(crate) all: PipelineConstants,
    /// The keys of the given constants that are among them.
    pub(crate) given: Vec<String>,
}

/// What the constants are in a module of WGSL. With `fills`, overrides that have no value get one.
///
/// # Errors
/// When the text is no value of an override's type.
pub(crate) fn of_overrides(constants: &[Constant], module: &naga::Module, fills: bool) -> Result<Overrides> {
    let mut values = Overrides { all: PipelineConstants::default(), given: Vec::new() };
    for (_, one) in module.overrides.iter() {
        // An override with a number goes by it alone, as in WebGPU; that is also what naga looks for.
        let Some(key) = one.id.map(|id| id.to_string()).or_else(|| one.name.clone()) else { continue };
        if let Some(constant) = constants.iter().find(|constant| constant.key == key) {
            let number = override_value(module, one, &constant.value)
                .with_context(|| format!("the override {key}"))?;
            values.given.push(key.clone());
            values.all.insert(key, number);
        } else if fills && one.init.is_none() {
            values.all.insert(key, 1.0);
        }
    }
    Ok(values)
}

fn override_value(module: &naga::Module, of: &Override, value: &str) -> Result<f64> {
    let scalar = module.types[of.ty].inner.scalar().context("its type is not a scalar")?;
    let signed = match scalar.kind {
        ScalarKind::Bool => return Ok(f64::from(u8::from(boolean(value)?))),
        ScalarKind::Sint => true,
        ScalarKind::Uint => false,
        _ => return value.parse().map_err(|_| anyhow!("'{value}' is not a number")),
    };
    let ty = Type::Int { width: 8 * u32::from(scalar.width), signed };
    let bits = parse_number(value, ty).map_err(|error| anyhow!(error))?;
    Ok(if signed { bits as i64 as f64 } else { bits as f64 })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(of: &str, given: &[&str]) -> Result<Values> {
        let words = pyro_spirv::asm::assemble(of).unwrap();
        let module = Module::decode(&words).unwrap();
        let module = Decoded { name: "a.spv".to_owned(), words, module, overridden: Vec::new() };
        let constants: Vec<Constant> = given.iter().map(|text| parse(text).unwrap()).collect();
        resolve(&constants, &[&module])
    }

    const MODULE: &str = "
        OpCapability Shader
        OpCapability Int16
        OpCapability Float64
        OpMemoryModel Logical GLSL450
        OpName %scale \"SCALE\"
        OpDecorate %flag SpecId 0
        OpDecorate %short SpecId 1
        OpDecorate %scale SpecId 2
        OpDecorate %wide SpecId 3
        %bool = OpTypeBool
        %i16 = OpTypeInt 16 1
        %f32 = OpTypeFloat 32
        %f64 = OpTypeFloat 64
        %flag = OpSpecConstantTrue %bool
        %short = OpSpecConstant %i16 7
        %scale = OpSpecConstant %f32 1
        %wide = OpSpecConstant %f64 1";

    #[test]
    fn values_have_the_types_of_their_constants() {
        let found = values(MODULE, &["SCALE=2", "0=false", "3=0.1", "1=-2"]).unwrap();
        assert_eq!(
            found,
            [
                (0, vec![0; 4]),
                (1, vec![0xfe, 0xff]),
                (2, 2.0f32.to_le_bytes().to_vec()),
                (3, 0.1f64.to_le_bytes().to_vec()),
            ]
        );
    }

    #[test]
    fn what_fits_no_constant_is_an_error() {
        for (given, error) in [
            ("4=1", "no specialization constant is `4`: the shaders have 0, 1, 2 (SCALE), 3"),
            ("scale=1", "no specialization constant is `scale`"),
            ("1=40000", "the constant 1: 40000 does not fit 16 bits"),
            ("0=2", "the constant 0: '2' is not a boolean: true or false"),
            ("SCALE=x", "the constant 2 (SCALE): 'x' is not a float"),
        ] {
            let found = format!("{:#}", values(MODULE, &[given]).unwrap_err());
            assert!(found.contains(error), "{given}: {found}");
        }
        for bad in ["3", "=1", "3="] {
            assert!(parse(bad).is_err(), "{bad}");
        }
    }
}
