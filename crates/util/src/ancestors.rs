//! A tree that grows downwards, with nearest common ancestors in logarithmic time.
//!
//! Problem: immediate dominators are nearest common ancestors in the tree of dominators found so far. Walking
//! up parent by parent takes as long as the tree is deep, which makes the dominators of a long chain with a
//! common exit quadratic.
//!
//! Approach: beside its parent each node has a *jump* to an ancestor further up, such that there are O(log
//! depth) steps to any ancestor (Myers, "An applicative random-access stack", 1983). Both are set once, when
//! the node is added. [`immediate_dominators`] is what it is for.

/// No node.
const NONE: u32 = u32::MAX;

/// A tree of numbered nodes. A node is added below one that is in the tree; one root is its own parent.
#[derive(Clone, Debug)]
pub struct Ancestors {
    parent: Vec<u32>,
    jump: Vec<u32>,
    depth: Vec<u32>,
}

impl Ancestors {
    /// The tree of `root` alone, among `count` nodes.
    #[must_use]
    pub fn new(count: usize, root: u32) -> Ancestors {
        let mut tree =
            Ancestors { parent: vec![NONE; count], jump: vec![NONE; count], depth: vec![0; count] };
        if let Some(slot) = tree.parent.get_mut(root as usize) {
            *slot = root;
            tree.jump[root as usize] = root;
        }
        tree
    }

    /// Whether a node is in the tree.
    #[must_use]
    pub fn contains(&self, node: u32) -> bool {
        self.parent[node as usize] != NONE
    }

    /// Adds a node below `parent`, which is in the tree. The node must not be.
    pub fn add(&mut self, node: u32, parent: u32) {
        debug_assert!(self.contains(parent) && !self.contains(node));
        let depth = |node: u32| self.depth[node as usize];
        let jump = self.jump[parent as usize];
        let above = self.jump[jump as usize];
        // Two jumps of one length become one of both.
        let is_twice = depth(parent) - depth(jump) == depth(jump) - depth(above);
        self.jump[node as usize] = if is_twice { above } else { parent };
        self.depth[node as usize] = depth(parent) + 1;
        self.parent[node as usize] = parent;
    }

    /// The nearest common ancestor of two nodes of the tree; a node is an ancestor of itself.
    #[must_use]
    pub fn nearest_common(&self, a: u32, b: u32) -> u32 {
        let (mut high, mut low) =
            if self.depth[a as usize] < self.depth[b as usize] { (a, b) } else { (b, a) };
        let depth = self.depth[high as usize];
        while self.depth[low as usize] > depth {
            let jump = self.jump[low as usize];
            low = if self.depth[jump as usize] >= depth { jump } else { self.parent[low as usize] };
        }
        while high != low {
            // Nodes of one depth have jumps of one length.
            let jumps = (self.jump[high as usize], self.jump[low as usize]);
            (high, low) = if jumps.0 == jumps.1 {
                (self.parent[high as usize], self.parent[low as usize])
            } else {
                jumps
            };
        }
        high
    }

    /// The parent of each node: its own number for the root, [`u32::MAX`] for nodes that are not in the tree.
    #[must_use]
    pub fn into_parents(self) -> Vec<u32> {
        self.parent
    }
}

/// The immediate dominator of each node of a graph whose entry is node 0: its own number for the entry,
/// [`u32::MAX`] for nodes that are never reached. `predecessors` gives the sources of the edges to a node.
///
/// The numbers are to be a topological order but for back edges. Where these go to nodes that dominate their
/// sources (the graph is reducible), they change nothing: one sweep takes the nearest common ancestor of each
/// node's predecessors in the tree so far. On other graphs Cooper, Harvey and Kennedy's iteration finds the
/// tree, in quadratic time.
pub fn immediate_dominators<I: Iterator<Item = u32>>(
    count: usize,
    predecessors: impl Fn(u32) -> I,
) -> Vec<u32> {
    let mut tree = Ancestors::new(count, 0);
    for node in 1..count as u32 {
        let known = predecessors(node).filter(|&from| from < node && tree.contains(from));
        if let Some(above) = known.reduce(|a, b| tree.nearest_common(a, b)) {
            tree.add(node, above);
        }
    }
    let is_reducible = (0..count as u32).all(|node| {
        let mut back = predecessors(node).filter(|&from| from >= node && tree.contains(from));
        back.all(|from| tree.contains(node) && tree.nearest_common(node, from) == node)
    });
    if is_reducible { tree.into_parents() } else { by_iteration(count, predecessors) }
}

fn by_iteration<I: Iterator<Item = u32>>(count: usize, predecessors: impl Fn(u32) -> I) -> Vec<u32> {
    let mut above = vec![NONE; count];
    above[0] = 0;
    loop {
        let mut changed = false;
        for node in 1..count as u32 {
            let mut best = NONE;
            for mut other in predecessors(node).filter(|&from| above[from as usize] != NONE) {
                while best != NONE && best != other {
                    let lower = if best > other { &mut best } else { &mut other };
                    *lower = above[*lower as usize];
                }
                best = other;
            }
            changed |= std::mem::replace(&mut above[node as usize], best) != best;
        }
        if !changed {
            return above;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_found_by_walking_up() {
        let mut state = 7u64;
        let mut random = |bound: u32| {
            state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
            (state >> 33) as u32 % bound
        };
        for round in 0..100 {
            let count = 1 + random(60);
            let mut tree = Ancestors::new(count as usize, 0);
            for node in 1..count {
                // Long chains in some rounds, bushes in others.
                let parent = if round % 2 == 0 { node - 1 - random(node.min(3)) } else { random(node) };
                tree.add(node, parent);
            }
            let parents = tree.clone().into_parents();
            let chain = |mut node: u32| {
                let mut all = vec![node];
                while node != 0 {
                    node = parents[node as usize];
                    all.push(node);
                }
                all
            };
            for a in 0..count {
                for b in 0..count {
                    let above = chain(b);
                    let expected = chain(a).into_iter().find(|node| above.contains(node));
                    assert_eq!(Some(tree.nearest_common(a, b)), expected);
                }
            }
        }
    }

    #[test]
    fn nodes_outside_have_no_parent() {
        let mut tree = Ancestors::new(3, 1);
        tree.add(0, 1);
        assert!(tree.contains(0) && !tree.contains(2));
        assert_eq!(tree.into_parents(), [1, 1, u32::MAX]);
    }

    #[test]
    fn dominators_of_any_graph_are_those_of_the_iteration() {
        let mut state = 3u64;
        let mut random = |bound: u32| {
            state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
            (state >> 33) as u32 % bound
        };
        for _ in 0..500 {
            let count = 1 + random(12);
            let mut from: Vec<Vec<u32>> = vec![Vec::new(); count as usize];
            for node in 0..count {
                (0..random(3)).for_each(|_| from[random(count) as usize].push(node));
            }
            let predecessors = |node: u32| from[node as usize].iter().copied();
            let expected = by_iteration(count as usize, predecessors);
            assert_eq!(immediate_dominators(count as usize, predecessors), expected, "{from:?}");
        }
    }
}
