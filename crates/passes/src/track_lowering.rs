//! Accesses that the sanitizer follows become loads and stores of shadow memory. Mask form.
//!
//! # Problem
//! Which invocations accessed a word last is asked at every access of memory that several share, so it must
//! cost about as much as the access.
//!
//! # Approach
//! Shadow memory ([`pyro_abi::shadow`]) has tables of cells: of writes, of reads, and where the module has
//! them, of atomic operations and of relaxed atomic stores. A cell is the *mark* of the last access: which
//! barrier interval, which invocation, which site. An access compares its own mark with the cells of what it
//! conflicts with, for all lanes at once, and leaves its mark. Where a cell has the mark of another
//! invocation in the same interval, a report says so; the runtime decides what it is.
//!
//! Lanes of one access may meet in a cell. They are found by reading back what was written: a lane that finds
//! another's mark has met it. Two readers leave the mark of *many*. Where all lanes access one cell, one mark
//! stands for them; where lanes are known to be some way apart, none can meet another.
//!
//! Words of buffers have an owner instead: see [`pyro_abi::shadow::buffer`].
//!
//! # Invariant
//! Shadow memory is no memory of the shader. Its accesses say `global`, so that they are not ordered with
//! those of workgroup memory that they stand beside.

mod rows;

use crate::analysis::AffineValues;
use crate::report_lowering::report;
use pyro_abi::report::AccessKind;
use pyro_abi::shadow::{MarkLayout, Tables, Tracked, buffer};
use pyro_ir::{
    Block, BlockCall, Builder, Effect, Form, Function, InstData, MemoryOp, Opcode, Scalar, Space, Terminator,
    Value,
};

/// The operands of a `track`.
pub(crate) mod track {
    use pyro_ir::Value;

    /// Addresses of the tables of cells.
    pub(crate) const TABLES: usize = 4;
    /// Behind them, those of a report up to the rows; then the rows, the mark, the offset in the tables, and
    /// the lanes that access.
    pub(crate) fn rows(args: &[Value]) -> &[Value] {
        &args[TABLES + 3..args.len() - 3]
    }

    /// Of buffers, which operand says that the access need be followed.
    pub(crate) const GUARD: usize = 3;

    /// Which operand is the address of the call record.
    pub(crate) const RECORD: usize = TABLES + super::report::RECORD;

    /// Rows that lowering adds: the mark and the cells.
    pub(crate) const ADDED_ROWS: usize = 1 + TABLES;
}

/// Runs the pass. Returns whether anything changed.
pub fn run(function: &mut Function) -> bool {
    debug_assert_eq!(function.form, Form::Mask);
    let mut changed = branch_around(function);
    let mut order = Vec::new();
    let mut affine = AffineValues::default();
    for block in std::mem::take(&mut function.block_order) {
        order.push(block);
        let is_tracked = |&inst: &pyro_ir::Inst| function.insts[inst].op == Opcode::Track;
        if !function.blocks[block].insts.iter().any(is_tracked) {
            continue;
        }
        changed = true;
        let insts = std::mem::take(&mut function.blocks[block].insts);
        let terminator = std::mem::take(&mut function.blocks[block].terminator);
        let mut current = block;
        let mut late = Vec::new();
        for inst in insts {
            let op = function.insts[inst].op;
            if op != Opcode::Track {
                if op.effect() == Effect::Barrier {
                    current = leave_late(function, current, &mut late, &mut order);
                }
                function.blocks[current].insts.push(inst);
                continue;
            }
            let data = function.insts[inst].clone();
            let tracked = Tracked::from_bits(data.imm);
            if !tracked.is_buffer && !is_looked_at(tracked) {
                current = leave_late(function, current, &mut late, &mut order);
            }
            let is_apart = are_apart(&mut affine, function, data.args[data.args.len() - 2]);
            let mut b = Builder::new(function);
            b.switch_to(current);
            b.loc = data.loc;
            if !tracked.is_buffer && is_looked_at(tracked) {
                late.extend((0..tracked.cells).map(|cell| Late { data: data.clone(), cell, is_apart }));
                continue;
            }
            if tracked.is_buffer && tracked.access != AccessKind::Write && !is_apart {
                for cell in 0..tracked.cells {
                    current = follow_news(function, current, &data, cell, &mut order);
                }
                continue;
            }
            let mut tracker = Tracker::new(&mut b, &data, tracked, is_apart);
            for cell in 0..tracked.cells {
                if tracked.is_buffer {
                    tracker.follow_word(cell);
                } else {
                    tracker.follow(cell);
                }
            }
        }
        current = leave_late(function, current, &mut late, &mut order);
        function.blocks[current].terminator = terminator;
    }
    function.block_order = order;
    changed
}

/// Whether an access of workgroup memory needs to be followed only where its own table lacks its mark: reads,
/// and atomic operations, of which no two conflict.
fn is_looked_at(tracked: Tracked) -> bool {
    matches!(tracked.access, AccessKind::Read | AccessKind::Atomic)
}

/// Follows an access of a buffer, that is no write and may be at any word, behind a branch that is not taken
/// where the shadow memory has all that it would leave. Gives the block where the shader goes on.
fn follow_news(
    function: &mut Function,
    block: Block,
    data: &InstData,
    cell: u32,
    order: &mut Vec<Block>,
) -> Block {
    let (body, next) = (function.make_block(), function.make_block());
    let mut b = Builder::new(function);
    b.switch_to(block);
    b.loc = data.loc;
    let tracked = Tracked::from_bits(data.imm);
    let mut tracker = Tracker::new(&mut b, data, tracked, false);
    let word = tracker.look(cell);
    let news = tracker.news(&word);
    let any = b.op(Opcode::Any, &[news]);
    b.branch(any, BlockCall::new(body, &[]), BlockCall::new(next, &[]));
    b.switch_to(body);
    let mut tracker = Tracker::new(&mut b, data, tracked, false);
    tracker.follow_word(cell);
    b.jump(next, &[]);
    order.extend([body, next]);
    next
}

/// An access that is followed behind others, where lanes have a mark to leave.
struct Late {
    data: InstData,
    cell: u32,
    is_apart: bool,
}

/// Whether no two lanes have the same value.
fn are_apart(affine: &mut AffineValues, function: &Function, value: Value) -> bool {
    let Some(affine) = affine.of(function, value) else { return false };
    let Some(mut lanes) = affine.lanes.iter().copied().collect::<Option<Vec<i32>>>() else { return false };
    lanes.sort_unstable();
    lanes.windows(2).all(|pair| pair[0] != pair[1])
}

/// Ends a block with branches to where reads are followed; gives the block where the shader goes on.
/// Where the cell among the reads has the invocation's own mark in this interval, or that of many, a read has
/// been compared with writes before, and a write behind that has been compared with the read. So most reads,
/// as of a tile in workgroup memory, look at one cell and go past it. Reads of one cell by all lanes and of a
/// cell by each have branches of their own, as the former are often the first ones.
fn leave_late(
    function: &mut Function,
    mut block: Block,
    late: &mut Vec<Late>,
    order: &mut Vec<Block>,
) -> Block {
    let (rows, others) = rows::take(function, std::mem::take(late));
    for row in &rows {
        block = rows::leave(function, block, row, order);
    }
    let is_uniform = |read: &Late| function.ty(read.data.args[read.data.args.len() - 2]).is_uniform();
    let (uniform, varying): (Vec<Late>, Vec<Late>) = others.into_iter().partition(is_uniform);
    for reads in [uniform, varying] {
        block = leave_each(function, block, &reads, order);
    }
    block
}

/// The same of reads that are looked at one by one.
fn leave_each(function: &mut Function, block: Block, reads: &[Late], order: &mut Vec<Block>) -> Block {
    if reads.is_empty() {
        return block;
    }
    let (body, next) = (function.make_block(), function.make_block());
    let mut b = Builder::new(function);
    b.switch_to(block);
    let any = any_unmarked(&mut b, reads);
    b.branch(any, BlockCall::new(body, &[]), BlockCall::new(next, &[]));
    b.switch_to(body);
    for Late { data, cell, is_apart } in reads {
        b.loc = data.loc;
        Tracker::new(&mut b, data, Tracked::from_bits(data.imm), *is_apart).follow(*cell);
    }
    b.jump(next, &[]);
    order.extend([body, next]);
    next
}

/// Whether of some group of reads, with one mark and the same lanes, neither all cells have the lane's mark
/// nor all that of many: all reads are by all lanes together, or all by each.
fn any_unmarked(b: &mut Builder<'_>, reads: &[Late]) -> Value {
    let mut groups: Vec<([Value; 2], Cells)> = Vec::new();
    for Late { data, cell, is_apart } in reads {
        b.loc = data.loc;
        let [mark, lanes] = [3, 1].map(|behind| data.args[data.args.len() - behind]);
        let mut tracker = Tracker::new(b, data, Tracked::from_bits(data.imm), *is_apart);
        let content = tracker.cell(tracker.own_table(), *cell);
        match groups.iter_mut().find(|group| group.0 == [mark, lanes]) {
            Some((_, group)) => {
                group.some = b.op(Opcode::Or, &[group.some, content]);
                group.all = b.op(Opcode::And, &[group.all, content]);
            }
            None => {
                let (here, is_single, plain) = match &tracker.together {
                    Some(together) => (together.some, Some(together.is_single), together.first_plain),
                    None => (tracker.here, None, tracker.plain),
                };
                let layout = tracker.tracked.layout;
                let group = Cells { some: content, all: content, plain, here, is_single, layout };
                groups.push(([mark, lanes], group));
            }
        }
    }
    let new: Vec<Value> = groups.iter().map(|(_, group)| group.is_new(b)).collect();
    let (uniform, lanes): (Vec<Value>, Vec<Value>) =
        new.into_iter().partition(|&value| b.function.ty(value).is_uniform());
    let lanes = lanes.into_iter().reduce(|a, c| b.op(Opcode::Or, &[a, c]));
    let lanes = lanes.map(|lanes| b.op(Opcode::Any, &[lanes]));
    let any = uniform.into_iter().chain(lanes).reduce(|a, c| b.op(Opcode::Or, &[a, c]));
    any.unwrap_or_else(|| b.bool(false))
}

/// The cells of some accesses.
struct Cells {
    /// Bits that some cell has, and those that all have: all cells are one mark where both are.
    some: Value,
    all: Value,
    /// The own mark.
    plain: Value,
    here: Value,
    /// Where all lanes access one cell: there is only one.
    is_single: Option<Value>,
    layout: MarkLayout,
}

impl Cells {
    fn is_new(&self, b: &mut Builder<'_>) -> Value {
        let is_varying = b.function.ty(self.some).is_varying();
        let [least, many] = [1 << self.layout.releases_low(), self.layout.many_and_releases()].map(|bits| {
            let bits = b.i32(bits);
            if is_varying { b.splat(bits) } else { bits }
        });
        let of_many = b.op(Opcode::Or, &[self.plain, many]);
        // The bits below say nothing.
        let [mut is_own, is_of_many] = [self.plain, of_many].map(|mark| {
            let differs = [self.some, self.all].map(|cells| b.op(Opcode::Xor, &[cells, mark]));
            let differs = b.op(Opcode::Or, &differs);
            b.op(Opcode::ULt, &[differs, least])
        });
        if let Some(is_single) = self.is_single {
            // Of several lanes, the others are not the first.
            is_own = b.op(Opcode::And, &[is_own, is_single]);
        }
        let is_known = b.op(Opcode::Or, &[is_own, is_of_many]);
        b.op(Opcode::AndNot, &[self.here, is_known])
    }
}

/// A buffer's access that is followed only where a range overlaps another.
pub(crate) fn guard(function: &Function, inst: pyro_ir::Inst) -> Option<Value> {
    let data = &function.insts[inst];
    let is_guarded = data.op == Opcode::Track && Tracked::from_bits(data.imm).is_buffer;
    let guard = data.args[..].get(track::GUARD).copied().filter(|_| is_guarded)?;
    (function.const_bits(guard) != Some(1)).then_some(guard)
}

/// Puts guarded accesses into blocks of their own, at the end of their block or in front of what orders
/// memory.
fn branch_around(function: &mut Function) -> bool {
    let mut insts = function.block_order.iter().flat_map(|&block| &function.blocks[block].insts);
    if !insts.any(|&inst| guard(function, inst).is_some()) {
        return false;
    }
    let mut order = Vec::new();
    for block in std::mem::take(&mut function.block_order) {
        let insts = std::mem::take(&mut function.blocks[block].insts);
        let terminator = std::mem::take(&mut function.blocks[block].terminator);
        order.push(block);
        let mut current = block;
        let mut pending: Vec<(Value, Vec<pyro_ir::Inst>)> = Vec::new();
        for inst in insts {
            if let Some(guard) = guard(function, inst) {
                match pending.iter_mut().find(|group| group.0 == guard) {
                    Some(group) => group.1.push(inst),
                    None => pending.push((guard, vec![inst])),
                }
                continue;
            }
            if function.insts[inst].op.effect() == Effect::Barrier {
                current = split(function, current, &mut pending, &mut order);
            }
            function.blocks[current].insts.push(inst);
        }
        current = split(function, current, &mut pending, &mut order);
        function.blocks[current].terminator = terminator;
    }
    function.block_order = order;
    true
}

/// Ends a block with branches to what is guarded; gives the block where the shader goes on.
fn split(
    function: &mut Function,
    mut block: Block,
    pending: &mut Vec<(Value, Vec<pyro_ir::Inst>)>,
    order: &mut Vec<Block>,
) -> Block {
    for (guard, insts) in std::mem::take(pending) {
        let (body, next) = (function.make_block(), function.make_block());
        let mut b = Builder::new(function);
        b.switch_to(block);
        let zero = b.i64(0);
        let is_on = b.op(Opcode::INe, &[guard, zero]);
        b.branch(is_on, BlockCall::new(body, &[]), BlockCall::new(next, &[]));
        function.blocks[body].insts = insts;
        function.blocks[body].terminator = Terminator::Jump(BlockCall::new(next, &[]));
        order.extend([body, next]);
        block = next;
    }
    block
}

/// One access.
struct Tracker<'b, 'f> {
    b: &'b mut Builder<'f>,
    data: &'b InstData,
    tracked: Tracked,
    /// The mark without a site.
    plain: Value,
    mark: Value,
    offset: Value,
    here: Value,
    /// The lanes that access, where all access one cell.
    together: Option<Together>,
    /// No two lanes access one cell.
    is_apart: bool,
}

/// A word of a buffer, for each lane; what a table has where all lanes access one word is for all.
struct Word {
    owner: Value,
    /// What the other table has, and what it gets.
    detail: Value,
    next: Value,
    /// Another invocation owns the word, and both together are odd.
    other: Value,
    odd: Value,
    /// The number that stands for several.
    several: Value,
}

/// Where all lanes access one cell.
struct Together {
    /// There is one.
    some: Value,
    /// The mark of the first, without a site and with it.
    first_plain: Value,
    first: Value,
    /// It is the only one.
    is_single: Value,
}

impl<'b, 'f> Tracker<'b, 'f> {
    fn new(b: &'b mut Builder<'f>, data: &'b InstData, tracked: Tracked, is_apart: bool) -> Tracker<'b, 'f> {
        let count = data.args.len();
        let (plain, offset, here) = (data.args[count - 3], data.args[count - 2], data.args[count - 1]);
        let plain = b.splat(plain);
        let number = b.i32(if tracked.is_buffer { 0 } else { tracked.number });
        let together = b.function.ty(offset).is_uniform().then(|| Together::new(b, (plain, number), here));
        let number = b.splat(number);
        let mark = if tracked.is_buffer { plain } else { b.op(Opcode::Or, &[plain, number]) };
        Tracker { b, data, tracked, plain, mark, offset, here, together, is_apart }
    }

    fn memory(&self, cell: u32) -> MemoryOp {
        MemoryOp::new(Space::Global).at(4 * cell as i32)
    }

    /// The cell in a table, for each lane.
    fn cell(&mut self, table: Tables, cell: u32) -> Value {
        self.at(self.data.args[table as usize], cell)
    }

    /// The cell in the table at an address.
    fn at(&mut self, base: Value, cell: u32) -> Value {
        let memory = self.memory(cell);
        let predicate = self.together.as_ref().map_or(self.here, |together| together.some);
        self.b.load(Scalar::I32, memory, base, self.offset, predicate)
    }

    /// What lanes find that have written a cell.
    fn read_back(&mut self, base: Value, cell: u32, wrote: Value) -> Value {
        let memory = MemoryOp { volatile: true, ..self.memory(cell) };
        self.b.load(Scalar::I32, memory, base, self.offset, wrote)
    }

    fn constant(&mut self, bits: u32, like: Value) -> Value {
        let constant = self.b.i32(bits);
        if self.b.function.ty(like).is_varying() { self.b.splat(constant) } else { constant }
    }

    /// Whether two marks are of one interval and of different invocations. Of one shape.
    fn conflicts(&mut self, cell: Value, mark: Value) -> Value {
        let MarkLayout { low, high } = self.tracked.layout;
        let differs = self.b.op(Opcode::Xor, &[cell, mark]);
        let least = self.constant(1 << low, differs);
        let from = self.b.op(Opcode::ISub, &[differs, least]);
        let width = self.constant((1 << high) - (1 << low), differs);
        self.b.op(Opcode::ULt, &[from, width])
    }

    fn either(&mut self, known: Option<Value>, more: Value) -> Value {
        match known {
            Some(known) => self.b.op(Opcode::Or, &[known, more]),
            None => more,
        }
    }

    /// The table that the access leaves its mark in.
    fn own_table(&self) -> Tables {
        match self.tracked.access {
            AccessKind::Read => Tables::Reads,
            AccessKind::Write => Tables::Writes,
            AccessKind::Atomic | AccessKind::AtomicStore => Tables::Atomics,
            AccessKind::RelaxedStore => Tables::RelaxedStores,
        }
    }

    /// Looks at the cells of one cell of the access, and leaves the mark.
    fn follow(&mut self, cell: u32) {
        use AccessKind as A;
        let access = self.tracked.access;
        let own = self.own_table();
        let mut found = [None; track::TABLES];
        let mut odd = None;
        for table in Tables::ALL {
            let has_table = self.tracked.has_atomics || matches!(table, Tables::Writes | Tables::Reads);
            let meets = match table {
                Tables::Reads => access == A::Read,
                Tables::Writes => false,
                _ => access.is_atomic() && table == own,
            };
            let is_needed = has_table && (!meets || self.tracked.checks_unwritten && table != Tables::Reads);
            if !is_needed {
                continue;
            }
            let content = self.cell(table, cell);
            let content = self.b.splat(content);
            found[table as usize] = Some(content);
            if !meets {
                let conflicts = self.conflicts(content, self.mark);
                odd = Some(self.either(odd, conflicts));
            }
        }
        if self.tracked.checks_unwritten && access.reads() {
            let tables = [Tables::Writes, Tables::Atomics, Tables::RelaxedStores];
            let marks: Vec<Value> = tables.iter().filter_map(|&table| found[table as usize]).collect();
            let any = marks.into_iter().reduce(|a, b| self.b.op(Opcode::Or, &[a, b]));
            if let Some(any) = any {
                let zero = self.constant(0, any);
                let unwritten = self.b.op(Opcode::IEq, &[any, zero]);
                odd = Some(self.either(odd, unwritten));
            }
        }
        let is_exclusive = own == Tables::Writes;
        let met = self.leave(own, cell, is_exclusive);
        if let Some((content, conflicts)) = met {
            let before = found[own as usize];
            let chosen = match before {
                // What was there before tells more, where it conflicts.
                Some(before) => {
                    let first = self.conflicts(before, self.mark);
                    self.b.op(Opcode::Select, &[first, before, content])
                }
                None => content,
            };
            found[own as usize] = Some(chosen);
            odd = Some(self.either(odd, conflicts));
        }
        if let Some(odd) = odd {
            self.report(odd, found);
        }
    }

    /// Leaves the mark in a table. Of exclusive accesses, gives what was found behind it and whether that
    /// conflicts; others leave the mark of many where several meet.
    fn leave(&mut self, table: Tables, cell: u32, is_exclusive: bool) -> Option<(Value, Value)> {
        let base = self.data.args[table as usize];
        let memory = self.memory(cell);
        let many = self.tracked.layout.many_and_releases();
        if let Some(Together { some, first, is_single, .. }) = self.together {
            let mut mark = first;
            if !is_exclusive {
                let before = self.cell(table, cell);
                let conflicts = self.conflicts(before, first);
                let is_single = self.b.op(Opcode::AndNot, &[is_single, conflicts]);
                let many = self.b.i32(many);
                let of_many = self.b.op(Opcode::Or, &[first, many]);
                mark = self.b.op(Opcode::Select, &[is_single, first, of_many]);
            }
            self.b.store(memory, base, self.offset, mark, some);
            if !is_exclusive {
                return None;
            }
            let content = self.b.splat(first);
            let conflicts = self.conflicts(content, self.mark);
            return Some((content, conflicts));
        }
        let mut mark = self.mark;
        let many = self.constant(many, mark);
        let mut changes = self.here;
        if !is_exclusive {
            let before = self.cell(table, cell);
            let conflicts = self.conflicts(before, mark);
            let of_many = self.b.op(Opcode::Or, &[mark, many]);
            mark = self.b.op(Opcode::Select, &[conflicts, of_many, mark]);
            let differs = self.b.op(Opcode::INe, &[before, mark]);
            changes = self.b.op(Opcode::And, &[differs, self.here]);
        }
        self.b.store(memory, base, self.offset, mark, changes);
        if self.is_apart {
            return None;
        }
        let content = self.read_back(base, cell, changes);
        if is_exclusive {
            let conflicts = self.conflicts(content, self.mark);
            return Some((content, conflicts));
        }
        let differs = self.b.op(Opcode::INe, &[content, mark]);
        let differs = self.b.op(Opcode::And, &[differs, changes]);
        let of_many = self.b.op(Opcode::Or, &[mark, many]);
        self.b.store(memory, base, self.offset, of_many, differs);
        None
    }

    /// What is known of a word of a buffer, and what the access makes of it.
    fn look(&mut self, cell: u32) -> Word {
        use Opcode as O;
        let place = match self.tracked.access {
            AccessKind::Read => buffer::READ,
            AccessKind::Write => buffer::WRITE,
            _ => buffer::ATOMIC,
        };
        let [owners, details, range] = [0, 1, 2].map(|index| self.data.args[index]);
        let first = self.b.convert(O::Truncate, range, Scalar::I32);
        let half = self.b.i64(32);
        let count = self.b.op(O::LShr, &[range, half]);
        let count = self.b.convert(O::Truncate, count, Scalar::I32);
        let several = self.b.op(O::IAdd, &[first, count]);
        let one = self.b.i32(1);
        let width = self.b.op(O::IAdd, &[count, one]);

        let owner = self.at(owners, cell);
        let detail = self.at(details, cell);
        let [from, width] = [first, width].map(|value| self.as_like(value, owner));
        let distance = self.b.op(O::ISub, &[owner, from]);
        let is_here = self.b.op(O::ULt, &[distance, width]);
        let others = self.constant(!buffer::field(place), detail);
        let others = self.b.op(O::And, &[detail, others]);
        let nothing = self.constant(0, detail);
        let kept = self.b.op(O::Select, &[is_here, others, nothing]);
        let site = self.constant(self.tracked.number << place, detail);
        let next = self.b.op(O::Or, &[kept, site]);

        let [owner, is_here] = [owner, is_here].map(|value| self.b.splat(value));
        let differs = self.b.op(O::INe, &[owner, self.mark]);
        let other = self.b.op(O::And, &[is_here, differs]);
        let mut odd = other;
        if self.tracked.access != AccessKind::Write {
            let nothing = self.constant(0, others);
            let is_foreign = self.b.op(O::INe, &[others, nothing]);
            let is_foreign = self.b.splat(is_foreign);
            odd = self.b.op(O::And, &[other, is_foreign]);
        }
        Word { owner, detail, next, other, odd, several }
    }

    /// The lanes whose access is odd, or leaves what is not there yet. Of accesses that are no writes, each
    /// of a word of its own.
    fn news(&mut self, word: &Word) -> Value {
        use Opcode as O;
        let several = self.b.splat(word.several);
        let owner = self.b.op(O::Select, &[word.other, several, self.mark]);
        let takes = self.b.op(O::INe, &[owner, word.owner]);
        let [detail, next] = [word.detail, word.next].map(|value| self.b.splat(value));
        let changes = self.b.op(O::INe, &[detail, next]);
        let any = self.b.op(O::Or, &[takes, changes]);
        let any = self.b.op(O::Or, &[any, word.odd]);
        self.b.op(O::And, &[any, self.here])
    }

    /// The same as [`Tracker::follow`] of a word of a buffer: its owner, and how it was accessed.
    fn follow_word(&mut self, cell: u32) {
        use Opcode as O;
        let is_write = self.tracked.access == AccessKind::Write;
        let [owners, details] = [0, 1].map(|index| self.data.args[index]);
        let Word { owner, detail, next, other, mut odd, several } = self.look(cell);
        let met = self.take(owners, cell, (owner, other, several), is_write);
        let changes = self.b.op(O::INe, &[detail, next]);
        let predicate = self.together.as_ref().map_or(self.here, |together| together.some);
        let predicate = self.b.op(O::And, &[changes, predicate]);
        self.b.store(self.memory(cell), details, self.offset, next, predicate);
        let (mut found, mut how) = (owner, self.b.splat(detail));
        if let Some(met) = met {
            let differs = self.b.op(O::INe, &[met, self.mark]);
            found = self.b.op(O::Select, &[other, found, met]);
            let next = self.b.splat(next);
            how = self.b.op(O::Select, &[other, how, next]);
            odd = self.b.op(O::Or, &[odd, differs]);
        }
        let several = self.b.splat(several);
        self.report(odd, [Some(found), Some(how), Some(several), None]);
    }

    /// Makes the invocation the owner of a word, or several where others have it (`other`) or come with it.
    /// Of writes, gives whom each lane finds then.
    fn take(
        &mut self,
        owners: Value,
        cell: u32,
        (before, other, several): (Value, Value, Value),
        is_write: bool,
    ) -> Option<Value> {
        use Opcode as O;
        let memory = self.memory(cell);
        if let Some(Together { some, first, is_single, .. }) = self.together {
            let mut owner = first;
            if !is_write {
                let other = self.b.op(O::And, &[other, self.here]);
                let any = self.b.op(O::Any, &[other]);
                let is_own = self.b.op(O::AndNot, &[is_single, any]);
                owner = self.b.op(O::Select, &[is_own, first, several]);
            }
            self.b.store(memory, owners, self.offset, owner, some);
            return is_write.then(|| self.b.splat(first));
        }
        let several = self.b.splat(several);
        let mut owner = self.mark;
        if !is_write {
            owner = self.b.op(O::Select, &[other, several, owner]);
        }
        let mut changes = self.here;
        if !is_write {
            let differs = self.b.op(O::INe, &[before, owner]);
            changes = self.b.op(O::And, &[differs, self.here]);
        }
        self.b.store(memory, owners, self.offset, owner, changes);
        if self.is_apart {
            return None;
        }
        let met = self.read_back(owners, cell, changes);
        if is_write {
            return Some(met);
        }
        let differs = self.b.op(O::INe, &[met, owner]);
        let differs = self.b.op(O::And, &[differs, changes]);
        self.b.store(memory, owners, self.offset, several, differs);
        None
    }

    fn as_like(&mut self, value: Value, like: Value) -> Value {
        if self.b.function.ty(like).is_varying() { self.b.splat(value) } else { value }
    }

    fn report(&mut self, odd: Value, found: [Option<Value>; track::TABLES]) {
        let args = &self.data.args;
        let nothing = self.constant(0, self.mark);
        let never = self.b.bool(false);
        let holds = self.b.op(Opcode::Not, &[odd]);
        let mut report: Vec<Value> = args[track::TABLES..track::TABLES + 3].to_vec();
        report.extend_from_slice(track::rows(args));
        report.push(self.mark);
        report.extend(found.iter().map(|content| content.unwrap_or(nothing)));
        report.extend([never, holds, self.here]);
        self.b.emit(Opcode::Report, &report, u64::from(self.tracked.site), Scalar::I1);
    }
}

impl Together {
    fn new(b: &mut Builder<'_>, (plain, number): (Value, Value), here: Value) -> Together {
        let bits = b.op(Opcode::Ballot, &[here]);
        let zero = b.i64(0);
        let some = b.op(Opcode::INe, &[bits, zero]);
        let one = b.i64(1);
        let less = b.op(Opcode::ISub, &[bits, one]);
        let rest = b.op(Opcode::And, &[bits, less]);
        let is_single = b.op(Opcode::IEq, &[rest, zero]);
        let lane = b.op(Opcode::CountTrailingZeros, &[bits]);
        let lane = b.convert(Opcode::Truncate, lane, Scalar::I32);
        let first_plain = b.op(Opcode::LaneRead, &[plain, lane]);
        let first = b.op(Opcode::Or, &[first_plain, number]);
        Together { some, first_plain, first, is_single }
    }
}
