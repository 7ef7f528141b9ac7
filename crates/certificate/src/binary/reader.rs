//! The reader of the binary form.

use lockstep_topology::NodeId;

use super::form::{DIRECTIONS, DecodeError, MAX_DEPTH, RULES};
use crate::certificate::{Certificate, Direction, LowerBound};

pub(super) struct Reader<'a> {
    bytes: &'a [u8],
    offset: usize,
    depth: u32,
}

impl<'a> Reader<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, offset: 0, depth: 0 }
    }
}

type Decoded<T> = Result<T, DecodeError>;

impl Reader<'_> {
    fn array<const N: usize>(&mut self) -> Decoded<[u8; N]> {
        let truncated = DecodeError::Truncated { length: self.bytes.len() };
        let array = self.bytes[self.offset..].first_chunk().ok_or(truncated)?;
        self.offset += N;
        Ok(*array)
    }

    /// Returns the number of bytes that are left.
    pub(super) fn left(&self) -> usize {
        self.bytes.len() - self.offset
    }

    pub(super) fn u8(&mut self) -> Decoded<u8> {
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

    fn entry<T: Copy>(&mut self, table: &[Option<T>], expected: &'static str) -> Decoded<T> {
        let number = self.u8()?;
        table.get(usize::from(number)).copied().flatten().ok_or_else(|| self.invalid(expected))
    }

    fn direction(&mut self) -> Decoded<Direction> {
        self.entry(&DIRECTIONS, "a direction from 0 to 2")
    }

    fn invalid(&self, expected: &'static str) -> DecodeError {
        DecodeError::Invalid { offset: self.offset - 1, expected }
    }

    pub(super) fn bound(&mut self) -> Decoded<LowerBound> {
        let steps = self.u32()?;
        let rule = self.entry(&RULES, "the number of a rule")?;
        Ok(LowerBound { steps, rule, certificate: self.certificate()? })
    }

    /// Reads a certificate. The fields of a struct expression are evaluated in the order in which they are written.
    fn group_volume(&mut self) -> Decoded<Certificate> {
        let groups = self.list(Self::nodes)?;
        let [transfers, members, per_step] = [self.u64()?, self.u64()?, self.u64()?];
        Ok(Certificate::GroupVolume { groups, transfers, members, per_step })
    }

    fn satisfiability(&mut self) -> Decoded<Certificate> {
        let [infeasible, variables] = [self.u32()?, self.u32()?];
        let clauses = self.u64()?;
        let proof = self.list(|reader| Ok(reader.u32()?.cast_signed()))?;
        Ok(Certificate::Satisfiability { infeasible, variables, clauses, proof, digest: self.text()? })
    }

    fn certificate(&mut self) -> Decoded<Certificate> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(self.invalid("at most 4 certificates one in another"));
        }
        let kind = self.u8()?;
        let certificate = match kind {
            0 => Certificate::Cut {
                nodes: self.nodes()?,
                direction: self.direction()?,
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
            8 => Certificate::Eccentricity {
                node: self.node()?,
                direction: self.direction()?,
                distance: self.u32()?,
                messages: self.u64()?,
                ports: self.u64()?,
            },
            9 => Certificate::DistanceSum { channel_uses: self.u64()?, per_step: self.u64()? },
            10 => Certificate::Volume { deliveries: self.u64()?, per_step: self.u64()? },
            11 | 20 => Certificate::Lengths {
                unit: if kind == 11 { 1 } else { self.u32()? },
                resources: self.u32s()?,
                sends: self.u32s()?,
                receptions: self.u32s()?,
                distance: self.u64()?,
                per_step: self.u64()?,
            },
            12 => Certificate::Reversed { certificate: Box::new(self.certificate()?) },
            14 => Certificate::TimedLengths {
                infeasible: self.u32()?,
                resources: self.u32s()?,
                sends: self.u32s()?,
                receptions: self.u32s()?,
                distance: self.u64()?,
                available: self.u64()?,
            },
            15 => Certificate::CommonRoot { root: self.node()?, bound: Box::new(self.bound()?) },
            17 => Certificate::LateCut {
                nodes: self.nodes()?,
                receivers: self.u64()?,
                messages: self.u64()?,
                per_step: self.u64()?,
                late: self.u32()?,
                entries: self.u64()?,
            },
            18 => self.group_volume()?,
            19 => self.satisfiability()?,
            _ => return Err(self.invalid("the kind of a certificate")),
        };
        self.depth -= 1;
        Ok(certificate)
    }
}
