//! Broadcasts in steps of given widths, where every transfer crosses one channel.

mod breadth_first;
mod channel_loads;
mod network;
mod rarest_first;

pub use breadth_first::breadth_first;
pub use rarest_first::in_steps_of;

#[cfg(test)]
mod tests;
