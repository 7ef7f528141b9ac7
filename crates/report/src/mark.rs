//! Marks: the drawings of nodes.

use lockstep_topology::NodeId;

use crate::geometry::{Outline, Point};

/// Width of a letter in the name of a terminal.
pub(crate) const TERMINAL_LETTER: f64 = 6.6;
/// Width of a letter in the name of a switch.
const SWITCH_LETTER: f64 = 4.2;
/// Half the height of a letter.
const HALF_LETTER: f64 = 4.0;

/// The role of a mark.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum MarkRole {
    /// A terminal; in a one-way network its sending side.
    Terminal,
    /// The receiving side of a terminal in a one-way network.
    Receiver,
    /// A switch.
    Switch,
    /// A failed node.
    Failed,
}

/// The drawing of a node, or of one side of a terminal.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Mark {
    pub(crate) node: NodeId,
    pub(crate) role: MarkRole,
    pub(crate) centre: Point,
    pub(crate) outline: Outline,
    /// The name of the node, shortened to fit.
    pub(crate) label: String,
    /// The middle of the label.
    pub(crate) label_at: Point,
}

impl Mark {
    /// Returns half the width and height of the label.
    pub(crate) fn label_half(&self) -> Point {
        let letter = if self.role == MarkRole::Switch { SWITCH_LETTER } else { TERMINAL_LETTER };
        Point::new(0.5 * letter * self.label.chars().count() as f64, HALF_LETTER)
    }
}
