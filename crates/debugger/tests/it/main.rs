//! Tests of the debugger through its messages.

mod messages;
