//! Nodes named by their numbers.

use crate::TopologyBuilder;

/// Adds `count` terminals named `0`, `1`, ….
pub(super) fn numbered_terminals(network: &mut TopologyBuilder, count: u32) {
    for terminal in 0..count {
        network.terminal(terminal.to_string());
    }
}

/// Adds `count` switches named `s<level>.0`, `s<level>.1`, ….
pub(super) fn numbered_switches(network: &mut TopologyBuilder, level: u32, count: u32) {
    for place in 0..count {
        network.switch(format!("s{level}.{place}"));
    }
}
