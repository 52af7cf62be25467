//! The physical devices that the machine is, all of one group, and which of its cores each has
//! (`PYROCLAST_DEVICE_GROUP`).

use pyro_engine::WorkerStart;
use pyro_util::config::{self, DEVICE_GROUP_MAX, DeviceGroup};
use std::sync::{Arc, LazyLock};
use vulkanalia_sys as vk;

const _: () = assert!(DEVICE_GROUP_MAX == vk::MAX_DEVICE_GROUP_SIZE);

/// The cores of a physical device.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Share {
    /// Threads that run its shaders; zero: one per core.
    pub(crate) threads: usize,
    /// The processors that these threads stay on; none: all.
    cpus: Vec<usize>,
}

impl Share {
    /// What the threads of an engine do first.
    pub(crate) fn start(&self) -> Option<WorkerStart> {
        let cpus = self.cpus.clone();
        (!cpus.is_empty()).then(|| Arc::new(move || bind(&cpus)) as WorkerStart)
    }
}

/// The shares of all physical devices.
pub(crate) fn shares() -> &'static [Share] {
    static SHARES: LazyLock<Vec<Share>> = LazyLock::new(|| {
        let config = config::get();
        // The sanitizer follows commands of queues, and knows no devices beside them.
        match config.device_group {
            _ if !config.sanitize.is_empty() => vec![Share { threads: config.threads, cpus: Vec::new() }],
            DeviceGroup::Count(count) => even(config.threads, count),
            DeviceGroup::Numa => by_node(config.threads, nodes()),
        }
    });
    &SHARES
}

/// How many physical devices there are.
pub fn count() -> usize {
    shares().len()
}

/// So many devices, each with as many of the threads as the others, and one at least.
fn even(threads: usize, count: usize) -> Vec<Share> {
    if count == 1 {
        return vec![Share { threads, cpus: Vec::new() }];
    }
    let all = pyro_engine::thread_count(threads);
    let of = |index: usize| (all / count + usize::from(index < all % count)).max(1);
    (0..count).map(|index| Share { threads: of(index), cpus: Vec::new() }).collect()
}

/// A device for each node, whose threads stay there; of `threads` (zero: as many as there are processors)
/// each has the part that its processors are of all. Machines of one node are one device.
fn by_node(threads: usize, nodes: Vec<Vec<usize>>) -> Vec<Share> {
    let all: usize = nodes.iter().map(Vec::len).sum();
    if nodes.len() < 2 {
        return even(threads, 1);
    }
    let wanted = if threads == 0 { all } else { threads };
    let share = |cpus: Vec<usize>| Share { threads: (wanted * cpus.len() / all).max(1), cpus };
    nodes.into_iter().take(DEVICE_GROUP_MAX).map(share).collect()
}

/// The processors of each NUMA node that this process may run on; of nodes without any, nothing.
fn nodes() -> Vec<Vec<usize>> {
    let folders = std::fs::read_dir("/sys/devices/system/node").into_iter().flatten().flatten();
    let mut nodes: Vec<(usize, Vec<usize>)> = folders
        .filter_map(|folder| {
            let number = folder.file_name().to_str()?.strip_prefix("node")?.parse().ok()?;
            let text = std::fs::read_to_string(folder.path().join("cpulist")).ok()?;
            Some((number, cpu_list(&text)))
        })
        .collect();
    nodes.sort_unstable();
    let lists = nodes.into_iter().map(|(_, cpus)| cpus.into_iter().filter(|&cpu| is_allowed(cpu)).collect());
    lists.filter(|cpus: &Vec<usize>| !cpus.is_empty()).collect()
}

/// The numbers of a list of ranges such as `0-3,8`, as the system writes it.
fn cpu_list(text: &str) -> Vec<usize> {
    let range = |part: &str| {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        Some(first.parse::<usize>().ok()?..=last.parse::<usize>().ok()?.min(CPU_MAX))
    };
    text.trim().split(',').filter_map(range).flatten().collect()
}

/// Processors above are not known to any list.
const CPU_MAX: usize = 1 << 13;

#[cfg(target_os = "linux")]
fn is_allowed(cpu: usize) -> bool {
    let set = rustix::thread::sched_getaffinity(None);
    cpu < rustix::thread::CpuSet::MAX_CPU && set.is_ok_and(|set| set.is_set(cpu))
}

#[cfg(not(target_os = "linux"))]
fn is_allowed(_cpu: usize) -> bool {
    true
}

/// Keeps the calling thread on these processors, where the system does that.
#[cfg(target_os = "linux")]
fn bind(cpus: &[usize]) {
    let mut set = rustix::thread::CpuSet::new();
    cpus.iter().filter(|&&cpu| cpu < rustix::thread::CpuSet::MAX_CPU).for_each(|&cpu| set.set(cpu));
    // A thread that may run elsewhere too is slower, not wrong.
    let _ = rustix::thread::sched_setaffinity(None, &set);
}

#[cfg(not(target_os = "linux"))]
fn bind(_cpus: &[usize]) {}

/// A device mask of so many devices.
pub fn mask(count: usize) -> u32 {
    u32::MAX >> (u32::BITS - count.clamp(1, DEVICE_GROUP_MAX) as u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_are_shared_out() {
        let threads = |shares: Vec<Share>| shares.iter().map(|share| share.threads).collect::<Vec<_>>();
        assert_eq!(threads(even(0, 1)), [0]);
        assert_eq!(threads(even(7, 3)), [3, 2, 2]);
        assert_eq!(threads(even(1, 2)), [1, 1]);
    }

    #[test]
    fn nodes_are_devices_whose_threads_stay_there() {
        let nodes = || vec![cpu_list("0-3\n"), cpu_list("4-5,8,9\n"), cpu_list("12-19")];
        let share = |threads, cpus: std::ops::Range<usize>| Share { threads, cpus: cpus.collect() };
        let second = Share { threads: 4, cpus: vec![4, 5, 8, 9] };
        assert_eq!(by_node(0, nodes()), [share(4, 0..4), second, share(8, 12..20)]);
        let threads: Vec<_> = by_node(4, nodes()).iter().map(|share| share.threads).collect();
        assert_eq!(threads, [1, 1, 2]);
        assert_eq!(by_node(3, nodes()[..1].to_vec()), even(3, 1));
        assert!(by_node(0, nodes())[0].start().is_some() && even(2, 2)[0].start().is_none());
    }

    #[test]
    fn lists_that_nobody_wrote_are_empty() {
        assert_eq!(cpu_list("x-3,,-,5-2,7"), [7]);
        assert_eq!(cpu_list("0-99999999999").len(), CPU_MAX + 1);
    }

    #[test]
    fn masks_have_a_bit_for_each_device() {
        assert_eq!([1, 2, 32].map(mask), [1, 3, u32::MAX]);
    }
}
