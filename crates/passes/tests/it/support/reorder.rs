//! Another legal block order of a program in lane form, chosen at random.
//!
//! Blocks stay behind those that jump to them, loops stay in one piece, with their merge block right behind.
//! What lanes do together changes with the order, and so does what is next to what: dominated blocks need not
//! be neighbours any more.

use super::Random;
use pyro_ir::{Block, Function, Merge};
use std::collections::HashMap;

pub fn reorder(function: &mut Function, random: &mut Random) {
    let order = function.block_order.clone();
    let position: HashMap<Block, usize> =
        order.iter().enumerate().map(|(index, &block)| (block, index)).collect();
    let loops: Vec<(usize, usize)> = order
        .iter()
        .enumerate()
        .filter_map(|(index, block)| match function.blocks[*block].merge {
            Some(Merge::Loop { merge, .. }) => Some((index, position[&merge])),
            _ => None,
        })
        .collect();
    let edges: Vec<(usize, usize)> = order
        .iter()
        .enumerate()
        .flat_map(|(index, &block)| {
            let data = &function.blocks[block];
            // A selection's merge block stays behind its header even when nothing jumps there.
            let merge = match data.merge {
                Some(Merge::Selection { merge }) => Some(merge),
                _ => None,
            };
            let targets = data.terminator.targets().map(|call| call.block).chain(merge);
            targets.map(|target| (index, position[&target])).collect::<Vec<_>>()
        })
        .filter(|(from, to)| to > from)
        .collect();
    let result = arrange(0, order.len(), &loops, &edges, random);
    function.block_order = result.into_iter().map(|index| order[index]).collect();
}

/// The positions from `start` to `end` in another order; the first stays first.
fn arrange(
    start: usize,
    end: usize,
    loops: &[(usize, usize)],
    edges: &[(usize, usize)],
    random: &mut Random,
) -> Vec<usize> {
    // Units: single blocks, and loops together with their merge block.
    let mut unit_of = vec![usize::MAX; end - start];
    let mut units: Vec<Vec<usize>> = Vec::new();
    let mut at = start;
    while at < end {
        let mut members = Vec::new();
        loop {
            // The header of the function or loop that is being arranged is no loop of its own here.
            let inner = loops.iter().find(|&&(header, _)| header == at && (header != start || start == 0));
            match inner {
                Some(&(header, merge)) if !(header == start && merge == end) => {
                    members.extend(arrange(header, merge, loops, edges, random));
                    at = merge;
                    if at >= end {
                        break;
                    }
                }
                _ => {
                    members.push(at);
                    at += 1;
                    break;
                }
            }
        }
        for &member in &members {
            unit_of[member - start] = units.len();
        }
        units.push(members);
    }
    let mut waits = vec![0usize; units.len()];
    let inside = |position: usize| (start..end).contains(&position);
    let between: Vec<(usize, usize)> = edges
        .iter()
        .filter(|(from, to)| inside(*from) && inside(*to))
        .map(|(from, to)| (unit_of[from - start], unit_of[to - start]))
        .filter(|(from, to)| from != to)
        .collect();
    between.iter().for_each(|&(_, to)| waits[to] += 1);
    let mut ready: Vec<usize> = (0..units.len()).filter(|&unit| waits[unit] == 0 && unit == 0).collect();
    // Blocks that nothing reaches may stand anywhere behind the first.
    let mut free: Vec<usize> = (1..units.len()).filter(|&unit| waits[unit] == 0).collect();
    let mut out = Vec::new();
    while !ready.is_empty() || !free.is_empty() {
        if ready.is_empty() {
            ready.append(&mut free);
        }
        let unit = ready.swap_remove(random.below(ready.len() as u64) as usize);
        out.extend(&units[unit]);
        for &(_, to) in between.iter().filter(|&&(from, _)| from == unit) {
            waits[to] -= 1;
            if waits[to] == 0 {
                ready.push(to);
            }
        }
        ready.append(&mut free);
    }
    assert_eq!(out.len(), end - start);
    out
}
