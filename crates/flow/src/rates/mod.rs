//! Rate models: one file per model.

mod equal_share;
mod link_group;
mod link_subflows;
mod mark_set;
mod max_min;
mod max_min_progress;
mod progress;

pub(crate) use equal_share::EqualShare;
pub(crate) use max_min_progress::MaxMinProgress;
pub(crate) use progress::Progress;
