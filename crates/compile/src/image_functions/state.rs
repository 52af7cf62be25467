//! What a cache holds: interned states, tables, rows and functions.

use super::record::Records;
use super::{Report, TooManySamplers, entry, finish, image_function};
use crate::Backend;
use entry::{Function, Resolver};
use pyro_abi::image::{
    ImageOp, LANE_COUNTS, ROW_ENTRIES, SAMPLER_STATES_MAX, TABLE_ENTRIES, lanes_index, table_index,
};
use pyro_abi::{ImageRecord, SamplerRecord};
use pyro_image::{SamplerKey, ViewKey, access};
use pyro_util::sync::{Mutex, MutexGuard};
use std::collections::{HashMap, VecDeque};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Weak};

/// Tables of views that nobody holds any more, kept for views to come.
const IDLE_VIEWS: usize = 64;
/// The view of null descriptors.
const NULL_VIEW: u32 = 0;

/// Addresses that generated code reads while others are written: one step each.
type Addresses = Box<[AtomicU64]>;

/// A table and its key; none for the null view.
struct View {
    key: Option<ViewKey>,
    users: u32,
    table: Addresses,
}

struct Sampler {
    key: SamplerKey,
    users: u32,
}

/// What a function was compiled for.
type FunctionKey = (u32, Option<SamplerKey>, u32, u32);

struct State {
    views: Vec<Option<View>>,
    view_of: HashMap<ViewKey, u32>,
    /// Views without users, the oldest first. May name views that have users again.
    idle: VecDeque<u32>,
    /// By row; row 0 is no sampler.
    samplers: Vec<Sampler>,
    row_of: HashMap<SamplerKey, u32>,
    /// By view and table index.
    rows: HashMap<(u32, usize), Addresses>,
    functions: HashMap<FunctionKey, Box<Function>>,
}

/// A cache.
pub(super) struct Shared {
    backend: Backend,
    report: Report,
    /// By subgroup size: one for each operation.
    resolvers: Vec<Vec<Resolver>>,
    /// By subgroup size: addresses of all resolvers.
    resolver_rows: Vec<Addresses>,
    null_image: Box<ImageRecord>,
    null_sampler: Box<SamplerRecord>,
    /// The records that descriptors may name.
    pub(super) records: Records,
    state: Mutex<State>,
}

fn address_of<T: ?Sized>(item: &T) -> u64 {
    (&raw const *item).cast::<u8>().expose_provenance() as u64
}

impl Shared {
    /// What runs the functions.
    pub(super) fn backend(&self) -> Backend {
        self.backend
    }

    pub(super) fn new(backend: Backend, report: Report) -> Arc<Shared> {
        Arc::new_cyclic(|shared: &Weak<Shared>| {
            let resolvers: Vec<Vec<Resolver>> = (0..LANE_COUNTS)
                .map(|index| {
                    let code = |code| Resolver::new(shared.as_ptr(), 4 << index, code);
                    (0..ROW_ENTRIES as u32).map(code).collect()
                })
                .collect();
            let resolver_rows: Vec<Addresses> = resolvers
                .iter()
                .map(|row| row.iter().map(|resolver| AtomicU64::new(address_of(resolver))).collect())
                .collect();
            let null = View { key: None, users: 1, table: new_table(&resolver_rows) };
            let null_image = ImageRecord {
                functions: address_of(&*null.table),
                view: NULL_VIEW.into(),
                ..ImageRecord::default()
            };
            let state = State {
                views: vec![Some(null)],
                view_of: HashMap::new(),
                idle: VecDeque::new(),
                samplers: vec![Sampler { key: SamplerKey::default(), users: 1 }],
                row_of: HashMap::new(),
                rows: HashMap::new(),
                functions: HashMap::new(),
            };
            Shared {
                backend,
                report,
                resolvers,
                resolver_rows,
                null_image: Box::new(null_image),
                null_sampler: Box::new(SamplerRecord::default()),
                records: Records::default(),
                state: Mutex::new(state),
            }
        })
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock()
    }

    pub(super) fn null_image(&self) -> u64 {
        address_of(&*self.null_image)
    }

    /// What stands in for null images.
    pub(super) fn null_record(&self) -> &ImageRecord {
        &self.null_image
    }

    pub(super) fn null_sampler(&self) -> u64 {
        address_of(&*self.null_sampler)
    }

    pub(super) fn compiled_count(&self) -> usize {
        self.lock().functions.len()
    }

    /// One more user of a view's state. Gives its number and its table's address.
    pub(super) fn hold_view(&self, key: &ViewKey) -> (u32, u64) {
        let state = &mut *self.lock();
        if let Some(&number) = state.view_of.get(key)
            && let Some(view) = &mut state.views[number as usize]
        {
            view.users += 1;
            return (number, address_of(&*view.table));
        }
        let view = View { key: Some(*key), users: 1, table: new_table(&self.resolver_rows) };
        let functions = address_of(&*view.table);
        let free = state.views.iter().position(Option::is_none);
        let number = free.unwrap_or(state.views.len());
        if free.is_none() {
            state.views.push(None);
        }
        state.views[number] = Some(view);
        state.view_of.insert(*key, number as u32);
        (number as u32, functions)
    }

    pub(super) fn release_view(&self, number: u32) {
        let state = &mut *self.lock();
        let Some(view) = &mut state.views[number as usize] else { return };
        view.users -= 1;
        if view.users > 0 {
            return;
        }
        state.idle.push_back(number);
        while state.idle.len() > IDLE_VIEWS {
            let Some(oldest) = state.idle.pop_front() else { break };
            let unused = state.views[oldest as usize].as_ref().is_some_and(|view| view.users == 0);
            if !unused || state.idle.contains(&oldest) {
                continue;
            }
            // Nobody holds the view, so no shader that runs or will run reads its table.
            if let Some(View { key: Some(key), .. }) = state.views[oldest as usize].take() {
                state.view_of.remove(&key);
            }
            state.rows.retain(|&(view, _), _| view != oldest);
            state.functions.retain(|&(view, ..), _| view != oldest);
        }
    }

    /// One more user of a sampler's state. Gives its row.
    pub(super) fn hold_sampler(&self, key: &SamplerKey) -> Result<u32, TooManySamplers> {
        let state = &mut *self.lock();
        if let Some(&row) = state.row_of.get(key) {
            state.samplers[row as usize].users += 1;
            return Ok(row);
        }
        let sampler = Sampler { key: *key, users: 1 };
        let row = if state.samplers.len() < SAMPLER_STATES_MAX {
            state.samplers.push(sampler);
            state.samplers.len() - 1
        } else {
            // A row that nobody holds: no shader that runs or will run reads it, so it can begin anew.
            let row = state.samplers.iter().position(|sampler| sampler.users == 0).ok_or(TooManySamplers)?;
            state.row_of.remove(&state.samplers[row].key);
            state.samplers[row] = sampler;
            for view in state.views.iter().flatten() {
                for (index, resolver_row) in self.resolver_rows.iter().enumerate() {
                    let at = table_index(4 << index, row as u32);
                    view.table[at].store(address_of(&**resolver_row), Ordering::Release);
                }
            }
            state.rows.retain(|&(_, index), _| index % SAMPLER_STATES_MAX != row);
            let State { row_of, functions, .. } = state;
            functions.retain(|(_, sampler, ..), _| sampler.is_none_or(|key| row_of.contains_key(&key)));
            row
        };
        state.row_of.insert(*key, row as u32);
        Ok(row as u32)
    }

    pub(super) fn release_sampler(&self, row: u32) {
        self.lock().samplers[row as usize].users -= 1;
    }

    /// The address of the callable for an operation on a view with a sampler's row: compiled if it is the
    /// first time, and put where generated code finds it. `None` when the numbers mean nothing.
    pub(super) fn resolve(&self, view: u64, row: u32, lanes: u32, code: u32) -> Option<u64> {
        let op = ImageOp::from_code(code)?;
        let number = u32::try_from(view).ok()?;
        let state = &mut *self.lock();
        let view = state.views.get(number as usize)?.as_ref()?;
        let sampler = match row {
            0 => None,
            _ => Some(state.samplers.get(row as usize)?.key),
        };
        let sampler = sampler.filter(|_| op.uses_sampler() && view.key.is_some());
        let view_key = view.key;
        let function = state.functions.entry((number, sampler, lanes, code)).or_insert_with(|| {
            let compiled = Function::find_or_make(self.backend, (view_key, sampler, op, lanes), || {
                image_function(view_key.as_ref(), sampler.as_ref(), op, lanes, self.backend)
            });
            compiled.unwrap_or_else(|error| {
                (self.report)(&format!("an image function reads zeros: {error}"));
                let zeros = finish(access::build_zeros(lanes), self.backend);
                zeros
                    .and_then(|function| Function::new(self.backend, function))
                    .unwrap_or_else(|_| Function::nothing())
            })
        });
        let callable = function.address();
        let index = table_index(lanes, row);
        let entries = state.rows.entry((number, index)).or_insert_with(|| {
            self.resolvers[lanes_index(lanes)]
                .iter()
                .map(|resolver| AtomicU64::new(address_of(resolver)))
                .collect()
        });
        entries[code as usize].store(callable, Ordering::Release);
        view.table[index].store(address_of(&**entries), Ordering::Release);
        Some(callable)
    }
}

/// A table whose rows are all resolvers.
fn new_table(resolver_rows: &[Addresses]) -> Addresses {
    let row = |index: usize| address_of(&*resolver_rows[index / SAMPLER_STATES_MAX]);
    (0..TABLE_ENTRIES).map(|index| AtomicU64::new(row(index))).collect()
}
