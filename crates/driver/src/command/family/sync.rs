//! Events and barriers.

use crate::command::followed::Followed;
use crate::command::state::{CommandProcessor, Outcome};
use crate::objects::sync::Event;
use std::sync::Arc;

/// Orders commands.
pub enum SyncCommand {
    /// Sets or resets an event.
    PutEvent(Arc<Event>, bool),
    /// Waits until events are set.
    WaitEvents(Box<[Arc<Event>]>),
    /// Between draws of a render pass. Other commands run one after another anyway.
    Barrier,
    /// From here on commands run on these physical devices of a group.
    DeviceMask(u32),
    /// What the sanitizer is told.
    Followed(Box<Followed>),
}

impl SyncCommand {
    /// Runs it. Draws that were recorded before it have run by now.
    pub(in crate::command) fn run(&self, processor: &mut CommandProcessor<'_>) -> Outcome {
        match self {
            SyncCommand::PutEvent(event, set) => event.put(*set),
            SyncCommand::WaitEvents(events) => {
                processor.store_substitutes();
                return processor.wait_events(events);
            }
            SyncCommand::Barrier => processor.store_substitutes(),
            // Of one device it changes nothing.
            SyncCommand::DeviceMask(_) => {}
            SyncCommand::Followed(followed) => processor.tell(followed),
        }
        Outcome::Done
    }
}
