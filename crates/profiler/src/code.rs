//! Which shader, and which of its places, an address of generated code is.

use pyro_abi::shader_map::ShaderMap;
use pyro_util::sync::Mutex;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

/// A function of generated code.
#[derive(Clone, Debug, Default)]
pub struct Function {
    /// Its name: an entry point, or an image function.
    pub name: String,
    /// What it was made from, if that is a shader.
    pub map: Option<Arc<ShaderMap>>,
    /// Bytes of machine code.
    pub code_bytes: u64,
    /// Moves to and from the stack.
    pub spills: u64,
}

/// A function that lies in memory.
struct Placed {
    end: u64,
    /// Its number among all functions.
    number: u32,
    /// From an offset on, the number of a place.
    lines: Arc<[(u32, u32)]>,
}

#[derive(Default)]
struct Functions {
    all: Vec<Function>,
    /// By address.
    placed: BTreeMap<u64, Placed>,
    /// Numbers of functions by module and name: code that is compiled again is the same function, if it has
    /// the same places.
    known: HashMap<(u64, String), Vec<u32>>,
}

static FUNCTIONS: Mutex<Option<Functions>> = Mutex::new(None);

/// An address of generated code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct CodePlace {
    /// The function's number.
    pub function: u32,
    /// The number of a place of its map; zero: none.
    pub place: u32,
}

/// Tells of a function's code, which lies there until another one does. `lines` begin with offsets.
pub fn register(code: &[u8], function: Function, lines: &[(u32, u32)]) {
    let start = code.as_ptr() as u64;
    let end = start + code.len() as u64;
    let mut functions = FUNCTIONS.lock();
    let functions = functions.get_or_insert_default();
    // The pages of code that is gone are given to other code.
    let stale: Vec<u64> = functions
        .placed
        .range(..end)
        .rev()
        .take_while(|(_, placed)| placed.end > start)
        .map(|(&at, _)| at)
        .collect();
    for at in stale {
        functions.placed.remove(&at);
    }
    let key = (function.map.as_ref().map_or(0, |map| map.module), function.name.clone());
    let (all, numbers) = (&mut functions.all, functions.known.entry(key).or_default());
    let same = numbers.iter().find(|&&number| all[number as usize].map == function.map);
    let number = same.copied().unwrap_or_else(|| {
        let number = all.len() as u32;
        numbers.push(number);
        all.push(function);
        number
    });
    functions.placed.insert(start, Placed { end, number, lines: lines.into() });
}

/// What an address is.
pub fn find(address: u64) -> Option<CodePlace> {
    let functions = FUNCTIONS.lock();
    let (&start, placed) = functions.as_ref()?.placed.range(..=address).next_back()?;
    if address >= placed.end {
        return None;
    }
    let offset = (address - start) as u32;
    let before = placed.lines.partition_point(|line| line.0 <= offset);
    let place = before.checked_sub(1).map_or(0, |index| placed.lines[index].1);
    Some(CodePlace { function: placed.number, place })
}

/// All functions so far, by their numbers.
pub fn all() -> Vec<Function> {
    FUNCTIONS.lock().as_ref().map(|functions| functions.all.clone()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_found_until_other_code_lies_there() {
        let memory = [0_u8; 64];
        let function = |name: &str| Function { name: name.to_owned(), ..Function::default() };
        register(&memory[..32], function("code test a"), &[(0, 1), (8, 2), (16, 0)]);
        register(&memory[32..], function("code test b"), &[]);
        let at = |offset: usize| find(memory.as_ptr() as u64 + offset as u64);
        let place =
            |offset| at(offset).map(|found| (all()[found.function as usize].name.clone(), found.place));
        let named = |name: &str, place| Some((name.to_owned(), place));
        assert_eq!(place(0), named("code test a", 1));
        assert_eq!(place(15), named("code test a", 2));
        assert_eq!(place(31), named("code test a", 0));
        assert_eq!(place(32), named("code test b", 0));
        register(&memory[16..48], function("code test c"), &[(4, 7)]);
        assert_eq!((place(20), place(40)), (named("code test c", 7), named("code test c", 7)));
        assert_eq!((place(0), place(50)), (None, None));
    }
}
