//! Sets of node numbers that share what they have in common.
//!
//! Problem: `linearize` and its analysis know at each node where lanes wait. In a switch of n cases these
//! sets have up to n elements at each of n nodes, and differ by one or two from one node to the next.
//!
//! Approach: sets are immutable Patricia trees over 64 numbers a leaf (Okasaki and Gill, "Fast Mergeable
//! Integer Maps", 1998). Equal trees are one tree, found by hashing, so equality is that of two numbers, and
//! merging skips what is the same on both sides. An operation takes logarithmic time; merging takes that for
//! each element in which the sets differ.

use rustc_hash::FxHashMap;

/// A set of an arena of [`NodeSets`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct NodeSet(u32);

impl NodeSet {
    /// The set of nothing, in every arena.
    pub(crate) const EMPTY: NodeSet = NodeSet(0);

    /// Whether there is nothing in it.
    pub(crate) fn is_empty(self) -> bool {
        self == NodeSet::EMPTY
    }
}

/// Numbers of one leaf.
const LEAF_BITS: u32 = 6;

/// A tree. Keys are numbers without their last [`LEAF_BITS`] bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Tree {
    /// The numbers of a key.
    Leaf { key: u32, bits: u64 },
    /// Trees whose keys have the bits of `prefix` above the bit `branch`: those without that bit, those with
    /// it.
    Branch { prefix: u32, branch: u32, low: NodeSet, high: NodeSet },
}

/// All sets of one function.
#[derive(Debug)]
pub(crate) struct NodeSets {
    /// By number; the first stands for the empty set.
    trees: Vec<Tree>,
    numbers: FxHashMap<Tree, NodeSet>,
}

impl NodeSets {
    /// An arena without sets.
    pub(crate) fn new() -> NodeSets {
        NodeSets { trees: vec![Tree::Leaf { key: 0, bits: 0 }], numbers: FxHashMap::default() }
    }

    /// The smallest element.
    pub(crate) fn first(&self, set: NodeSet) -> Option<u32> {
        let mut at = set;
        while !at.is_empty() {
            match self.trees[at.0 as usize] {
                Tree::Leaf { key, bits } => return Some(key << LEAF_BITS | bits.trailing_zeros()),
                Tree::Branch { low, .. } => at = low,
            }
        }
        None
    }

    /// The smallest element, and the others.
    pub(crate) fn split_first(&mut self, set: NodeSet) -> Option<(u32, NodeSet)> {
        let first = self.first(set)?;
        Some((first, self.without_first(set)))
    }

    fn without_first(&mut self, set: NodeSet) -> NodeSet {
        match self.trees[set.0 as usize] {
            Tree::Leaf { key, bits } => self.leaf(key, bits & (bits - 1)),
            Tree::Branch { prefix, branch, low, high } => {
                let low = self.without_first(low);
                if low.is_empty() { high } else { self.make(Tree::Branch { prefix, branch, low, high }) }
            }
        }
    }

    /// Adds an element; whether it was not in the set.
    pub(crate) fn insert(&mut self, set: &mut NodeSet, element: u32) -> bool {
        let leaf = self.leaf(element >> LEAF_BITS, 1 << (element & ((1 << LEAF_BITS) - 1)));
        let old = std::mem::replace(set, self.merge(*set, leaf));
        *set != old
    }

    /// The elements of both sets.
    pub(crate) fn merge(&mut self, a: NodeSet, b: NodeSet) -> NodeSet {
        if a == b || b.is_empty() {
            return a;
        }
        if a.is_empty() {
            return b;
        }
        let (tree_a, tree_b) = (self.trees[a.0 as usize], self.trees[b.0 as usize]);
        // The tree that branches further up comes first.
        let ((prefix_a, branch_a), (prefix_b, branch_b)) = (place(tree_a), place(tree_b));
        if branch_a < branch_b {
            return self.merge(b, a);
        }
        match (tree_a, tree_b) {
            (Tree::Leaf { key, bits }, Tree::Leaf { key: other, bits: more }) if key == other => {
                self.leaf(key, bits | more)
            }
            (Tree::Branch { prefix, branch, low, high }, Tree::Branch { low: low_b, high: high_b, .. })
                if (prefix, branch) == (prefix_b, branch_b) =>
            {
                let (low, high) = (self.merge(low, low_b), self.merge(high, high_b));
                self.make(Tree::Branch { prefix, branch, low, high })
            }
            (Tree::Branch { prefix, branch, low, high }, _) if above(prefix_b, branch) == prefix => {
                let (low, high) = if prefix_b & branch == 0 {
                    (self.merge(low, b), high)
                } else {
                    (low, self.merge(high, b))
                };
                self.make(Tree::Branch { prefix, branch, low, high })
            }
            _ => {
                let branch = 1 << (prefix_a ^ prefix_b).ilog2();
                let (low, high) = if prefix_a & branch == 0 { (a, b) } else { (b, a) };
                self.make(Tree::Branch { prefix: above(prefix_a, branch), branch, low, high })
            }
        }
    }

    fn leaf(&mut self, key: u32, bits: u64) -> NodeSet {
        if bits == 0 { NodeSet::EMPTY } else { self.make(Tree::Leaf { key, bits }) }
    }

    fn make(&mut self, tree: Tree) -> NodeSet {
        let trees = &mut self.trees;
        *self.numbers.entry(tree).or_insert_with(|| {
            trees.push(tree);
            NodeSet(trees.len() as u32 - 1)
        })
    }
}

/// A tree's prefix or key, and its branching bit; zero for leaves.
fn place(tree: Tree) -> (u32, u32) {
    match tree {
        Tree::Leaf { key, .. } => (key, 0),
        Tree::Branch { prefix, branch, .. } => (prefix, branch),
    }
}

/// The bits of a key above a bit.
fn above(key: u32, branch: u32) -> u32 {
    key & !(branch | (branch - 1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    fn elements(sets: &mut NodeSets, mut set: NodeSet) -> Vec<u32> {
        let mut all = Vec::new();
        while let Some((first, rest)) = sets.split_first(set) {
            all.push(first);
            set = rest;
        }
        all
    }

    #[test]
    fn as_ordinary_sets() {
        let mut state = 11u64;
        let mut random = |bound: u32| {
            state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
            (state >> 33) as u32 % bound
        };
        let mut sets = NodeSets::new();
        for bound in [10, 100, 1000, 1_000_000] {
            let mut known: Vec<(NodeSet, BTreeSet<u32>)> = vec![(NodeSet::EMPTY, BTreeSet::new())];
            for _ in 0..300 {
                let (mut set, mut expected) = known[random(known.len() as u32) as usize].clone();
                match random(3) {
                    0 => {
                        let (other, more) = &known[random(known.len() as u32) as usize];
                        set = sets.merge(set, *other);
                        expected.extend(more);
                    }
                    1 => {
                        let first = expected.pop_first();
                        assert_eq!(sets.split_first(set).map(|(first, _)| first), first);
                        set = sets.split_first(set).map_or(set, |(_, rest)| rest);
                    }
                    _ => {
                        let element = random(bound);
                        assert_eq!(sets.insert(&mut set, element), expected.insert(element));
                    }
                }
                assert!(elements(&mut sets, set).into_iter().eq(expected.iter().copied()));
                assert!(known.iter().all(|other| (other.0 == set) == (other.1 == expected)));
                known.push((set, expected));
            }
        }
    }
}
