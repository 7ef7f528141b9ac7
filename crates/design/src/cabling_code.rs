//! The cabling code of a network: the cables of each chassis of a machine.

use std::fmt;
use std::num::IntErrorKind;
use std::str::FromStr;

use lockstep_files::one_line;
use serde::{Deserialize, Serialize};

use crate::machine::Machine;

/// One offset per slot of a chassis: the distance from the slot to the end of its cable, in slots. 0 marks an unused
/// slot.
///
/// All chassis use the same offsets. Slots are numbered through the machine, `R` consecutive slots per router. Counting
/// wraps around within the cabinet if the cable of the first chassis of cabinet 0 ends in cabinet 0. Otherwise it wraps
/// around the machine. So an offset determines the target chassis and its router. A cable never ends in its own
/// chassis, whose internal connections are not part of the network.
///
/// Plain data, which may not fit a machine; [`check`](Self::check) verifies it.
///
/// ```
/// use lockstep_design::{CablingCode, Machine};
///
/// let code: CablingCode = "5,17,8,22".parse()?;
/// code.check(&Machine::new(2, 4, 2)?)?;
/// assert_eq!((code.links(), code.to_string().as_str()), (4, "5,17,8,22"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Source
///
/// Pascual et al., *Designing an exascale interconnect using multi-objective optimization*, IEEE CEC 2017, section III.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(transparent)]
pub struct CablingCode(pub Box<[u32]>);

/// Why offsets are not a code of a machine.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CodeError {
    /// A word is not an offset.
    #[error("slot {slot}: expected a whole number, found '{}'; separate offsets with commas", one_line(.word))]
    Word {
        /// The slot, from 1.
        slot: usize,
        /// The word.
        word: String,
    },
    /// The number of offsets is wrong.
    #[error("the code has {offsets} offsets, but a chassis has {slots} slots; give one offset per slot, 0 if unused")]
    Length {
        /// Number of offsets.
        offsets: usize,
        /// Number of slots per chassis.
        slots: u32,
    },
    /// An offset ends in its own chassis or past the last slot.
    #[error("slot {slot}: offset {offset} is out of range; give 0 for an unused slot, or {least} to {most}")]
    Offset {
        /// The slot, from 1.
        slot: usize,
        /// The offset.
        offset: u32,
        /// The smallest valid offset.
        least: u32,
        /// The greatest valid offset.
        most: u32,
    },
    /// The cables do not connect all routers.
    #[error("the cables do not connect the routers: router {router} is not reached from router 0; add cables")]
    Disconnected {
        /// The first unreachable router.
        router: u32,
    },
}

/// The meaning of a used slot for each chassis.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct Gene {
    /// The router at which the cable begins, 0 or 1.
    pub(crate) from: u32,
    /// The router at which the cable ends, 0 or 1.
    pub(crate) to: u32,
    /// Distance to the target chassis.
    pub(crate) distance: u32,
    /// True if chassis are counted within the cabinet, false if they are counted through the machine.
    pub(crate) within_cabinet: bool,
}

impl CablingCode {
    /// Verifies that this is a code of the machine. The network may be disconnected.
    ///
    /// # Errors
    ///
    /// Returns the first [`CodeError::Length`] or [`CodeError::Offset`].
    pub fn check(&self, machine: &Machine) -> Result<(), CodeError> {
        let slots = machine.chassis_slots();
        if self.0.len() != slots as usize {
            return Err(CodeError::Length { offsets: self.0.len(), slots });
        }
        for (slot, &offset) in self.0.iter().enumerate() {
            let [least, most] = [slots, machine.slot_count() - 1].map(|end| end - slot as u32);
            if offset != 0 && !(least..=most).contains(&offset) {
                return Err(CodeError::Offset { slot: slot + 1, offset, least, most });
            }
        }
        Ok(())
    }

    /// Returns the number of used slots: the cables that begin at each chassis, and the mean number of cables per
    /// router.
    pub fn links(&self) -> usize {
        self.0.iter().filter(|&&offset| offset != 0).count()
    }

    /// Returns the used slots of a code of this machine.
    pub(crate) fn genes(&self, machine: Machine) -> impl Iterator<Item = Gene> + Clone + '_ {
        let used = (0..).zip(self.0.iter().copied()).filter(|&(_, offset)| offset != 0);
        used.map(move |(slot, offset)| {
            let end = slot + offset;
            Gene {
                from: slot / machine.slots(),
                to: end % machine.chassis_slots() / machine.slots(),
                distance: end / machine.chassis_slots(),
                within_cabinet: end < machine.cabinet_slots(),
            }
        })
    }

    /// Returns the cables of a code of this machine as pairs of routers, in the order of slots.
    pub(crate) fn cables(&self, machine: Machine) -> impl Iterator<Item = [u32; 2]> + Clone + '_ {
        let (round, all) = (machine.chassis(), machine.chassis_count());
        self.genes(machine).flat_map(move |Gene { from, to, distance, within_cabinet }| {
            (0..all).map(move |start| {
                let end = if within_cabinet {
                    start / round * round + (start % round + distance) % round
                } else {
                    (start + distance) % all
                };
                [2 * start + from, 2 * end + to]
            })
        })
    }

    /// Returns the number of cables of each of the two routers of a chassis.
    pub(crate) fn degrees(&self, machine: Machine) -> [u32; 2] {
        let mut degrees = [0; 2];
        for Gene { from, to, .. } in self.genes(machine) {
            degrees[from as usize] += 1;
            degrees[to as usize] += 1;
        }
        degrees
    }
}

impl fmt::Display for CablingCode {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (slot, offset) in self.0.iter().enumerate() {
            write!(formatter, "{}{offset}", if slot == 0 { "" } else { "," })?;
        }
        Ok(())
    }
}

impl FromStr for CablingCode {
    type Err = CodeError;

    fn from_str(text: &str) -> Result<Self, CodeError> {
        let offset = |(place, word): (usize, &str)| {
            word.trim().parse().or_else(|error: std::num::ParseIntError| match error.kind() {
                // Out of every range, so `check` refuses it.
                IntErrorKind::PosOverflow => Ok(u32::MAX),
                _ => Err(CodeError::Word { slot: place + 1, word: word.to_owned() }),
            })
        };
        text.split(',').enumerate().map(offset).collect::<Result<_, _>>().map(Self)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn machine(slots: u32, chassis: u32, cabinets: u32) -> Machine {
        Machine::new(slots, chassis, cabinets).unwrap()
    }

    #[test]
    fn the_figure_of_the_document_has_the_drawn_cables() {
        // Slots from 1: 1->6, 5->10, 9->14, 13->2, and so on in the other cabinet; 3->11; 2->19; 4->26; 30->15 from the last chassis.
        let machine = machine(2, 4, 2);
        let code: CablingCode = "5,17,8,22".parse().unwrap();
        code.check(&machine).unwrap();
        let routers = |slots: [u32; 2]| slots.map(|slot| (slot - 1) / 2);
        let cables: Vec<_> = code.cables(machine).collect();
        assert_eq!(cables.len(), 32);
        for (place, slots) in [
            (0, [1, 6]),
            (1, [5, 10]),
            (2, [9, 14]),
            (3, [13, 2]),
            (4, [17, 22]),
            (7, [29, 18]),
            (8, [2, 19]),
            (15, [30, 15]),
        ] {
            assert_eq!(cables[place], routers(slots), "cable {place}");
        }
        assert_eq!(cables[16], routers([3, 11]));
        assert_eq!(cables[24], routers([4, 26]));
        // An offset that leaves the cabinet from the first chassis may stay in it from another one.
        assert_eq!(cables[26], routers([12, 2]));
    }

    #[test]
    fn invalid_codes_are_refused() {
        let machine = machine(2, 4, 1);
        let check = |text: &str| text.parse::<CablingCode>().and_then(|code| code.check(&machine));
        assert_eq!(check("4,3,0,12"), Ok(()));
        assert_eq!(check("4,3"), Err(CodeError::Length { offsets: 2, slots: 4 }));
        assert_eq!(check("4,,0,0"), Err(CodeError::Word { slot: 2, word: String::new() }));
        assert_eq!(check("4,-3,0,0"), Err(CodeError::Word { slot: 2, word: "-3".into() }));
        assert_eq!(check("3,0,0,0"), Err(CodeError::Offset { slot: 1, offset: 3, least: 4, most: 15 }));
        let huge = CodeError::Offset { slot: 4, offset: u32::MAX, least: 1, most: 12 };
        assert_eq!(check("0,0,0,99999999999999999999"), Err(huge));
    }

    proptest! {
        /// The definition of the document, slot by slot.
        #[test]
        fn cables_are_those_of_the_slots(
            (machine, ends) in (1u32..5, 1u32..5, 1u32..4)
                .prop_filter_map("machine", |(slots, chassis, cabinets)| Machine::new(slots, chassis, cabinets).ok())
                .prop_flat_map(|machine| {
                    let end = prop_oneof![Just(0), machine.chassis_slots()..machine.slot_count()];
                    (Just(machine), prop::collection::vec(end, machine.chassis_slots() as usize))
                }),
        ) {
            let code = CablingCode((0..).zip(&ends).map(|(slot, end)| end.saturating_sub(slot)).collect());
            prop_assert_eq!(code.check(&machine), Ok(()));
            let (cabinet, all) = (machine.cabinet_slots(), machine.slot_count());
            let mut expected = Vec::new();
            for (slot, &offset) in (0u32..).zip(&code.0).filter(|(_, offset)| **offset != 0) {
                for start in (slot..all).step_by(machine.chassis_slots() as usize) {
                    // Slots from 1: internal, if slot and offset do not pass the end of the cabinet.
                    let end = if slot + 1 + offset <= cabinet {
                        start / cabinet * cabinet + (start % cabinet + offset) % cabinet
                    } else {
                        (start + offset) % all
                    };
                    expected.push([start, end].map(|slot| slot / machine.slots()));
                }
            }
            let cables: Vec<_> = code.cables(machine).collect();
            prop_assert!(cables.iter().all(|[from, to]| from / 2 != to / 2));
            let mut ends = vec![0; machine.router_count() as usize];
            cables.iter().flatten().for_each(|&router| ends[router as usize] += 1);
            prop_assert!(ends.chunks(2).all(|degrees| degrees == code.degrees(machine)));
            prop_assert_eq!(cables, expected);
            prop_assert_eq!(code.to_string().parse(), Ok(code));
        }
    }
}
