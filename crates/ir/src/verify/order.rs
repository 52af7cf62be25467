//! The block order of lane form; the rules are in the crate's documentation.

use super::{Entity, Verifier};
use crate::function::Merge;

/// A loop's places in the order: from its header up to, not including, its merge block.
#[derive(Clone, Copy)]
struct Loop {
    header: u32,
    end: u32,
}

pub(super) fn check(verifier: &mut Verifier<'_>) {
    let function = verifier.function;
    let loops = loops(verifier);
    // The loops that hold the block at hand, outermost first.
    let mut open: Vec<Loop> = Vec::new();
    // By place: the innermost loop that holds it, as place of its header; and each header's parent.
    let mut innermost: Vec<Option<usize>> = Vec::with_capacity(function.block_order.len());
    let mut parent: Vec<Option<usize>> = vec![None; loops.len()];
    let mut open_index: Vec<usize> = Vec::new();
    let mut next = 0;
    for place in 0..function.block_order.len() as u32 {
        while open.last().is_some_and(|inner| inner.end <= place) {
            open.pop();
            open_index.pop();
        }
        if loops.get(next).is_some_and(|found| found.header == place) {
            let found = loops[next];
            if open.last().is_some_and(|outer| found.end > outer.end) {
                let entity = Entity::Block(function.block_order[place as usize]);
                verifier.error(entity, "the loop reaches past the end of the loop that it starts in");
                return;
            }
            parent[next] = open_index.last().copied();
            open.push(found);
            open_index.push(next);
            next += 1;
        }
        innermost.push(open_index.last().copied());
    }
    for (place, &block) in function.block_order.iter().enumerate() {
        for call in function.blocks[block].terminator.targets() {
            let target = verifier.position(call.block);
            let inside = |found: Loop| (found.header..found.end).contains(&(place as u32));
            if target <= place as u32 {
                let back = loops
                    .binary_search_by_key(&target, |found| found.header)
                    .is_ok_and(|index| inside(loops[index]));
                if !back {
                    let message = format!(
                        "the edge to {} goes backward, and not to the header of a loop around it",
                        call.block
                    );
                    verifier.error(Entity::Block(block), message);
                }
                continue;
            }
            // Every loop around the target, but the one that it is the header of, holds this block too.
            let mut around = innermost[target as usize];
            while let Some(index) = around {
                let found = loops[index];
                if inside(found) {
                    break;
                }
                if found.header != target {
                    let message = format!("the edge to {} enters a loop beside its header", call.block);
                    verifier.error(Entity::Block(block), message);
                    break;
                }
                around = parent[index];
            }
        }
    }
}

/// All loops by place of the header; complains of merge information that goes backward.
fn loops(verifier: &mut Verifier<'_>) -> Vec<Loop> {
    let function = verifier.function;
    let mut loops = Vec::new();
    for (place, &block) in function.block_order.iter().enumerate() {
        let place = place as u32;
        match function.blocks[block].merge {
            None => {}
            Some(Merge::Selection { merge }) if verifier.position(merge) > place => {}
            Some(Merge::Selection { merge }) => {
                verifier.error(Entity::Block(block), format!("{merge} merges before its header"));
            }
            Some(Merge::Loop { merge, continue_target }) => {
                let end = verifier.position(merge);
                if end <= place {
                    verifier.error(Entity::Block(block), format!("{merge} merges before its header"));
                    continue;
                }
                if !(place..end).contains(&verifier.position(continue_target)) {
                    verifier.error(
                        Entity::Block(block),
                        format!("the continue target {continue_target} is not in the loop"),
                    );
                }
                loops.push(Loop { header: place, end });
            }
        }
    }
    loops
}
