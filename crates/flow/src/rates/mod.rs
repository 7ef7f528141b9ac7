//! Rate models: one file per model.

mod equal_share;
mod link_subflows;
mod mark_set;
mod max_min;
mod rate_allocation;

pub(crate) use equal_share::EqualShare;
pub(crate) use max_min::MaxMin;
pub(crate) use rate_allocation::RateAllocation;
