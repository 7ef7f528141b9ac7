//! Broadcasts along chains of subgroups: hypercubes, and tori of equal sides.

mod broadcast;
mod construct;
mod fans;
mod flow_fans;
mod level;
mod port_fans;
mod subgroup_flag;
#[cfg(test)]
mod tests;

pub use broadcast::SubgroupChainBroadcast;
pub(crate) use construct::SUBGROUP_CHAIN;
