//! The public behaviour of the crate.
#![expect(clippy::unwrap_used, reason = "in a test, a failed unwrap is a failed test")]

mod capacities;
mod codecs;
mod documents;
mod draft;
mod groups;
mod huge;
mod oracle;
mod reversal;
mod spoiled;
mod symmetric;
mod time;
