//! The public behaviour of the crate.

mod codecs;
mod documents;
mod draft;
mod oracle;
mod reversal;
mod spoiled;
