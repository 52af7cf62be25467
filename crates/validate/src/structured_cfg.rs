//! Control flow of one function, and the rules of structured control flow (SPIR-V, 2.11).
//!
//! # The graph of structure
//! The *structural* graph has, beside the branches, an edge from each header to its merge block and its
//! continue target. Its dominators decide which construct a block is in: a merge block belongs where its
//! header does; a continue target begins its loop's continue construct; every other block is where its
//! immediate structural dominator is, or inside the construct which that dominator heads. So one sweep in
//! an order that puts dominators first places all blocks.
//!
//! # What holds afterwards
//! For the blocks that the structural graph reaches:
//! - constructs nest; each is entered through its header only;
//! - a branch stays in its construct, or goes to the construct's own merge block, or to the merge block or
//!   continue target of the innermost loop around it, or to the merge block of the innermost switch
//!   around it (when no loop is between), or is the loop's one back edge;
//! - all cycles go through back edges; without these the blocks form an acyclic graph, in whose order
//!   [`StructuredCfg::order_of`] puts them, the blocks of each construct together and its merge block after
//!   them;
//! - a continue construct is left from its back-edge block only;
//! - case constructs fall through at most to the next one.
//!
//! Two conditional branches of a selection may meet in a block that is not a merge block; consumers must
//! expect such joins.

use crate::context::Context;
use crate::dominators::{Dominators, Graph};
use pyro_spirv::{BlockIndex, FunctionIndex, Id, Inst, Merge, Terminator};
use std::collections::HashMap;

/// What kind of construct.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConstructKind {
    /// The whole function.
    Function,
    /// From a header with `OpSelectionMerge` whose terminator is a conditional branch (or a plain one).
    Selection,
    /// From a header with `OpSelectionMerge` whose terminator is `OpSwitch`.
    Switch,
    /// From a header with `OpLoopMerge`, without its continue construct.
    Loop,
    /// From a continue target to the back edge.
    Continue,
}

/// A construct.
#[derive(Clone, Debug)]
pub struct Construct {
    /// Its kind.
    pub kind: ConstructKind,
    /// Its header: for a continue construct, its loop's. For the function, the entry block.
    pub header: BlockIndex,
    /// The construct around it: an index in [`StructuredCfg::constructs`]; the function's own is 0, itself.
    pub parent: u32,
    /// How many constructs are around it.
    pub depth: u32,
    /// The innermost loop or continue construct around or at it.
    loop_around: Option<u32>,
    /// The innermost switch around or at it with no loop between.
    switch_around: Option<u32>,
}

/// The control flow of a function that keeps the rules.
#[derive(Clone, Debug)]
pub struct StructuredCfg {
    first_block: u32,
    flow: Dominators,
    /// None when it is the same as by branches: without merge instructions.
    structural: Option<Dominators>,
    predecessors: Graph,
    constructs: Vec<Construct>,
    /// By block: the construct that it belongs to, as a block that may also head another.
    construct_of: Vec<u32>,
}

const NONE: u32 = u32::MAX;

impl StructuredCfg {
    /// The constructs; the function's is first, and each comes after the one around it.
    pub fn constructs(&self) -> &[Construct] {
        &self.constructs
    }

    /// The innermost construct that a block belongs to (a header does not belong to the construct that it
    /// heads); none for blocks that structure does not reach.
    pub fn construct_of(&self, block: BlockIndex) -> Option<u32> {
        Some(self.construct_of[self.node(block) as usize]).filter(|&construct| construct != NONE)
    }

    /// Whether branches from the entry reach the block. What they do not reach never runs, though a merge
    /// instruction may name it.
    pub fn is_reachable(&self, block: BlockIndex) -> bool {
        self.flow.is_reachable(self.node(block))
    }

    /// Whether every path of branches from the entry to `below` passes `above`, or they are the same.
    pub fn dominates(&self, above: BlockIndex, below: BlockIndex) -> bool {
        self.flow.dominates(self.node(above), self.node(below))
    }

    /// The immediate dominator by branches; none for the entry and unreachable blocks.
    pub fn idom(&self, block: BlockIndex) -> Option<BlockIndex> {
        self.flow.idom(self.node(block)).map(|node| self.block(node))
    }

    /// The place of a block in a reverse postorder of the structural graph; none for blocks that it does
    /// not reach.
    pub fn order_of(&self, block: BlockIndex) -> Option<u32> {
        self.structural().rpo_number(self.node(block))
    }

    /// The blocks that branch to a block, ascending; one for each edge, so a switch may occur repeatedly.
    pub fn predecessors(&self, block: BlockIndex) -> impl Iterator<Item = BlockIndex> + '_ {
        self.predecessors.successors(self.node(block)).iter().map(|&node| self.block(node))
    }

    /// The blocks that the structural graph reaches, in reverse postorder ([`StructuredCfg::order_of`]): the entry
    /// first, the blocks of each construct together, its merge block after them. A block that only a merge instruction
    /// names is among them ([`StructuredCfg::is_reachable`]).
    pub fn blocks_in_order(&self) -> Vec<BlockIndex> {
        let structural = self.structural();
        let mut order = vec![0; structural.preorder().len()];
        for &node in structural.preorder() {
            if let Some(place) = structural.rpo_number(node) {
                order[place as usize] = node;
            }
        }
        order.into_iter().map(|node| self.block(node)).collect()
    }

    fn structural(&self) -> &Dominators {
        self.structural.as_ref().unwrap_or(&self.flow)
    }

    fn node(&self, block: BlockIndex) -> u32 {
        block.as_u32() - self.first_block
    }

    fn block(&self, node: u32) -> BlockIndex {
        BlockIndex::from_u32(node + self.first_block)
    }
}

/// Checks the control flow of a function that has blocks; none when a rule is broken.
pub(crate) fn check(cx: &Context<'_, '_>, function: FunctionIndex) -> Option<StructuredCfg> {
    let blocks = cx.module.function(function).blocks();
    let first_block = cx.module.function(function).entry()?.as_u32();
    let mut checker = Checker { cx, first_block, count: blocks.len() as u32, is_broken: false };
    checker.run()
}

struct Checker<'c, 'a, 'm> {
    cx: &'c Context<'a, 'm>,
    first_block: u32,
    count: u32,
    is_broken: bool,
}

/// What merge instructions say, by node.
struct Merges {
    /// The header whose merge block it is.
    merge_of: Vec<u32>,
    /// The loop header whose continue target it is.
    continue_of: Vec<u32>,
    /// As a header: its merge block.
    merge: Vec<u32>,
    /// As a loop header: its continue target.
    continue_target: Vec<u32>,
    has_any: bool,
}

impl Merges {
    /// Whether there are no merge instructions.
    fn is_empty(&self) -> bool {
        !self.has_any
    }
}

impl Checker<'_, '_, '_> {
    fn block(&self, node: u32) -> BlockIndex {
        BlockIndex::from_u32(self.first_block + node)
    }

    fn terminator_inst(&self, node: u32) -> Inst {
        self.cx.module.block(self.block(node)).terminator
    }

    fn label(&self, node: u32) -> Id {
        self.cx.module.block(self.block(node)).label
    }

    fn report(&mut self, node: u32, rule: &'static str, message: String) {
        self.is_broken = true;
        self.cx.report(rule, self.terminator_inst(node), message);
    }

    /// The node of a label of this function.
    fn node_of(&mut self, from: u32, label: Id) -> Option<u32> {
        let node = self.cx.module.block_of(label).map(|block| block.as_u32().wrapping_sub(self.first_block));
        let node = node.filter(|&node| node < self.count);
        if node.is_none() {
            self.report(from, "OpLabel", format!("{label} is not the label of a block of this function"));
        }
        node
    }

    fn run(&mut self) -> Option<StructuredCfg> {
        let entry = self.block(0);
        let module = self.cx.module;
        if self.count == 1 && module.successors(entry).next().is_none() && module.merge(entry).is_none() {
            // Nothing can be wrong with the only block of a function.
            let mut flow_graph = Graph::new();
            flow_graph.push(std::iter::empty());
            return Some(StructuredCfg {
                first_block: self.first_block,
                flow: Dominators::new(&flow_graph),
                structural: None,
                predecessors: flow_graph,
                constructs: vec![self.function_construct()],
                construct_of: vec![0],
            });
        }
        let mut merges = self.merges()?;
        let mut flow_graph = Graph::new();
        let mut structural_graph = (!merges.is_empty() && self.cx.is_shader()).then(Graph::new);
        let mut targets = Vec::new();
        for node in 0..self.count {
            targets.clear();
            for label in self.cx.module.successors(self.block(node)) {
                targets.push(self.node_of(node, label)?);
            }
            if targets.contains(&0) {
                self.report(node, "OpFunction", "it branches to the function's entry block".to_owned());
                return None;
            }
            // The depth-first search finishes first what it visits first, so that in reverse postorder the
            // merge block comes after the whole construct, and the continue target last in the loop. A switch's
            // default is the first target; visited last it comes first, where no case falls through to it.
            targets.reverse();
            flow_graph.push(targets.iter().copied());
            if let Some(graph) = &mut structural_graph {
                let named = [merges.merge[node as usize], merges.continue_target[node as usize]];
                let named = named.into_iter().filter(|&target| target != NONE);
                graph.push(named.chain(targets.iter().copied()));
            }
        }
        let flow = Dominators::new(&flow_graph);
        let structural = structural_graph.as_ref().map(Dominators::new);
        let mut structure = StructuredCfg {
            first_block: self.first_block,
            flow,
            structural,
            predecessors: flow_graph.reversed(),
            constructs: Vec::new(),
            construct_of: vec![NONE; self.count as usize],
        };
        // What code says that nothing reaches does not count.
        for node in (0..self.count).filter(|&node| !structure.structural().is_reachable(node)) {
            for (named, of) in [
                (merges.merge[node as usize], &mut merges.merge_of),
                (merges.continue_target[node as usize], &mut merges.continue_of),
            ] {
                if named != NONE && of[named as usize] == node {
                    of[named as usize] = NONE;
                }
            }
        }
        if self.cx.is_shader() {
            let inner = self.place_blocks(&mut structure, &merges);
            if !self.is_broken {
                self.check_edges(&structure, &merges, &inner, &flow_graph);
            }
        }
        (!self.is_broken).then_some(structure)
    }

    /// Collects the merge instructions; each block is the merge block or continue target of one header.
    fn merges(&mut self) -> Option<Merges> {
        let none = || vec![NONE; self.count as usize];
        let mut merges = Merges {
            merge_of: none(),
            continue_of: none(),
            merge: none(),
            continue_target: none(),
            has_any: false,
        };
        for node in 0..self.count {
            let Some(merge) = self.cx.module.merge(self.block(node)) else { continue };
            merges.has_any = true;
            let merge_node = self.node_of(node, merge.merge())?;
            if merge_node == node {
                self.report(node, "Structured control flow", "a block is its own merge block".to_owned());
                return None;
            }
            merges.merge[node as usize] = merge_node;
            if std::mem::replace(&mut merges.merge_of[merge_node as usize], node) != NONE {
                let message = format!("{} is already the merge block of another header", merge.merge());
                self.report(node, "Structured control flow", message);
            }
            if let Merge::Loop { continue_target, .. } = merge {
                let continue_node = self.node_of(node, continue_target)?;
                if continue_node == merge_node {
                    let message = "the merge block of a loop is also its continue target".to_owned();
                    self.report(node, "OpLoopMerge", message);
                }
                merges.continue_target[node as usize] = continue_node;
                if std::mem::replace(&mut merges.continue_of[continue_node as usize], node) != NONE {
                    let message = format!("{continue_target} is already another loop's continue target");
                    self.report(node, "OpLoopMerge", message);
                }
            }
        }
        for node in 0..self.count {
            let both = merges.merge_of[node as usize] != NONE && merges.continue_of[node as usize] != NONE;
            if both && merges.continue_of[node as usize] != node {
                let message = format!("{} is a merge block and a continue target", self.label(node));
                self.report(merges.merge_of[node as usize], "Structured control flow", message);
            }
        }
        (!self.is_broken).then_some(merges)
    }

    /// Gives each block its construct; the result is, by node, the construct that the block's branches
    /// start in.
    fn place_blocks(&mut self, structure: &mut StructuredCfg, merges: &Merges) -> Vec<u32> {
        let mut inner = vec![NONE; self.count as usize];
        structure.constructs.push(self.function_construct());
        for index in 0..structure.structural().preorder().len() {
            let node = structure.structural().preorder()[index];
            let idom = structure.structural().idom(node);
            let merged = merges.merge_of[node as usize];
            let continued = merges.continue_of[node as usize];
            let mut construct = match idom {
                None => 0,
                Some(idom) => inner[idom as usize],
            };
            if merged != NONE {
                if idom != Some(merged) {
                    let message =
                        format!("the header does not dominate its merge block {}", self.label(node));
                    self.report(merged, "Structured control flow", message);
                    return inner;
                }
                construct = structure.construct_of[merged as usize];
            } else if continued != NONE && continued != node {
                if idom != Some(continued) {
                    let message = format!("the loop's header does not dominate {}", self.label(node));
                    self.report(continued, "OpLoopMerge", message);
                    return inner;
                }
                let parent = structure.construct_of[continued as usize];
                construct = self.open(structure, ConstructKind::Continue, continued, parent);
            }
            structure.construct_of[node as usize] = construct;
            inner[node as usize] = match self.cx.module.merge(self.block(node)) {
                None => construct,
                Some(Merge::Loop { .. }) if continued == node => {
                    // The whole loop is one block, which is its own continue construct.
                    self.open(structure, ConstructKind::Continue, node, construct)
                }
                Some(Merge::Loop { .. }) => self.open(structure, ConstructKind::Loop, node, construct),
                Some(Merge::Selection { .. }) => {
                    let kind = match self.cx.module.terminator(self.block(node)) {
                        Terminator::Switch { .. } => ConstructKind::Switch,
                        _ => ConstructKind::Selection,
                    };
                    self.open(structure, kind, node, construct)
                }
            };
            let depth = structure.constructs[inner[node as usize] as usize].depth;
            if depth > self.cx.environment.limits.control_flow_nesting_depth_max {
                let message = format!("control flow nests deeper than {}", depth - 1);
                self.report(node, "Universal limits", message);
                return inner;
            }
        }
        inner
    }

    fn function_construct(&self) -> Construct {
        Construct {
            kind: ConstructKind::Function,
            header: self.block(0),
            parent: 0,
            depth: 0,
            loop_around: None,
            switch_around: None,
        }
    }

    fn open(&self, structure: &mut StructuredCfg, kind: ConstructKind, header: u32, parent: u32) -> u32 {
        let index = structure.constructs.len() as u32;
        let around = &structure.constructs[parent as usize];
        let is_loop = matches!(kind, ConstructKind::Loop | ConstructKind::Continue);
        let construct = Construct {
            kind,
            header: self.block(header),
            parent,
            depth: around.depth + 1,
            loop_around: if is_loop { Some(index) } else { around.loop_around },
            switch_around: match kind {
                ConstructKind::Switch => Some(index),
                ConstructKind::Selection => around.switch_around,
                _ => None,
            },
        };
        structure.constructs.push(construct);
        index
    }

    fn check_edges(&mut self, structure: &StructuredCfg, merges: &Merges, inner: &[u32], flow: &Graph) {
        let mut back_edge_from = vec![NONE; self.count as usize];
        // Loop header and block of each branch from a continue construct to the loop's merge block.
        let mut continue_exits = Vec::new();
        let cases = self.cases(structure, merges, flow);
        let mut fallthroughs = Fallthroughs::default();
        let order = |node: u32| structure.structural().rpo_number(node).expect("branches reach it");
        for index in 0..structure.structural().preorder().len() {
            let node = structure.structural().preorder()[index];
            let from = inner[node as usize];
            let construct = &structure.constructs[from as usize];
            let loop_around = construct.loop_around.map(|index| &structure.constructs[index as usize]);
            let loop_header = loop_around.map_or(NONE, |found| self.node(found.header));
            let in_continue = loop_around.is_some_and(|found| found.kind == ConstructKind::Continue);
            let mut has_exit = false;
            for &target in flow.successors(node) {
                if order(target) <= order(node) {
                    has_exit = true;
                    let is_back_edge = construct.kind == ConstructKind::Continue && loop_header == target;
                    if !is_back_edge {
                        let label = self.label(target);
                        let message = format!(
                            "it branches back to {label}, which is not the header of a loop in whose continue construct it is"
                        );
                        self.report(node, "Structured control flow", message);
                        return;
                    }
                    let previous = std::mem::replace(&mut back_edge_from[target as usize], node);
                    if previous != NONE && previous != node {
                        let message = format!("a second back edge to the loop header {}", self.label(target));
                        self.report(node, "Structured control flow", message);
                        return;
                    }
                    continue;
                }
                let merged = merges.merge_of[target as usize];
                let continued = merges.continue_of[target as usize];
                if merged != NONE {
                    has_exit = true;
                    let header = self.block(merged);
                    let heads = |index: Option<u32>| {
                        index.is_some_and(|index| structure.constructs[index as usize].header == header)
                    };
                    let is_own = construct.kind != ConstructKind::Function && heads(Some(from));
                    if heads(construct.loop_around) {
                        if in_continue {
                            continue_exits.push((merged, node));
                        }
                    } else if !is_own && !heads(construct.switch_around) {
                        self.report_exit(node, target);
                        return;
                    }
                } else if continued != NONE && continued != target {
                    has_exit = true;
                    let is_loop = loop_around.is_some_and(|found| found.kind == ConstructKind::Loop);
                    if !is_loop || loop_header != continued {
                        self.report_exit(node, target);
                        return;
                    }
                } else if structure.construct_of[target as usize] != from {
                    self.report_exit(node, target);
                    return;
                } else if construct.kind == ConstructKind::Switch && cases.is_target(target) {
                    fallthroughs.note(&cases, node, target);
                }
            }
            self.check_terminator(structure, node, in_continue, has_exit);
        }
        for index in 0..structure.structural().preorder().len() {
            let node = structure.structural().preorder()[index];
            if merges.continue_target[node as usize] != NONE && back_edge_from[node as usize] == NONE {
                let message = "no block of the continue construct branches back to the loop's header";
                self.report(node, "Structured control flow", message.to_owned());
            } else if merges.continue_target[node as usize] == node && back_edge_from[node as usize] != node {
                let message = "a loop header that is its own continue target does not branch to itself";
                self.report(node, "Structured control flow", message.to_owned());
            }
        }
        for (header, node) in continue_exits {
            if back_edge_from[header as usize] != node {
                let message = "a continue construct is left other than from its back-edge block";
                self.report(node, "Structured control flow", message.to_owned());
            }
        }
        if let Some((node, message)) = fallthroughs.check(self, &cases) {
            self.report(node, "OpSwitch", message);
        }
    }

    fn node(&self, block: BlockIndex) -> u32 {
        block.as_u32() - self.first_block
    }

    fn report_exit(&mut self, node: u32, target: u32) {
        let label = self.label(target);
        let message = format!("it leaves its construct to {label}, which is not where that may go");
        self.report(node, "Structured control flow", message);
    }

    fn check_terminator(&mut self, structure: &StructuredCfg, node: u32, in_continue: bool, has_exit: bool) {
        let has_selection_merge =
            matches!(self.cx.module.merge(self.block(node)), Some(Merge::Selection { .. }));
        match self.cx.module.terminator(self.block(node)) {
            Terminator::BranchConditional { on_true, on_false, .. } => {
                if on_true == on_false && self.cx.module.header().version() >= (1, 6) {
                    self.report(node, "OpBranchConditional", "both targets are the same".to_owned());
                }
                if !has_selection_merge && on_true != on_false && !has_exit {
                    let message = "a conditional branch needs OpSelectionMerge before it, as neither target is a merge block or continue target";
                    self.report(node, "Structured control flow", message.to_owned());
                }
            }
            Terminator::Switch { .. } if !has_selection_merge => {
                self.report(node, "OpSwitch", "it needs OpSelectionMerge before it".to_owned());
            }
            Terminator::Switch { .. } | Terminator::Branch { .. } | Terminator::Unreachable => {}
            _ => {
                if in_continue && structure.is_reachable(self.block(node)) {
                    let message = "a continue construct ends the invocation, so that its back-edge block does not post-dominate it";
                    self.report(node, "Structured control flow", message.to_owned());
                }
            }
        }
    }

    /// Which case of its switch each block is in. Blocks of a switch that no case dominates are errors.
    fn cases(&mut self, structure: &StructuredCfg, merges: &Merges, flow: &Graph) -> Cases {
        let mut cases =
            Cases { case_of: vec![NONE; self.count as usize], header_of: vec![NONE; self.count as usize] };
        if merges.is_empty() {
            return cases;
        }
        for index in 0..structure.structural().preorder().len() {
            let node = structure.structural().preorder()[index];
            let Some(idom) = structure.structural().idom(node) else { continue };
            let construct = &structure.constructs[structure.construct_of[node as usize] as usize];
            if construct.kind == ConstructKind::Switch && construct.header == self.block(idom) {
                // Neither its merge block, which belongs outside, nor below one of its cases.
                cases.case_of[node as usize] = node;
                cases.header_of[node as usize] = idom;
            } else {
                cases.case_of[node as usize] = cases.case_of[idom as usize];
            }
        }
        // A switch's targets that are in it are its cases, and nothing else may be right below it.
        let mut is_target = vec![false; self.count as usize];
        for index in 0..structure.structural().preorder().len() {
            let node = structure.structural().preorder()[index];
            if merges.merge[node as usize] == NONE {
                continue;
            }
            if let Terminator::Switch { .. } = self.cx.module.terminator(self.block(node)) {
                for &target in flow.successors(node) {
                    if cases.header_of[target as usize] == node {
                        is_target[target as usize] = true;
                    }
                }
            }
        }
        for node in 0..self.count {
            let header = cases.header_of[node as usize];
            if header != NONE && !is_target[node as usize] {
                let message = format!(
                    "{} is reached from several cases, but is neither a case nor the merge block",
                    self.label(node)
                );
                self.report(header, "OpSwitch", message);
            }
        }
        cases
    }
}

/// Cases of switches, by node.
struct Cases {
    /// The target of the innermost switch's case that the block is in.
    case_of: Vec<u32>,
    /// For such targets: the switch.
    header_of: Vec<u32>,
}

impl Cases {
    fn is_target(&self, node: u32) -> bool {
        self.header_of[node as usize] != NONE
    }
}

/// Branches from one case of a switch to another.
#[derive(Default)]
struct Fallthroughs {
    /// From case, to case, and the branch.
    edges: Vec<(u32, u32, u32)>,
}

impl Fallthroughs {
    fn note(&mut self, cases: &Cases, node: u32, target: u32) {
        let from = cases.case_of[node as usize];
        if node != cases.header_of[target as usize] && from != target && from != NONE {
            self.edges.push((from, target, node));
        }
    }

    /// The first branch that breaks a rule.
    fn check(&mut self, checker: &Checker<'_, '_, '_>, cases: &Cases) -> Option<(u32, String)> {
        self.edges.sort_unstable();
        for pair in self.edges.windows(2) {
            if pair[0].0 == pair[1].0 && pair[0].1 != pair[1].1 {
                let message = "a case falls through to more than one other case".to_owned();
                return Some((pair[1].2, message));
            }
        }
        self.edges.sort_unstable_by_key(|&(from, to, node)| (to, from, node));
        for pair in self.edges.windows(2) {
            if pair[0].1 == pair[1].1 && pair[0].0 != pair[1].0 {
                let message = "more than one case falls through to the same case".to_owned();
                return Some((pair[1].2, message));
            }
        }
        // Which case follows which, for the switches where something falls through.
        let mut following: HashMap<u32, u32> = HashMap::new();
        let mut known = std::collections::HashSet::new();
        for &(from, to, node) in &self.edges {
            let header = cases.header_of[to as usize];
            let block = checker.block(header);
            let Terminator::Switch { default, cases: list, .. } = checker.cx.module.terminator(block) else {
                continue;
            };
            if known.insert(header) {
                let mut previous = None;
                for (_, label) in list.iter() {
                    let target = checker.cx.module.block_of(label).map(|block| checker.node(block));
                    if let (Some(previous), Some(target)) = (previous, target)
                        && previous != target
                    {
                        following.insert(previous, target);
                    }
                    previous = target;
                }
            }
            // The default may fall through to, and be reached from, any case.
            let default = checker.cx.module.block_of(default).map(|block| checker.node(block));
            if default == Some(from) || default == Some(to) || following.get(&from) == Some(&to) {
                continue;
            }
            return Some((node, "a case falls through to one that is not the next".to_owned()));
        }
        None
    }
}
