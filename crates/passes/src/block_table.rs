//! Values by block and a number: what passes know of variables at blocks.
//!
//! A pass goes from block to block, so what belongs to a block lies together: one large hash map has a cache
//! miss for nearly each look-up once a function is large. A block's first entries are searched one by one,
//! since most blocks have few; those with more have an index.

use pyro_ir::Block;
use pyro_util::SecondaryMap;
use rustc_hash::FxHashMap;

/// More entries than this have an index.
const SEARCHED: usize = 16;

#[derive(Clone)]
struct Entries<V> {
    list: Vec<(u32, V)>,
    index: Option<FxHashMap<u32, u32>>,
}

/// The table.
#[derive(Clone)]
pub(crate) struct BlockTable<V>(SecondaryMap<Block, Entries<V>>);

impl<V: Copy> Default for BlockTable<V> {
    fn default() -> Self {
        BlockTable(SecondaryMap::with_default(Entries { list: Vec::new(), index: None }))
    }
}

impl<V: Copy> Entries<V> {
    fn place(&self, number: u32) -> Option<usize> {
        match &self.index {
            Some(index) => index.get(&number).map(|&place| place as usize),
            None => self.list.iter().position(|entry| entry.0 == number),
        }
    }
}

impl<V: Copy> BlockTable<V> {
    /// What the block has under this number.
    pub(crate) fn get(&self, block: Block, number: u32) -> Option<V> {
        let entries = &self.0[block];
        entries.place(number).map(|place| entries.list[place].1)
    }

    /// Gives a block a value under a number; whether it had none.
    pub(crate) fn insert(&mut self, block: Block, number: u32, value: V) -> bool {
        let entries = &mut self.0[block];
        if let Some(place) = entries.place(number) {
            entries.list[place].1 = value;
            return false;
        }
        let place = entries.list.len();
        entries.list.push((number, value));
        match &mut entries.index {
            Some(index) => {
                index.insert(number, place as u32);
            }
            None if place >= SEARCHED => {
                let places = (0..).zip(&entries.list).map(|(place, entry)| (entry.0, place));
                entries.index = Some(places.collect());
            }
            None => {}
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_and_many_entries_are_found() {
        let mut table = BlockTable::default();
        let blocks = [Block::from_u32(3), Block::from_u32(0)];
        for number in 0..100 {
            for &block in &blocks {
                assert_eq!(table.get(block, number), None);
                assert!(table.insert(block, number, number + block.as_u32()));
            }
        }
        assert!(!table.insert(blocks[0], 40, 7));
        assert!(!table.insert(blocks[1], 3, 8));
        for number in 0..100 {
            assert_eq!(table.get(blocks[0], number), Some(if number == 40 { 7 } else { number + 3 }));
            assert_eq!(table.get(blocks[1], number), Some(if number == 3 { 8 } else { number }));
        }
        assert_eq!(table.get(Block::from_u32(1), 3), None);
    }
}
