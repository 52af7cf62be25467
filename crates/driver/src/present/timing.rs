//! When images were presented, and when they are to be (`VK_EXT_present_timing`, `VK_GOOGLE_display_timing`).
//!
//! All times are of the monotonic clock, in nanoseconds. An image whose time has not come waits on the
//! queue's thread, as one waits for a compositor: what is submitted later waits too, so waits are bounded.

use pyro_util::sync::Mutex;
use std::collections::VecDeque;
use vulkanalia_sys as vk;

/// The longest that an image waits for its time.
pub(super) const DELAY_NS_MAX: u64 = 1_000_000_000;
/// The most reports that are kept for `vkGetPastPresentationTimingGOOGLE`.
const HISTORY_MAX: usize = 64;

/// The stages of presentation that are reported.
pub const STAGES: vk::PresentStageFlagsEXT =
    vk::PresentStageFlagsEXT::QUEUE_OPERATIONS_END.union(vk::PresentStageFlagsEXT::REQUEST_DEQUEUED);

/// The refresh cycle, where somebody must be told one: nobody says what the display's is.
pub const REFRESH_NS: u64 = 16_666_667;

/// What is asked of one presentation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TimingRequest {
    /// When the image is to be shown; zero: whenever.
    pub target_ns: u64,
    /// That is a time after the image before it.
    pub is_relative: bool,
    /// The stages that are reported (`presentStageQueries`).
    pub stages: vk::PresentStageFlagsEXT,
    /// The time domain's id.
    pub domain: u64,
    /// `VkPresentTimeGOOGLE::presentID`, where it was that structure.
    pub number: Option<u32>,
}

/// A report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PastTiming {
    /// The present id; zero: none.
    pub id: u64,
    /// What was asked.
    pub request: TimingRequest,
    /// When the operations before it had ended, and when the image was shown; none until then.
    pub times_ns: Option<[u64; 2]>,
}

/// A presentation on its way whose times are reported.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Ticket {
    pub(super) request: TimingRequest,
    /// The report's number.
    number: u64,
}

#[derive(Default)]
struct Reports {
    /// Reports that there is room for (`vkSetSwapchainPresentTimingQueueSizeEXT`).
    size: usize,
    /// In the order of presentations, each with its number.
    list: VecDeque<(u64, PastTiming)>,
    /// The same for the other extension.
    history: VecDeque<(u64, PastTiming)>,
    count: u64,
    /// When the last image was shown.
    last_ns: u64,
}

/// The reports of a swapchain.
#[derive(Default)]
pub struct Timings(Mutex<Reports>);

impl Timings {
    /// Makes room for so many reports; false when more are on their way or unread.
    pub fn resize(&self, size: usize) -> bool {
        let mut reports = self.0.lock();
        let fits = reports.list.len() <= size;
        if fits {
            reports.size = size;
        }
        fits
    }

    /// A presentation that is timed; none when there is no room for its report.
    pub(super) fn begin(&self, id: u64, request: TimingRequest) -> Option<Ticket> {
        let mut reports = self.0.lock();
        reports.count += 1;
        let number = reports.count;
        let report = (number, PastTiming { id, request, times_ns: None });
        if request.number.is_some() {
            if reports.history.len() == HISTORY_MAX {
                reports.history.pop_front();
            }
            reports.history.push_back(report);
        } else if !request.stages.is_empty() {
            if reports.list.len() >= reports.size {
                return None;
            }
            reports.list.push_back(report);
        }
        Some(Ticket { request, number })
    }

    /// How long an image waits from now on.
    pub(super) fn delay_ns(&self, request: &TimingRequest, now_ns: u64) -> u64 {
        let target = match request.is_relative {
            true => self.0.lock().last_ns.saturating_add(request.target_ns),
            false => request.target_ns,
        };
        target.saturating_sub(now_ns).min(DELAY_NS_MAX)
    }

    /// An image was shown.
    pub(super) fn end(&self, ticket: Option<Ticket>, times_ns: [u64; 2]) {
        let mut reports = self.0.lock();
        reports.last_ns = times_ns[1];
        let Some(ticket) = ticket else { return };
        let Reports { list, history, .. } = &mut *reports;
        if let Some((_, report)) = list.iter_mut().chain(history).find(|(number, _)| *number == ticket.number)
        {
            report.times_ns = Some(times_ns);
        }
    }

    /// The reports that are complete, in order.
    pub fn past(&self) -> Vec<PastTiming> {
        complete(&self.0.lock().list)
    }

    /// The first so many of these were read.
    pub fn forget(&self, count: usize) {
        let mut reports = self.0.lock();
        let count = count.min(reports.list.len());
        reports.list.drain(..count);
    }

    /// The same for `vkGetPastPresentationTimingGOOGLE`.
    pub fn past_google(&self) -> Vec<PastTiming> {
        complete(&self.0.lock().history)
    }

    /// The first so many of these were read.
    pub fn forget_google(&self, count: usize) {
        let mut reports = self.0.lock();
        let count = count.min(reports.history.len());
        reports.history.drain(..count);
    }
}

fn complete(list: &VecDeque<(u64, PastTiming)>) -> Vec<PastTiming> {
    list.iter().map(|(_, report)| *report).take_while(|report| report.times_ns.is_some()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reports_take_room_until_they_are_read() {
        let timings = Timings::default();
        let request = TimingRequest { stages: STAGES, ..TimingRequest::default() };
        assert!(timings.begin(1, request).is_none());
        assert!(timings.resize(2));
        let (first, second) = (timings.begin(1, request).unwrap(), timings.begin(2, request).unwrap());
        assert!(timings.begin(3, request).is_none() && !timings.resize(1));
        timings.end(Some(second), [5, 6]);
        assert!(timings.past().is_empty(), "in order");
        timings.end(Some(first), [3, 4]);
        let past = timings.past();
        assert_eq!(
            past.iter().map(|one| (one.id, one.times_ns)).collect::<Vec<_>>(),
            [(1, Some([3, 4])), (2, Some([5, 6]))]
        );
        timings.forget(1);
        assert!(timings.begin(3, request).is_some() && timings.past().len() == 1);
    }

    #[test]
    fn delays_are_bounded() {
        let timings = Timings::default();
        timings.end(None, [90, 100]);
        let delay = |target_ns, is_relative| {
            timings.delay_ns(&TimingRequest { target_ns, is_relative, ..TimingRequest::default() }, 150)
        };
        assert_eq!([delay(0, false), delay(149, false), delay(170, false)], [0, 0, 20]);
        assert_eq!([delay(0, true), delay(70, true)], [0, 20]);
        assert_eq!([delay(u64::MAX, false), delay(u64::MAX, true)], [DELAY_NS_MAX; 2]);
    }
}
