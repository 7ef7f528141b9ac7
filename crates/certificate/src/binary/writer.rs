//! The writer of the binary form.

use lockstep_topology::NodeId;

use super::form::{DIRECTIONS, RULES};
use crate::certificate::{Certificate, Direction, LowerBound};

pub(super) struct Writer {
    pub(super) bytes: Vec<u8>,
}

impl Writer {
    fn u8(&mut self, number: u8) {
        self.bytes.push(number);
    }

    fn u32(&mut self, number: u32) {
        self.bytes.extend(number.to_le_bytes());
    }

    fn u64(&mut self, number: u64) {
        self.bytes.extend(number.to_le_bytes());
    }

    fn u64s<const COUNT: usize>(&mut self, numbers: [u64; COUNT]) {
        for number in numbers {
            self.u64(number);
        }
    }

    fn node(&mut self, node: NodeId) {
        self.u32(node.number());
    }

    fn list<T>(&mut self, items: &[T], mut write: impl FnMut(&mut Self, &T)) {
        self.u32(items.len() as u32);
        for item in items {
            write(self, item);
        }
    }

    fn nodes(&mut self, nodes: &[NodeId]) {
        self.list(nodes, |writer, &node| writer.node(node));
    }

    fn u32s(&mut self, numbers: &[u32]) {
        self.list(numbers, |writer, &number| writer.u32(number));
    }

    /// Writes three lists and the two sums over them.
    fn lists(&mut self, lists: [&[u32]; 3], sums: [u64; 2]) {
        for numbers in lists {
            self.u32s(numbers);
        }
        self.u64s(sums);
    }

    fn text(&mut self, text: &str) {
        self.list(text.as_bytes(), |writer, &byte| writer.u8(byte));
    }

    fn direction(&mut self, direction: Direction) {
        self.u8(place(&DIRECTIONS, direction));
    }

    pub(super) fn bound(&mut self, bound: &LowerBound) {
        self.u32(bound.steps);
        self.u8(place(&RULES, bound.rule));
        self.certificate(&bound.certificate);
    }

    fn certificate(&mut self, certificate: &Certificate) {
        match *certificate {
            Certificate::Cut { ref nodes, direction, messages, per_step } => {
                self.u8(0);
                self.nodes(nodes);
                self.direction(direction);
                self.u64s([messages, per_step]);
            }
            Certificate::Reception { ref nodes, deliveries, per_step } => {
                self.u8(2);
                self.nodes(nodes);
                self.u64s([deliveries, per_step]);
            }
            Certificate::LateCut { ref nodes, receivers, messages, per_step, late, entries } => {
                self.u8(17);
                self.nodes(nodes);
                self.u64s([receivers, messages, per_step]);
                self.u32(late);
                self.u64(entries);
            }
            Certificate::GroupVolume { ref groups, transfers, members, per_step } => {
                self.u8(18);
                self.list(groups, |writer, nodes| writer.nodes(nodes));
                self.u64s([transfers, members, per_step]);
            }
            Certificate::Satisfiability { infeasible, variables, clauses, ref proof, ref digest } => {
                self.u8(19);
                self.u32(infeasible);
                self.u32(variables);
                self.u64(clauses);
                self.list(proof, |writer, &number| writer.u32(number.cast_unsigned()));
                self.text(digest);
            }
            Certificate::TimedCut { infeasible, ref holds, ref sends, ref receives, messages, crossings } => {
                self.u8(3);
                self.u32(infeasible);
                self.lists([holds, sends, receives], [messages, crossings]);
            }
            Certificate::Growth { source, messages, receivers, ports, ref informed } => {
                self.u8(4);
                self.node(source);
                for count in [messages, receivers, ports] {
                    self.u64(count);
                }
                self.list(informed, |writer, &count| writer.u64(count));
            }
            Certificate::TreeBroadcast { source, infeasible, states, ref digest } => {
                self.u8(5);
                self.node(source);
                self.u32(infeasible);
                self.u64(states);
                self.text(digest);
            }
            Certificate::TreePackets { source, steps } => {
                self.u8(6);
                self.node(source);
                self.u32(steps);
            }
            Certificate::Eccentricity { node, direction, distance, messages, ports } => {
                self.u8(8);
                self.node(node);
                self.direction(direction);
                self.u32(distance);
                self.u64s([messages, ports]);
            }
            Certificate::DistanceSum { channel_uses, per_step } => {
                self.u8(9);
                self.u64s([channel_uses, per_step]);
            }
            Certificate::Volume { deliveries, per_step } => {
                self.u8(10);
                self.u64s([deliveries, per_step]);
            }
            Certificate::Lengths { ref resources, ref sends, ref receptions, unit, distance, per_step } => {
                // Only lengths that are rounded have a unit.
                self.u8(if unit == 1 { 11 } else { 20 });
                if unit != 1 {
                    self.u32(unit);
                }
                self.lists([resources, sends, receptions], [distance, per_step]);
            }
            Certificate::Reversed { ref certificate } => {
                self.u8(12);
                self.certificate(certificate);
            }
            Certificate::TimedLengths { infeasible, ref resources, ref sends, ref receptions, distance, available } => {
                self.u8(14);
                self.u32(infeasible);
                self.lists([resources, sends, receptions], [distance, available]);
            }
            Certificate::CommonRoot { root, ref bound } => {
                self.u8(15);
                self.node(root);
                self.bound(bound);
            }
        }
    }
}

/// Returns the place of an entry of a table.
fn place<T: Copy + PartialEq>(table: &[Option<T>], entry: T) -> u8 {
    table.iter().position(|other| *other == Some(entry)).expect("the table lists every variant") as u8
}
