//! Broadcasts along chains of subgroups: hypercubes, and tori of equal sides.

mod broadcast;
mod construct;
mod fans;
mod flag;
mod flow_fans;
mod level;
mod port_fans;
#[cfg(test)]
mod tests;

pub use broadcast::Chain;
pub(crate) use construct::SUBGROUP_CHAIN;
