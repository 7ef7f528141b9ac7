//! The flat binary form of lower bounds.
//!
//! All numbers are little-endian. `u8`, `u32` and `u64` take 1, 4 and 8 bytes. A list is its length as a `u32`,
//! followed by its elements. A text is the list of its UTF-8 bytes.
//!
//! ```text
//! file        := version: u8 = 1, bound
//! bound       := steps: u32, rule: u8, certificate
//! certificate := kind: u8, fields
//! ```
//!
//! The number of a rule is its place in [`RULES`]. The kinds and their fields:
//!
//! ```text
//!  0 Cut            nodes: list of u32, direction: u8 (0 in, 1 out, 2 both), messages: u64, per_step: u64
//!  1 SourceCut      source: u32, nodes: list of u32, messages: u64, per_step: u64
//!  2 Reception      nodes: list of u32, deliveries: u64, per_step: u64
//!  3 TimedCut       infeasible: u32, holds, sends, receives: lists of u32, messages: u64, crossings: u64
//!  4 Growth         source: u32, messages: u64, receivers: u64, ports: u64, informed: list of u64
//!  5 TreeBroadcast  source: u32, infeasible: u32, states: u64, digest: text
//!  6 TreePackets    source: u32, steps: u32
//!  7 BroadcastLp    source: u32, infeasible: u32, inlets, needs: lists of set, excess: u64, digest: text
//!  8 Eccentricity   node: u32, direction: u8, distance: u32, messages: u64, ports: u64
//!  9 DistanceSum    channel_uses: u64, per_step: u64
//! 10 Volume         deliveries: u64, per_step: u64
//! 11 Lengths        resources, sends, receptions: lists of u32, distance: u64, per_step: u64
//! 12 Reversed       certificate
//! 13 Phases         list of bound
//! 14 TimedTrees     infeasible: u32, resources, sends, receptions: lists of u32, distance: u64, available: u64
//! 15 CommonRoot     root: u32, bound
//!
//! set := step: u32, nodes: list of u32, count: u64, weight: u32
//! ```
//!
//! The reader allocates at most a constant times the number of bytes left, whatever length a list claims, and nests
//! certificates at most [`MAX_DEPTH`] deep.

use lockstep_topology::NodeId;

use crate::certificate::{Certificate, Direction, LowerBound, WeightedSet};
use crate::rule::Rule;

/// The version of the form. A reader refuses all others.
const VERSION: u8 = 1;

/// The rules by number. New rules go to the end.
const RULES: [Rule; 19] = [
    Rule::Ports,
    Rule::Growth,
    Rule::TreeBroadcast,
    Rule::TreePackets,
    Rule::BroadcastLp,
    Rule::Eccentricity,
    Rule::Cut,
    Rule::SourceCut,
    Rule::Reception,
    Rule::TimedCut,
    Rule::DistanceSum,
    Rule::Volume,
    Rule::ArcForwarding,
    Rule::Phases,
    Rule::TreePacking,
    Rule::TimedTrees,
    Rule::CommonRoot,
    Rule::Gossip,
    Rule::TimedGossip,
];

/// The directions by number.
const DIRECTIONS: [Direction; 3] = [Direction::In, Direction::Out, Direction::Both];

/// Certificates nest one in another: those of all-reduces hold reversed certificates, which hold others.
const MAX_DEPTH: u32 = 4;

/// The reason why bytes are not a lower bound.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DecodeError {
    /// The version is unknown.
    #[error("the lower bound has version {found}, but this program reads version {VERSION}")]
    Version {
        /// The version in the bytes.
        found: u8,
    },
    /// The bytes end too early.
    #[error("the lower bound ends after {length} bytes, in the middle of its contents")]
    Truncated {
        /// Number of bytes.
        length: usize,
    },
    /// Bytes follow the end.
    #[error("{count} bytes follow the end of the lower bound")]
    Trailing {
        /// Number of extra bytes.
        count: usize,
    },
    /// A number or text has no meaning.
    #[error("byte {offset} of the lower bound: expected {expected}")]
    Invalid {
        /// Position of the last byte of the invalid value, from 0.
        offset: usize,
        /// The expected value.
        expected: &'static str,
    },
}

impl LowerBound {
    /// Returns the binary form of the bound: 6 bytes and its certificate, of which a node or a length takes 4 bytes.
    ///
    /// # Examples
    ///
    /// ```
    /// use lockstep_certificate::{Certificate, LowerBound, Rule};
    ///
    /// let certificate = Certificate::Volume { deliveries: 30, per_step: 6 };
    /// let bound = LowerBound { steps: 5, rule: Rule::Volume, certificate };
    /// assert_eq!(bound.to_bytes().len(), 23);
    /// assert_eq!(LowerBound::from_bytes(&bound.to_bytes())?, bound);
    /// # Ok::<(), lockstep_certificate::DecodeError>(())
    /// ```
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut writer = Writer { bytes: vec![VERSION] };
        writer.bound(self);
        writer.bytes
    }

    /// Reads a bound from its binary form.
    ///
    /// The bound may be wrong; [`check`](Self::check) verifies it. Takes time and memory linear in the number of bytes.
    ///
    /// # Errors
    ///
    /// [`DecodeError`] if the version is unknown, or the bytes are not exactly one bound.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, DecodeError> {
        let mut reader = Reader { bytes, offset: 0, depth: 0 };
        let found = reader.u8()?;
        if found != VERSION {
            return Err(DecodeError::Version { found });
        }
        let bound = reader.bound()?;
        match bytes.len() - reader.offset {
            0 => Ok(bound),
            count => Err(DecodeError::Trailing { count }),
        }
    }
}

struct Writer {
    bytes: Vec<u8>,
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
        for sum in sums {
            self.u64(sum);
        }
    }

    fn text(&mut self, text: &str) {
        self.list(text.as_bytes(), |writer, &byte| writer.u8(byte));
    }

    fn direction(&mut self, direction: Direction) {
        self.u8(place(&DIRECTIONS, direction));
    }

    fn set(&mut self, set: &WeightedSet) {
        self.u32(set.step);
        self.nodes(&set.nodes);
        self.u64(set.count);
        self.u32(set.weight);
    }

    fn bound(&mut self, bound: &LowerBound) {
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
                self.u64(messages);
                self.u64(per_step);
            }
            Certificate::SourceCut { source, ref nodes, messages, per_step } => {
                self.u8(1);
                self.node(source);
                self.nodes(nodes);
                self.u64(messages);
                self.u64(per_step);
            }
            Certificate::Reception { ref nodes, deliveries, per_step } => {
                self.u8(2);
                self.nodes(nodes);
                self.u64(deliveries);
                self.u64(per_step);
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
            Certificate::BroadcastLp { source, infeasible, ref inlets, ref needs, excess, ref digest } => {
                self.u8(7);
                self.node(source);
                self.u32(infeasible);
                for sets in [inlets, needs] {
                    self.list(sets, Self::set);
                }
                self.u64(excess);
                self.text(digest);
            }
            Certificate::Eccentricity { node, direction, distance, messages, ports } => {
                self.u8(8);
                self.node(node);
                self.direction(direction);
                self.u32(distance);
                self.u64(messages);
                self.u64(ports);
            }
            Certificate::DistanceSum { channel_uses, per_step } => {
                self.u8(9);
                self.u64(channel_uses);
                self.u64(per_step);
            }
            Certificate::Volume { deliveries, per_step } => {
                self.u8(10);
                self.u64(deliveries);
                self.u64(per_step);
            }
            Certificate::Lengths { ref resources, ref sends, ref receptions, distance, per_step } => {
                self.u8(11);
                self.lists([resources, sends, receptions], [distance, per_step]);
            }
            Certificate::Reversed { ref certificate } => {
                self.u8(12);
                self.certificate(certificate);
            }
            Certificate::Phases { ref phases } => {
                self.u8(13);
                self.list(phases, Self::bound);
            }
            Certificate::TimedTrees { infeasible, ref resources, ref sends, ref receptions, distance, available } => {
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
fn place<T: Copy + PartialEq>(table: &[T], entry: T) -> u8 {
    table.iter().position(|other| *other == entry).expect("the table lists every variant") as u8
}

struct Reader<'a> {
    bytes: &'a [u8],
    offset: usize,
    depth: u32,
}

type Decoded<T> = Result<T, DecodeError>;

impl Reader<'_> {
    fn array<const N: usize>(&mut self) -> Decoded<[u8; N]> {
        let truncated = DecodeError::Truncated { length: self.bytes.len() };
        let array = self.bytes[self.offset..].first_chunk().ok_or(truncated)?;
        self.offset += N;
        Ok(*array)
    }

    fn u8(&mut self) -> Decoded<u8> {
        Ok(u8::from_le_bytes(self.array()?))
    }

    fn u32(&mut self) -> Decoded<u32> {
        Ok(u32::from_le_bytes(self.array()?))
    }

    fn u64(&mut self) -> Decoded<u64> {
        Ok(u64::from_le_bytes(self.array()?))
    }

    fn node(&mut self) -> Decoded<NodeId> {
        Ok(NodeId::new(self.u32()?))
    }

    /// Reads a list. It grows element by element, so a false length allocates nothing.
    fn list<T>(&mut self, mut read: impl FnMut(&mut Self) -> Decoded<T>) -> Decoded<Vec<T>> {
        let length = self.u32()?;
        let mut items = Vec::new();
        for _ in 0..length {
            items.push(read(self)?);
        }
        Ok(items)
    }

    fn nodes(&mut self) -> Decoded<Vec<NodeId>> {
        self.list(Self::node)
    }

    fn u32s(&mut self) -> Decoded<Vec<u32>> {
        self.list(Self::u32)
    }

    fn text(&mut self) -> Decoded<String> {
        let bytes = self.list(Self::u8)?;
        String::from_utf8(bytes).map_err(|_| self.invalid("UTF-8 text"))
    }

    fn entry<T: Copy>(&mut self, table: &[T], expected: &'static str) -> Decoded<T> {
        let number = self.u8()?;
        table.get(usize::from(number)).copied().ok_or_else(|| self.invalid(expected))
    }

    fn direction(&mut self) -> Decoded<Direction> {
        self.entry(&DIRECTIONS, "a direction from 0 to 2")
    }

    fn invalid(&self, expected: &'static str) -> DecodeError {
        DecodeError::Invalid { offset: self.offset - 1, expected }
    }

    fn set(&mut self) -> Decoded<WeightedSet> {
        Ok(WeightedSet { step: self.u32()?, nodes: self.nodes()?, count: self.u64()?, weight: self.u32()? })
    }

    fn bound(&mut self) -> Decoded<LowerBound> {
        let steps = self.u32()?;
        let rule = self.entry(&RULES, "the number of a rule")?;
        Ok(LowerBound { steps, rule, certificate: self.certificate()? })
    }

    /// Reads a certificate. The fields of a struct expression are evaluated in the order in which they are written.
    fn certificate(&mut self) -> Decoded<Certificate> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(self.invalid("at most 4 certificates one in another"));
        }
        let certificate = match self.u8()? {
            0 => Certificate::Cut {
                nodes: self.nodes()?,
                direction: self.direction()?,
                messages: self.u64()?,
                per_step: self.u64()?,
            },
            1 => Certificate::SourceCut {
                source: self.node()?,
                nodes: self.nodes()?,
                messages: self.u64()?,
                per_step: self.u64()?,
            },
            2 => Certificate::Reception { nodes: self.nodes()?, deliveries: self.u64()?, per_step: self.u64()? },
            3 => Certificate::TimedCut {
                infeasible: self.u32()?,
                holds: self.u32s()?,
                sends: self.u32s()?,
                receives: self.u32s()?,
                messages: self.u64()?,
                crossings: self.u64()?,
            },
            4 => Certificate::Growth {
                source: self.node()?,
                messages: self.u64()?,
                receivers: self.u64()?,
                ports: self.u64()?,
                informed: self.list(Self::u64)?,
            },
            5 => Certificate::TreeBroadcast {
                source: self.node()?,
                infeasible: self.u32()?,
                states: self.u64()?,
                digest: self.text()?,
            },
            6 => Certificate::TreePackets { source: self.node()?, steps: self.u32()? },
            7 => Certificate::BroadcastLp {
                source: self.node()?,
                infeasible: self.u32()?,
                inlets: self.list(Self::set)?,
                needs: self.list(Self::set)?,
                excess: self.u64()?,
                digest: self.text()?,
            },
            8 => Certificate::Eccentricity {
                node: self.node()?,
                direction: self.direction()?,
                distance: self.u32()?,
                messages: self.u64()?,
                ports: self.u64()?,
            },
            9 => Certificate::DistanceSum { channel_uses: self.u64()?, per_step: self.u64()? },
            10 => Certificate::Volume { deliveries: self.u64()?, per_step: self.u64()? },
            11 => Certificate::Lengths {
                resources: self.u32s()?,
                sends: self.u32s()?,
                receptions: self.u32s()?,
                distance: self.u64()?,
                per_step: self.u64()?,
            },
            12 => Certificate::Reversed { certificate: Box::new(self.certificate()?) },
            13 => Certificate::Phases { phases: self.list(Self::bound)? },
            14 => Certificate::TimedTrees {
                infeasible: self.u32()?,
                resources: self.u32s()?,
                sends: self.u32s()?,
                receptions: self.u32s()?,
                distance: self.u64()?,
                available: self.u64()?,
            },
            15 => Certificate::CommonRoot { root: self.node()?, bound: Box::new(self.bound()?) },
            _ => return Err(self.invalid("the kind of a certificate")),
        };
        self.depth -= 1;
        Ok(certificate)
    }
}
