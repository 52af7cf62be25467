//! Runs one workgroup on the calling thread.

use crate::arena::Arena;
use pyro_abi::graphics::MeshWorkgroup;
use pyro_abi::node::NodeWorkgroup;
use pyro_abi::{DispatchContext, Exit, Kernel, KernelInfo, SubgroupContext};

/// A thread's memory for the workgroups it runs.
#[derive(Default)]
pub(crate) struct WorkgroupMemory {
    shared: Arena,
    scratch: Arena,
    frames: Arena,
    /// One context per subgroup where there are barriers, else just one.
    subgroups: Vec<SubgroupContext>,
    /// Which of them have ended.
    ended: Vec<bool>,
    /// The number that the kernel gave of the loop in which it was stopped last; 0 when it gave none.
    pub(crate) stopped_loop: u32,
}

impl WorkgroupMemory {
    /// Makes room for `info`'s workgroups and writes what stays the same from one to the next.
    pub(crate) fn prepare(&mut self, info: &KernelInfo) {
        let live = if info.has_barriers { info.subgroup_count() } else { 1 };
        let align = |bytes: u32| (bytes as usize).next_multiple_of(64);
        let (scratch_bytes, frame_bytes) = (align(info.scratch_bytes), align(info.frame_bytes));
        let shared = self.shared.reserve(align(info.shared_bytes));
        let scratch = self.scratch.reserve(scratch_bytes * live as usize);
        let frames = self.frames.reserve(frame_bytes * live as usize);
        let core = crate::pool::core();
        self.subgroups.clear();
        self.subgroups.extend((0..live).map(|index| SubgroupContext {
            subgroup_id: index,
            core,
            active_lanes: info.active_lanes(index),
            shared,
            scratch: scratch + u64::from(index) * scratch_bytes as u64,
            frame: frames + u64::from(index) * frame_bytes as u64,
            ..SubgroupContext::default()
        }));
    }

    /// Runs `count` workgroups from `id` (base included) on, by one call of a kernel that loops over them.
    ///
    /// Gives [`Exit::Done`], or [`Exit::Aborted`] when the shader was stopped.
    ///
    /// # Safety
    /// As [`WorkgroupMemory::run`].
    #[allow(unsafe_code)]
    pub(crate) unsafe fn run_many(
        &mut self,
        kernel: &dyn Kernel,
        dispatch: &DispatchContext,
        id: [u32; 3],
        count: u32,
    ) -> Exit {
        // The code of a kernel with barriers reaches all of them by address.
        let subgroups = self.subgroups.as_mut_ptr();
        subgroups.expose_provenance();
        // SAFETY: the records are borrowed for writing, and there is at least one.
        let subgroup = unsafe { &mut *subgroups };
        subgroup.workgroup_id = id;
        subgroup.workgroup_count = count;
        // SAFETY: the caller vouches for `dispatch`; `prepare` made as many records as the kernel has
        // subgroups between barriers, and their memory.
        let exit = unsafe { kernel.run(dispatch, subgroup) };
        self.stopped_loop = subgroup.resume_point;
        exit
    }

    /// Runs the workgroup `id` (base included) to its end. [`WorkgroupMemory::prepare`] must have been
    /// called for this kernel since another one ran.
    ///
    /// Gives [`Exit::Done`], or [`Exit::Aborted`] when the shader was stopped.
    ///
    /// # Safety
    /// The contract of [`Kernel::run`] for the addresses reachable from `dispatch`.
    #[allow(unsafe_code)]
    pub(crate) unsafe fn run(
        &mut self,
        kernel: &dyn Kernel,
        dispatch: &DispatchContext,
        id: [u32; 3],
    ) -> Exit {
        let info = kernel.info();
        self.shared.zero(info.zeroed());
        // SAFETY: the caller's contract.
        unsafe { self.run_zeroed(kernel, dispatch, id) }
    }

    /// The same for a task or mesh function, with the record that the workgroup's memory begins with.
    ///
    /// # Safety
    /// That of [`WorkgroupMemory::run`], for the addresses in the record too.
    #[allow(unsafe_code)]
    pub(crate) unsafe fn run_mesh(
        &mut self,
        kernel: &dyn Kernel,
        dispatch: &DispatchContext,
        id: [u32; 3],
        record: &mut MeshWorkgroup,
    ) -> Exit {
        // SAFETY: the caller's contract; a record may hold any bytes.
        unsafe { self.run_with_record(kernel, dispatch, id, record) }
    }

    /// The same for a node of an execution graph, with the record that the workgroup's memory begins with.
    ///
    /// # Safety
    /// That of [`WorkgroupMemory::run`], for the addresses in the record too.
    #[allow(unsafe_code)]
    pub(crate) unsafe fn run_node(
        &mut self,
        kernel: &dyn Kernel,
        dispatch: &DispatchContext,
        id: [u32; 3],
        record: &mut NodeWorkgroup,
    ) -> Exit {
        // SAFETY: the caller's contract; a record may hold any bytes.
        unsafe { self.run_with_record(kernel, dispatch, id, record) }
    }

    /// Runs a workgroup whose memory begins with a record, and gives the record as the workgroup has left it.
    ///
    /// # Safety
    /// That of [`WorkgroupMemory::run`], for the addresses in the record too; a record may hold any bytes,
    /// and has the alignment of lines at most.
    #[allow(unsafe_code)]
    unsafe fn run_with_record<R: Copy>(
        &mut self,
        kernel: &dyn Kernel,
        dispatch: &DispatchContext,
        id: [u32; 3],
        record: &mut R,
    ) -> Exit {
        let info = kernel.info();
        self.shared.zero(info.zeroed());
        let address = self.shared.reserve((info.shared_bytes as usize).max(size_of::<R>()));
        let place = std::ptr::with_exposed_provenance_mut::<R>(address as usize);
        // SAFETY: the memory is that large and aligned to lines, and nobody else's.
        unsafe { place.write(*record) };
        // SAFETY: the caller's contract.
        let exit = unsafe { self.run_zeroed(kernel, dispatch, id) };
        // SAFETY: as above; a record may hold any bytes.
        *record = unsafe { place.read() };
        exit
    }

    /// [`WorkgroupMemory::run`] with memory as it is.
    #[allow(unsafe_code)]
    unsafe fn run_zeroed(&mut self, kernel: &dyn Kernel, dispatch: &DispatchContext, id: [u32; 3]) -> Exit {
        let info = kernel.info();
        if info.loops_over_workgroups {
            // SAFETY: the caller's contract.
            return unsafe { self.run_many(kernel, dispatch, id, 1) };
        }
        if !info.has_barriers {
            let subgroup = &mut self.subgroups[0];
            subgroup.workgroup_id = id;
            for index in 0..info.subgroup_count() {
                subgroup.subgroup_id = index;
                subgroup.active_lanes = info.active_lanes(index);
                subgroup.resume_point = 0;
                // SAFETY: the caller vouches for `dispatch`; `prepare` made the subgroup's memory.
                if unsafe { kernel.run(dispatch, subgroup) } != Exit::Done {
                    self.stopped_loop = subgroup.resume_point;
                    return Exit::Aborted;
                }
            }
            return Exit::Done;
        }
        for subgroup in &mut self.subgroups {
            subgroup.workgroup_id = id;
            subgroup.resume_point = 0;
        }
        self.ended.clear();
        self.ended.resize(self.subgroups.len(), false);
        loop {
            let mut waiting = false;
            for (subgroup, ended) in self.subgroups.iter_mut().zip(&mut self.ended) {
                // A subgroup that has ended stays so while others go on.
                if *ended {
                    continue;
                }
                // SAFETY: as above.
                match unsafe { kernel.run(dispatch, subgroup) } {
                    Exit::Barrier => waiting = true,
                    Exit::Aborted | Exit::Call => {
                        self.stopped_loop = subgroup.resume_point;
                        return Exit::Aborted;
                    }
                    Exit::Done => *ended = true,
                }
            }
            if !waiting {
                return Exit::Done;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn last_subgroup_is_partial() {
        let info = KernelInfo { subgroup_size: 16, workgroup_size: [5, 4, 1], ..KernelInfo::default() };
        assert_eq!(info.subgroup_count(), 2);
        assert_eq!((info.active_lanes(0), info.active_lanes(1)), (0xffff, 0xf));
        let wide = KernelInfo { subgroup_size: 64, workgroup_size: [64, 1, 1], ..KernelInfo::default() };
        assert_eq!(wide.active_lanes(0), u64::MAX);
    }
}
