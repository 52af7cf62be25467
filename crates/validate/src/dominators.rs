//! Dominators of a directed graph.
//!
//! Lengauer and Tarjan's algorithm ("A fast algorithm for finding dominators in a flowgraph", 1979) in its
//! simple form, with explicit stacks: O(edges * log nodes) on any graph, where the common iterative
//! algorithm is quadratic on graphs that an attacker can choose.

/// Edges from each node, by node.
#[derive(Clone, Debug, Default)]
pub(crate) struct Graph {
    starts: Vec<u32>,
    targets: Vec<u32>,
}

impl Graph {
    /// A graph without nodes.
    pub(crate) fn new() -> Self {
        Graph { starts: vec![0], targets: Vec::new() }
    }

    /// Adds the next node, with its edges.
    pub(crate) fn push(&mut self, targets: impl Iterator<Item = u32>) {
        self.targets.extend(targets);
        self.starts.push(self.targets.len() as u32);
    }

    /// How many nodes.
    pub(crate) fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// Where a node's edges go; a target occurs as often as it has edges.
    pub(crate) fn successors(&self, node: u32) -> &[u32] {
        &self.targets[self.starts[node as usize] as usize..self.starts[node as usize + 1] as usize]
    }

    /// The graph with every edge turned around; the sources of a node's edges are in ascending order.
    pub(crate) fn reversed(&self) -> Graph {
        let mut starts = vec![0u32; self.len() + 1];
        for &target in &self.targets {
            starts[target as usize + 1] += 1;
        }
        for node in 0..self.len() {
            starts[node + 1] += starts[node];
        }
        let mut next = starts.clone();
        let mut targets = vec![0; self.targets.len()];
        for node in 0..self.len() as u32 {
            for &target in self.successors(node) {
                targets[next[target as usize] as usize] = node;
                next[target as usize] += 1;
            }
        }
        Graph { starts, targets }
    }
}

/// Which nodes every path from the entry, node 0, passes.
#[derive(Clone, Debug, Default)]
pub(crate) struct Dominators {
    /// Reachable nodes in depth-first preorder.
    preorder: Vec<u32>,
    /// By node: place in reverse postorder, or `NONE` when unreachable.
    rpo_number: Vec<u32>,
    /// By node: immediate dominator; of the entry and of unreachable nodes `NONE`.
    idom: Vec<u32>,
    /// By node: place in a preorder of the tree of dominators, and how many nodes it dominates.
    tree: Vec<(u32, u32)>,
}

const NONE: u32 = u32::MAX;

impl Dominators {
    /// Computes them.
    pub(crate) fn new(graph: &Graph) -> Self {
        let node_count = graph.len();
        if node_count == 1 {
            // Most functions of small shaders.
            return Dominators {
                preorder: vec![0],
                rpo_number: vec![0],
                idom: vec![NONE],
                tree: vec![(0, 1)],
            };
        }
        let mut result = Dominators {
            preorder: Vec::with_capacity(node_count),
            rpo_number: vec![NONE; node_count],
            idom: vec![NONE; node_count],
            tree: vec![(NONE, 0); node_count],
        };
        if node_count == 0 {
            return result;
        }
        // Depth-first numbers; `parent` is in terms of them, as is everything below.
        let mut number = vec![NONE; node_count];
        let mut parent = Vec::with_capacity(node_count);
        let mut postorder_len = 0;
        let mut stack = vec![(0u32, 0usize)];
        number[0] = 0;
        result.preorder.push(0);
        parent.push(NONE);
        while let Some((node, next)) = stack.last_mut() {
            let from = number[*node as usize];
            match graph.successors(*node).get(*next) {
                Some(&target) => {
                    *next += 1;
                    if number[target as usize] == NONE {
                        number[target as usize] = result.preorder.len() as u32;
                        result.preorder.push(target);
                        parent.push(from);
                        stack.push((target, 0));
                    }
                }
                None => {
                    result.rpo_number[*node as usize] = postorder_len;
                    postorder_len += 1;
                    stack.pop();
                }
            }
        }
        let reachable_count = result.preorder.len();
        for &node in &result.preorder {
            let place = &mut result.rpo_number[node as usize];
            *place = reachable_count as u32 - 1 - *place;
        }
        let idom = idoms(graph, &result.preorder, &number, &parent);
        result.number_tree(&idom);
        result
    }

    fn number_tree(&mut self, idom: &[u32]) {
        let count = self.preorder.len();
        let mut size = vec![1u32; count];
        for node in (1..count).rev() {
            size[idom[node] as usize] += size[node];
        }
        // A dominator has a lower number than what it dominates, so one sweep places all subtrees.
        let mut next = vec![1u32; count];
        let mut place = vec![0u32; count];
        for node in 1..count {
            let above = idom[node] as usize;
            place[node] = next[above];
            next[above] += size[node];
            next[node] = place[node] + 1;
        }
        for (number, &node) in self.preorder.iter().enumerate() {
            self.tree[node as usize] = (place[number], size[number]);
            if number != 0 {
                self.idom[node as usize] = self.preorder[idom[number] as usize];
            }
        }
    }

    /// The reachable nodes, each after its immediate dominator.
    pub(crate) fn preorder(&self) -> &[u32] {
        &self.preorder
    }

    /// Whether a path from the entry reaches the node.
    pub(crate) fn is_reachable(&self, node: u32) -> bool {
        self.rpo_number[node as usize] != NONE
    }

    /// The node's place in a reverse postorder; none when it is unreachable.
    pub(crate) fn rpo_number(&self, node: u32) -> Option<u32> {
        Some(self.rpo_number[node as usize]).filter(|&number| number != NONE)
    }

    /// The node's immediate dominator; none for the entry and for unreachable nodes.
    pub(crate) fn idom(&self, node: u32) -> Option<u32> {
        Some(self.idom[node as usize]).filter(|&idom| idom != NONE)
    }

    /// Whether every path to `below` passes `above`, or they are the same; both reachable.
    pub(crate) fn dominates(&self, above: u32, below: u32) -> bool {
        let ((start, size), (place, _)) = (self.tree[above as usize], self.tree[below as usize]);
        start != NONE && place != NONE && (start..start + size).contains(&place)
    }
}

/// Immediate dominators by depth-first number.
fn idoms(graph: &Graph, preorder: &[u32], number: &[u32], parent: &[u32]) -> Vec<u32> {
    let count = preorder.len();
    let predecessors = graph.reversed();
    let mut semi: Vec<u32> = (0..count as u32).collect();
    let mut label = semi.clone();
    let mut ancestor = vec![NONE; count];
    let mut idom = vec![0u32; count];
    // Nodes by semidominator, as linked lists.
    let mut bucket_head = vec![NONE; count];
    let mut bucket_next = vec![NONE; count];
    let mut path = Vec::new();
    for node in (1..count).rev() {
        for &predecessor in predecessors.successors(preorder[node]) {
            let from = number[predecessor as usize];
            if from != NONE {
                let best = evaluate(from, &mut ancestor, &mut label, &semi, &mut path);
                semi[node] = semi[node].min(semi[best as usize]);
            }
        }
        let at = semi[node] as usize;
        bucket_next[node] = bucket_head[at];
        bucket_head[at] = node as u32;
        let above = parent[node] as usize;
        ancestor[node] = above as u32;
        let mut waiting = std::mem::replace(&mut bucket_head[above], NONE);
        while waiting != NONE {
            let best = evaluate(waiting, &mut ancestor, &mut label, &semi, &mut path);
            let is_lower = semi[best as usize] < semi[waiting as usize];
            idom[waiting as usize] = if is_lower { best } else { above as u32 };
            waiting = bucket_next[waiting as usize];
        }
    }
    for node in 1..count {
        if idom[node] != semi[node] {
            idom[node] = idom[idom[node] as usize];
        }
    }
    idom
}

/// The node of least semidominator on the path to the forest's root, with path compression.
fn evaluate(node: u32, ancestor: &mut [u32], label: &mut [u32], semi: &[u32], path: &mut Vec<u32>) -> u32 {
    if ancestor[node as usize] == NONE {
        return label[node as usize];
    }
    path.clear();
    let mut at = node;
    while ancestor[ancestor[at as usize] as usize] != NONE {
        path.push(at);
        at = ancestor[at as usize];
    }
    while let Some(below) = path.pop() {
        let above = ancestor[below as usize] as usize;
        if semi[label[above] as usize] < semi[label[below as usize] as usize] {
            label[below as usize] = label[above];
        }
        ancestor[below as usize] = ancestor[above];
    }
    label[node as usize]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn graph(edges: &[&[u32]]) -> Graph {
        let mut graph = Graph::new();
        edges.iter().for_each(|targets| graph.push(targets.iter().copied()));
        graph
    }

    /// By definition: a node dominates another when removing it cuts that off.
    fn dominates_by_removal(graph: &Graph, above: u32, below: u32) -> bool {
        let mut seen = vec![false; graph.len()];
        let mut stack = vec![0];
        while let Some(node) = stack.pop() {
            if node == above || std::mem::replace(&mut seen[node as usize], true) {
                continue;
            }
            stack.extend(graph.successors(node));
        }
        !seen[below as usize]
    }

    #[test]
    fn dominators_match_the_definition_on_random_graphs() {
        let mut state = 0x1234_5678_9abc_def1u64;
        let mut random = |bound: u64| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            state % bound
        };
        for round in 0..400 {
            let count = 1 + random(20);
            let mut graph = Graph::new();
            for _ in 0..count {
                let targets: Vec<u32> = (0..random(4)).map(|_| random(count) as u32).collect();
                graph.push(targets.into_iter());
            }
            let dominators = Dominators::new(&graph);
            let reachable: Vec<u32> = (0..count as u32).filter(|&n| dominators.is_reachable(n)).collect();
            assert_eq!(dominators.preorder().len(), reachable.len());
            for &above in &reachable {
                for &below in &reachable {
                    let expected = dominates_by_removal(&graph, above, below);
                    assert_eq!(dominators.dominates(above, below), expected, "{round}: {graph:?}");
                }
                if let Some(idom) = dominators.idom(above) {
                    assert!(idom != above && dominators.dominates(idom, above));
                    let others = reachable.iter().filter(|&&n| n != above && dominators.dominates(n, above));
                    assert!(others.clone().all(|&other| dominators.dominates(other, idom)));
                }
            }
        }
    }

    #[test]
    fn long_chains_are_fast() {
        // Each block may also leave to a common exit: quadratic for iterative algorithms.
        let count = 200_000u32;
        let mut graph = Graph::new();
        (0..count).for_each(|node| graph.push([node + 1, count].into_iter()));
        graph.push(std::iter::empty());
        let dominators = Dominators::new(&graph);
        assert_eq!(dominators.idom(count), Some(0));
        assert_eq!(dominators.idom(count - 1), Some(count - 2));
        assert_eq!(graph.reversed().successors(count).len(), count as usize + 1);
        assert!(graph.reversed().reversed().successors(7) == [8, count]);
    }

    #[test]
    fn a_loop_and_dead_code() {
        let graph = graph(&[&[1], &[2, 3], &[1], &[], &[3]]);
        let dominators = Dominators::new(&graph);
        assert!(!dominators.is_reachable(4));
        assert_eq!(dominators.idom(3), Some(1));
        assert_eq!(dominators.rpo_number(0), Some(0));
        assert!(dominators.rpo_number(2) > dominators.rpo_number(1));
        assert!(!dominators.dominates(4, 3));
    }
}
