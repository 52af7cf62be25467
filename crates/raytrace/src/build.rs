//! Trees from boxes: the surface area heuristic over bins, eight children a node.
//!
//! The upper part of a tree is made on one thread, the subtrees below on all of them; where one ends and the
//! others begin depends on the boxes alone, so the tree is the same for any number of threads.

use crate::Workers;
use crate::math::Bounds;
use crate::node::{LEAF, Node};
use pyro_abi::ray::WIDTH;
use std::ops::Range;
use std::sync::OnceLock;

/// Bins of an axis.
const BINS: usize = 16;
/// Subtrees of so many boxes are made by one thread each.
const SUBTREE: usize = 4096;

/// A box to be put into a tree.
#[derive(Clone, Copy, Debug)]
pub struct Item {
    /// It.
    pub bounds: Bounds,
    /// What it is the box of.
    pub index: u32,
}

impl Item {
    #[inline(always)]
    fn center(&self, axis: usize) -> f32 {
        // Halves first, so that nothing overflows.
        0.5 * self.bounds.lower[axis] + 0.5 * self.bounds.upper[axis]
    }
}

/// A tree. Its root is node 0; without any box there is none.
#[derive(Clone, Debug, Default)]
pub struct Tree {
    /// Its nodes.
    pub nodes: Vec<Node>,
    /// Its leaves: the items that each has, by their places behind [`build`].
    pub leaves: Vec<Range<u32>>,
}

/// What a tree is like.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    /// The most items that a leaf has: 1 to 8.
    pub leaf_items: usize,
    /// The most levels of nodes.
    pub levels: usize,
}

impl Shape {
    /// The most items that a subtree of so many levels of nodes has.
    fn capacity(&self, levels: usize) -> usize {
        (0..levels).fold(self.leaf_items, |capacity, _| capacity.saturating_mul(WIDTH))
    }
}

/// Some consecutive items.
#[derive(Clone, Debug)]
struct Part {
    range: Range<usize>,
    bounds: Bounds,
    /// Of the items' centers.
    centers: Bounds,
}

impl Part {
    fn new(items: &[Item], range: Range<usize>) -> Part {
        let (mut bounds, mut centers) = (Bounds::EMPTY, Bounds::EMPTY);
        for item in &items[range.clone()] {
            bounds.add(&item.bounds);
            centers.add_point([0, 1, 2].map(|axis| item.center(axis)));
        }
        Part { range, bounds, centers }
    }
}

/// A subtree that is yet to be made.
struct Task {
    node: usize,
    child: usize,
    range: Range<usize>,
    levels: usize,
}

/// Makes a tree of the items, which change their order.
///
/// # Panics
/// When there are more items than [`Shape`] has room for.
pub fn build(items: &mut [Item], shape: Shape, workers: &dyn Workers) -> Tree {
    let mut tree = Tree::default();
    if items.is_empty() {
        return tree;
    }
    assert!(items.len() <= shape.capacity(shape.levels) && items.len() < LEAF as usize, "too many items");
    let mut tasks = Vec::new();
    let whole = 0..items.len();
    make(items, whole, 0, shape, shape.levels, &mut tree, Some(&mut tasks));
    if tasks.is_empty() {
        return tree;
    }
    // Each task has items of its own, in ascending order.
    tasks.sort_by_key(|task| task.range.start);
    let mut rest = &mut *items;
    let mut start = 0;
    let mut own = Vec::with_capacity(tasks.len());
    for task in &tasks {
        let (_, behind) = rest.split_at_mut(task.range.start - start);
        let (mine, behind) = behind.split_at_mut(task.range.len());
        (rest, start) = (behind, task.range.end);
        own.push(std::sync::Mutex::new(mine));
    }
    let done: Vec<OnceLock<Tree>> = tasks.iter().map(|_| OnceLock::new()).collect();
    workers.run(tasks.len() as u64, &|number| {
        let number = number as usize;
        let task = &tasks[number];
        let Ok(mut items) = own[number].lock() else { return };
        let mut tree = Tree::default();
        let whole = 0..items.len();
        make(&mut items, whole, task.range.start, shape, task.levels, &mut tree, None);
        let _ = done[number].set(tree);
    });
    for (task, subtree) in tasks.iter().zip(done) {
        let subtree = subtree.into_inner().expect("all parts have run");
        let (node, leaf) = (tree.nodes.len() as u32, tree.leaves.len() as u32);
        tree.nodes[task.node].children[task.child] = node;
        tree.leaves.extend(subtree.leaves);
        tree.nodes.extend(subtree.nodes.into_iter().map(|mut made| {
            for child in &mut made.children[..made.count as usize] {
                *child += if *child & LEAF != 0 { leaf } else { node };
            }
            made
        }));
    }
    tree
}

/// Makes the node of a range and what is below, at most `levels` of them; subtrees become tasks where these
/// are wanted and they are small enough. `first`: the place of the first item among all. Gives the node's
/// number.
fn make(
    items: &mut [Item],
    range: Range<usize>,
    first: usize,
    shape: Shape,
    levels: usize,
    tree: &mut Tree,
    mut tasks: Option<&mut Vec<Task>>,
) -> u32 {
    let number = tree.nodes.len();
    tree.nodes.push(Node::default());
    let below = shape.capacity(levels - 1);
    let mut parts = split_by_area(items, range.clone(), shape.leaf_items);
    if parts.iter().any(|part| part.range.len() > below) {
        parts = split_evenly(items, range);
    }
    for (child, part) in parts.into_iter().enumerate() {
        let at = |place: usize| (first + place) as u32;
        if part.range.len() <= shape.leaf_items {
            let leaf = LEAF | tree.leaves.len() as u32;
            tree.leaves.push(at(part.range.start)..at(part.range.end));
            tree.nodes[number].push(&part.bounds, leaf);
            continue;
        }
        tree.nodes[number].push(&part.bounds, 0);
        if let Some(tasks) = tasks.as_deref_mut()
            && part.range.len() <= SUBTREE
        {
            tasks.push(Task { node: number, child, range: part.range, levels: levels - 1 });
            continue;
        }
        let made = make(items, part.range, first, shape, levels - 1, tree, tasks.as_deref_mut());
        tree.nodes[number].children[child] = made;
    }
    number as u32
}

/// Splits the part with the largest surface until there are eight or none has more than `leaf_items`.
fn split_by_area(items: &mut [Item], range: Range<usize>, leaf_items: usize) -> Vec<Part> {
    let mut parts = Vec::with_capacity(WIDTH);
    parts.push(Part::new(items, range));
    while parts.len() < WIDTH {
        let splittable = parts.iter().enumerate().filter(|(_, part)| part.range.len() > leaf_items);
        let Some((largest, _)) =
            splittable.max_by(|a, b| a.1.bounds.half_area().total_cmp(&b.1.bounds.half_area()))
        else {
            break;
        };
        let part = parts[largest].clone();
        let middle = partition(items, &part, leaf_items);
        parts[largest] = Part::new(items, part.range.start..middle);
        parts.insert(largest + 1, Part::new(items, middle..part.range.end));
    }
    parts
}

/// Eight parts of almost as many items each.
fn split_evenly(items: &mut [Item], range: Range<usize>) -> Vec<Part> {
    let mut parts = vec![Part::new(items, range)];
    for _ in 0..WIDTH.ilog2() {
        parts = parts
            .iter()
            .flat_map(|part| {
                let middle = halve(items, part);
                [part.range.start..middle, middle..part.range.end]
            })
            .collect::<Vec<_>>()
            .into_iter()
            .filter(|range| !range.is_empty())
            .map(|range| Part::new(items, range))
            .collect();
    }
    parts
}

/// Splits a part in the middle of its longest axis' order.
fn halve(items: &mut [Item], part: &Part) -> usize {
    let extents = [0, 1, 2].map(|axis| part.centers.upper[axis] - part.centers.lower[axis]);
    let axis = (0..3).max_by(|&a, &b| extents[a].total_cmp(&extents[b])).unwrap_or(0);
    let items = &mut items[part.range.clone()];
    let middle = items.len().div_ceil(2);
    if middle < items.len() {
        // The number decides between equal ones, so the result does not depend on the algorithm's choices.
        items.select_nth_unstable_by(middle, |a, b| {
            a.center(axis).total_cmp(&b.center(axis)).then(a.index.cmp(&b.index))
        });
    }
    part.range.start + middle
}

/// What has fallen into a bin.
#[derive(Clone, Copy)]
struct Bin {
    bounds: Bounds,
    count: u32,
}

/// Orders a part's items so that those before the place that is given back are the first of the two halves.
fn partition(items: &mut [Item], part: &Part, leaf_items: usize) -> usize {
    let empty = Bin { bounds: Bounds::EMPTY, count: 0 };
    let mut bins = [[empty; BINS]; 3];
    let scale = [0, 1, 2].map(|axis| {
        let extent = part.centers.upper[axis] - part.centers.lower[axis];
        let scale = BINS as f32 * (1.0 - 1e-6) / extent;
        if extent > 0.0 && scale.is_finite() { scale } else { 0.0 }
    });
    let bin_of = |item: &Item, axis: usize| {
        let place = (item.center(axis) - part.centers.lower[axis]) * scale[axis];
        (place as usize).min(BINS - 1)
    };
    for item in &items[part.range.clone()] {
        for axis in 0..3 {
            let bin = &mut bins[axis][bin_of(item, axis)];
            bin.bounds.add(&item.bounds);
            bin.count += 1;
        }
    }
    // Leaves are tested as a whole, whether full or not.
    let cost = |count: u32| count.div_ceil(leaf_items as u32) as f32;
    let mut best: Option<(f32, usize, usize)> = None;
    for axis in (0..3).filter(|&axis| scale[axis] > 0.0) {
        let mut right = [0.0; BINS];
        let mut behind = empty;
        for at in (1..BINS).rev() {
            behind.bounds.add(&bins[axis][at].bounds);
            behind.count += bins[axis][at].count;
            right[at] = behind.bounds.half_area() * cost(behind.count);
        }
        let mut before = empty;
        for at in 1..BINS {
            before.bounds.add(&bins[axis][at - 1].bounds);
            before.count += bins[axis][at - 1].count;
            let total = before.bounds.half_area() * cost(before.count) + right[at];
            let splits = before.count > 0 && (before.count as usize) < part.range.len();
            if splits && total.is_finite() && best.is_none_or(|(least, ..)| total < least) {
                best = Some((total, axis, at));
            }
        }
    }
    let Some((_, axis, at)) = best else { return halve(items, part) };
    let own = &mut items[part.range.clone()];
    let mut middle = 0;
    for place in 0..own.len() {
        if bin_of(&own[place], axis) < at {
            own.swap(place, middle);
            middle += 1;
        }
    }
    part.range.start + middle
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::OneThread;

    fn items(count: u32, place: impl Fn(u32) -> [f32; 3]) -> Vec<Item> {
        let items = (0..count).map(|index| {
            let lower = place(index);
            Item { bounds: Bounds { lower, upper: lower.map(|side| side + 0.5) }, index }
        });
        items.collect()
    }

    /// Every item is in one leaf, in the boxes of all nodes above; gives the number of levels.
    fn check(tree: &Tree, items: &[Item], shape: Shape) -> usize {
        fn visit(
            tree: &Tree,
            items: &[Item],
            node: u32,
            seen: &mut Vec<u32>,
            level: usize,
        ) -> (usize, Bounds) {
            let node = &tree.nodes[node as usize];
            assert!(node.count > 0);
            let (mut levels, mut all) = (level, Bounds::EMPTY);
            for child in 0..node.count as usize {
                let (below, bounds) = match node.children[child] {
                    leaf if leaf & LEAF != 0 => {
                        let range = tree.leaves[(leaf & !LEAF) as usize].clone();
                        let mut bounds = Bounds::EMPTY;
                        for item in &items[range.start as usize..range.end as usize] {
                            seen.push(item.index);
                            bounds.add(&item.bounds);
                        }
                        (level, bounds)
                    }
                    inner => visit(tree, items, inner, seen, level + 1),
                };
                for axis in 0..3 {
                    assert_eq!(node.planes[axis][child], bounds.lower[axis]);
                    assert_eq!(node.planes[3 + axis][child], bounds.upper[axis]);
                }
                levels = levels.max(below);
                all.add(&bounds);
            }
            (levels, all)
        }
        let mut seen = Vec::new();
        let (levels, _) = visit(tree, items, 0, &mut seen, 1);
        seen.sort_unstable();
        assert!(seen.iter().copied().eq(0..items.len() as u32));
        assert!(tree.leaves.iter().all(|leaf| leaf.len() <= shape.leaf_items));
        levels
    }

    #[test]
    fn trees_hold_everything_within_their_levels() {
        let spread = |index: u32| [(index % 37) as f32, (index / 37 % 41) as f32, (index / 1517) as f32];
        // Each item is twice as far away as the one before: the heuristic cuts off one after the other.
        let growing = |index: u32| [1.05f32.powi(index as i32 % 1700), 0.0, 0.0];
        for shape in [Shape { leaf_items: 8, levels: 14 }, Shape { leaf_items: 1, levels: 6 }] {
            for count in [1, 7, 8, 9, 100, 20_000] {
                let places: [&dyn Fn(u32) -> [f32; 3]; 3] = [&spread, &growing, &|_| [1.0; 3]];
                for place in places {
                    let mut all = items(count, place);
                    let tree = build(&mut all, shape, &OneThread);
                    assert!(check(&tree, &all, shape) <= shape.levels);
                }
            }
        }
    }

    #[test]
    fn nothing_is_a_tree_without_nodes() {
        let tree = build(&mut [], Shape { leaf_items: 8, levels: 14 }, &OneThread);
        assert!(tree.nodes.is_empty() && tree.leaves.is_empty());
    }
}
