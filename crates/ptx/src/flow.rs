//! The order of a function's blocks.
//!
//! Lane form wants loops as contiguous runs of blocks that are entered at their headers only, and every other
//! edge to go forward. So a region's strongly connected components are taken in topological order; those of
//! more than one block are loops, whose blocks are a region of their own once the edges to the header are
//! left out. A loop that is entered at several blocks (irreducible control flow) gets a new block as its
//! header, which goes on at one of them: edges to them go there instead, and *select* which.

use crate::error::{Result, invalid, limit, unsupported};
use crate::limits::{BLOCK_COUNT_MAX, LOOP_DEPTH_MAX};
use crate::module::{Body, Instruction, Operand};

/// Where a node goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Edge {
    /// The node.
    pub(crate) target: usize,
    /// Of a target that dispatches: which of its edges it takes then.
    pub(crate) select: Option<u32>,
}

/// What a node does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Node {
    /// The instructions from the first index up to, not including, the second.
    Code(usize, usize),
    /// Goes on at the edge that was selected.
    Dispatch,
}

/// One step of the order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// A node.
    Node(usize),
    /// The loop with this header begins.
    Enter(usize),
    /// It ends.
    Leave(usize),
}

/// A function's blocks in order.
#[derive(Clone, Debug, Default)]
pub(crate) struct Flow {
    pub(crate) nodes: Vec<Node>,
    /// For each node, where it goes on, in the order that its last instruction gives: a branch's targets,
    /// then the next instruction if it may go on there.
    pub(crate) edges: Vec<Vec<Edge>>,
    /// What can be reached, the first instruction's node first.
    pub(crate) order: Vec<Step>,
}

/// Whether an instruction ends a block.
fn ends_block(instruction: &Instruction) -> bool {
    matches!(instruction.name(), "bra" | "brx" | "ret" | "exit" | "trap")
}

/// The label that a branch names.
fn label(instruction: &Instruction, index: usize) -> Result<usize> {
    match instruction.operand(index)? {
        Operand::Label(label) => Ok(*label),
        _ => invalid(
            instruction.line,
            "Control Flow Instructions",
            "a branch to something that is not a label",
        ),
    }
}

impl Flow {
    /// Finds the order of a body.
    pub(crate) fn new(body: &Body) -> Result<Flow> {
        let mut flow = Flow::blocks(body)?;
        if !flow.nodes.is_empty() {
            flow.find_order(body)?;
        }
        Ok(flow)
    }

    /// Cuts a body into blocks.
    fn blocks(body: &Body) -> Result<Flow> {
        let count = body.instructions.len();
        let mut starts = vec![false; count + 1];
        starts[0] = true;
        for place in body.labels.iter().filter_map(|label| label.place) {
            starts[place] = true;
        }
        for (index, instruction) in body.instructions.iter().enumerate() {
            starts[index + 1] |= ends_block(instruction);
        }
        let mut flow = Flow::default();
        // The node of each instruction that starts one.
        let mut node_at = vec![usize::MAX; count + 1];
        let mut start = 0;
        while start < count {
            let end = (start + 1..count).find(|&index| starts[index]).unwrap_or(count);
            node_at[start] = flow.nodes.len();
            flow.nodes.push(Node::Code(start, end));
            start = end;
        }
        if flow.nodes.len() > BLOCK_COUNT_MAX {
            let line = body.instructions.first().map_or(1, |instruction| instruction.line);
            return limit(line, "Control Flow Instructions", format!("{} blocks", flow.nodes.len()));
        }
        // Behind the last instruction a function returns.
        node_at[count] = flow.nodes.len();
        flow.nodes.push(Node::Code(count, count));
        flow.edges = vec![Vec::new(); flow.nodes.len()];
        for node in 0..flow.nodes.len() - 1 {
            let Node::Code(_, end) = flow.nodes[node] else { continue };
            let edges = &mut flow.edges[node];
            let mut go = |place: usize| edges.push(Edge { target: node_at[place], select: None });
            let last = &body.instructions[end - 1];
            let place = |label: usize| body.labels[label].place.unwrap_or(count);
            match last.name() {
                "bra" => {
                    go(place(label(last, 0)?));
                    if last.guard.is_some() {
                        go(end);
                    }
                }
                "brx" => {
                    const RULE: &str = "Control Flow Instructions: brx.idx";
                    if last.guard.is_some() {
                        return unsupported(last.line, RULE, "brx.idx under a predicate");
                    }
                    let targets = &body.labels[label(last, 1)?].targets;
                    if targets.is_empty() {
                        return invalid(last.line, RULE, "the label has no .branchtargets");
                    }
                    targets.iter().for_each(|&target| go(place(target)));
                }
                "ret" | "exit" | "trap" if last.guard.is_none() => {}
                _ => go(end),
            }
        }
        Ok(flow)
    }

    fn find_order(&mut self, body: &Body) -> Result {
        enum Work {
            Region { nodes: Vec<usize>, header: Option<usize>, depth: usize },
            Step(Step),
        }
        let reachable = self.reachable();
        let mut predecessors = vec![Vec::new(); self.nodes.len()];
        for &node in &reachable {
            for edge in &self.edges[node] {
                predecessors[edge.target].push(node);
            }
        }
        let mut components = Components::default();
        let mut work = vec![Work::Region { nodes: reachable, header: None, depth: 0 }];
        while let Some(item) = work.pop() {
            let (nodes, header, depth) = match item {
                Work::Step(step) => {
                    self.order.push(step);
                    continue;
                }
                Work::Region { nodes, header, depth } => (nodes, header, depth),
            };
            if depth > LOOP_DEPTH_MAX {
                let line = body.instructions.first().map_or(1, |instruction| instruction.line);
                return limit(line, "Control Flow Instructions", "loops inside one another");
            }
            // Those that come last in the order are found first, and done last.
            for mut component in components.find(&self.edges, &nodes, header) {
                let first = component[0];
                let repeats = component.len() > 1
                    || Some(first) != header && self.edges[first].iter().any(|edge| edge.target == first);
                if !repeats {
                    work.push(Work::Step(Step::Node(first)));
                    continue;
                }
                let head = self.header_of(&mut component, &mut predecessors, &components.number);
                work.push(Work::Step(Step::Leave(head)));
                work.push(Work::Region { nodes: component, header: Some(head), depth: depth + 1 });
                work.push(Work::Step(Step::Enter(head)));
            }
        }
        Ok(())
    }

    /// What can be reached from the first node, which comes first.
    fn reachable(&self) -> Vec<usize> {
        let mut seen = vec![false; self.nodes.len()];
        seen[0] = true;
        let mut found = vec![0];
        let mut next = 0;
        while let Some(&node) = found.get(next) {
            next += 1;
            for edge in &self.edges[node] {
                if !std::mem::replace(&mut seen[edge.target], true) {
                    found.push(edge.target);
                }
            }
        }
        found
    }

    /// The header of a loop of these nodes, put first among them; a new one where it is entered at several.
    fn header_of(
        &mut self,
        component: &mut Vec<usize>,
        predecessors: &mut Vec<Vec<usize>>,
        number: &[usize],
    ) -> usize {
        let own = number[component[0]];
        let is_inside = |node: &usize| number.get(*node) == Some(&own);
        let mut entries: Vec<usize> = component
            .iter()
            .copied()
            .filter(|&node| node == 0 || predecessors[node].iter().any(|from| !is_inside(from)))
            .collect();
        entries.sort_unstable();
        if let &[entry] = &entries[..] {
            let place = component.iter().position(|&node| node == entry).expect("an entry is one of them");
            component.swap(0, place);
            return entry;
        }
        let head = self.nodes.len();
        self.nodes.push(Node::Dispatch);
        let mut from_all = Vec::new();
        for (index, &entry) in entries.iter().enumerate() {
            for from in std::mem::replace(&mut predecessors[entry], vec![head]) {
                for edge in self.edges[from].iter_mut().filter(|edge| edge.target == entry) {
                    *edge = Edge { target: head, select: Some(index as u32) };
                }
                from_all.push(from);
            }
        }
        // Where the function begins in the loop, the first block is its first entry, which is selected
        // without an edge.
        self.edges.push(entries.iter().map(|&target| Edge { target, select: None }).collect());
        predecessors.push(from_all);
        component.insert(0, head);
        head
    }
}

/// Tarjan's algorithm, without recursion.
#[derive(Default)]
struct Components {
    /// Counts up over all searches, so that marks of earlier ones are below.
    clock: usize,
    index: Vec<usize>,
    low: Vec<usize>,
    /// The search that a node takes part in.
    region: Vec<usize>,
    on_stack: Vec<bool>,
    /// The component of a node in the last search that it took part in.
    number: Vec<usize>,
}

impl Components {
    /// The strongly connected components of `nodes`, the last in topological order first, when edges to
    /// `header` are left out. The search starts at the nodes in their order.
    fn find(&mut self, edges: &[Vec<Edge>], nodes: &[usize], header: Option<usize>) -> Vec<Vec<usize>> {
        let count = edges.len();
        self.index.resize(count, 0);
        self.low.resize(count, 0);
        self.region.resize(count, 0);
        self.number.resize(count, 0);
        self.on_stack.resize(count, false);
        self.clock += 1;
        let region = self.clock;
        for &node in nodes {
            self.region[node] = region;
        }
        let mut found = Vec::new();
        let mut stack = Vec::new();
        // Nodes with the edge to look at next.
        let mut path: Vec<(usize, usize)> = Vec::new();
        for &start in nodes {
            if self.index[start] > region {
                continue;
            }
            self.enter(start, &mut stack, &mut path);
            while let Some(&mut (node, ref mut next)) = path.last_mut() {
                if let Some(edge) = edges[node].get(*next) {
                    *next += 1;
                    let target = edge.target;
                    if Some(target) == header || self.region[target] != region {
                        continue;
                    }
                    if self.index[target] <= region {
                        self.enter(target, &mut stack, &mut path);
                    } else if self.on_stack[target] {
                        self.low[node] = self.low[node].min(self.index[target]);
                    }
                    continue;
                }
                path.pop();
                if let Some(&(parent, _)) = path.last() {
                    self.low[parent] = self.low[parent].min(self.low[node]);
                }
                if self.low[node] == self.index[node] {
                    let start = stack.iter().rposition(|&other| other == node).expect("it is on the stack");
                    let component = stack.split_off(start);
                    for &member in &component {
                        self.on_stack[member] = false;
                        self.number[member] = self.index[node];
                    }
                    found.push(component);
                }
            }
        }
        found
    }

    fn enter(&mut self, node: usize, stack: &mut Vec<usize>, path: &mut Vec<(usize, usize)>) {
        self.clock += 1;
        self.index[node] = self.clock;
        self.low[node] = self.clock;
        self.on_stack[node] = true;
        stack.push(node);
        path.push((node, 0));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Module;

    fn flow_of(body: &str) -> Flow {
        let text = format!(
            ".version 7.0\n.target sm_50\n.address_size 64\n.entry k() {{ .reg .pred %p<9>; .reg .b32 %r<9>;\n{body}\n}}"
        );
        let module = Module::parse(text.as_bytes()).unwrap();
        Flow::new(module.functions[0].body.as_ref().unwrap()).unwrap()
    }

    /// Every edge goes forward, or to the header of a loop around it, and enters loops at headers only.
    fn check(flow: &Flow) {
        let mut place = vec![None; flow.nodes.len()];
        let mut around: Vec<Vec<usize>> = vec![Vec::new(); flow.nodes.len()];
        let mut open = Vec::new();
        for (at, step) in flow.order.iter().enumerate() {
            match *step {
                Step::Enter(head) => open.push(head),
                Step::Leave(head) => assert_eq!(open.pop(), Some(head)),
                Step::Node(node) => {
                    assert_eq!(place[node].replace(at), None);
                    around[node] = open.clone();
                }
            }
        }
        assert!(open.is_empty());
        for (node, edges) in flow.edges.iter().enumerate().filter(|&(node, _)| place[node].is_some()) {
            for edge in edges {
                let target = edge.target;
                let (from, to) = (place[node].unwrap(), place[target].unwrap());
                assert!(to > from || around[node].contains(&target), "{node} to {target}: {flow:?}");
                assert!(around[target].iter().all(|head| *head == target || around[node].contains(head)));
                assert_eq!(edge.select.is_some(), flow.nodes[target] == Node::Dispatch);
            }
        }
    }

    #[test]
    fn a_loop_in_a_loop() {
        let flow = flow_of("A: mov.b32 %r1, 0; B: add.s32 %r1, %r1, 1; @%p1 bra B; @%p2 bra A; ret;");
        check(&flow);
        assert_eq!(flow.order.iter().filter(|step| matches!(step, Step::Enter(_))).count(), 2);
    }

    #[test]
    fn a_loop_with_two_entries() {
        let flow = flow_of("@%p1 bra B; A: @%p2 bra C; B: @%p3 bra A; C: ret;");
        check(&flow);
        assert!(flow.nodes.contains(&Node::Dispatch));
    }

    #[test]
    fn the_start_in_a_loop_of_two_entries() {
        check(&flow_of("A: @%p1 bra C; B: @%p2 bra C; bra A; C: @%p3 bra B; ret;"));
        check(&flow_of("A: bra A;"));
        check(&flow_of(""));
    }

    #[test]
    fn any_graph() {
        let mut random = pyro_random::Random::new(7);
        for _ in 0..500 {
            let count = 2 + random.below(12);
            let mut body = String::new();
            for block in 0..count {
                body.push_str(&format!("L{block}: mov.b32 %r1, {block};\n"));
                match random.below(4) {
                    0 => body.push_str(&format!("bra L{};\n", random.below(count))),
                    1 => body.push_str(&format!("@%p1 bra L{};\n", random.below(count))),
                    2 => body.push_str("@%p2 ret;\n"),
                    _ => {}
                }
            }
            check(&flow_of(&body));
        }
    }
}
