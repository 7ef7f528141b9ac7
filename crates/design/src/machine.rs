//! The machine whose cables are designed.

use lockstep_metrics::Sources;
use serde::{Deserialize, Serialize};

/// The most cable slots of a machine, those of all routers together.
pub const MAX_SLOTS: u64 = 1 << 20;
/// The most cable slots of a router.
pub const MAX_ROUTER_SLOTS: u32 = 256;

/// Cabinets of chassis with two routers each, whose slots take cables to other chassis.
///
/// A shape `(R, N, M)` of the ExaNeSt document: routers have `R` slots, cabinets `N` chassis, and there are `M` cabinets. Routers
/// are numbered through: `2c` and `2c + 1` are those of chassis `c`, and cabinet `m` has chassis `mN` to `mN + N - 1`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(try_from = "Record", into = "Record")]
pub struct Machine {
    slots: u32,
    chassis: u32,
    cabinets: u32,
}

/// A machine as files have it; converting it checks it.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Record {
    slots: u32,
    chassis: u32,
    cabinets: u32,
}

/// Why there is no such machine.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MachineError {
    /// A number that is 0.
    #[error("a machine of 0 {field} is none; give 1 or more")]
    Nothing {
        /// What there is none of.
        field: &'static str,
    },
    /// Routers with too many slots.
    #[error("{slots} cable slots a router are too many; give {MAX_ROUTER_SLOTS} or fewer")]
    RouterSlots {
        /// Slots of a router.
        slots: u32,
    },
    /// One chassis, which no cable leaves.
    #[error("a machine of one chassis has no cables; give 2 or more chassis, or cabinets")]
    Alone,
    /// More slots than [`MAX_SLOTS`].
    #[error("2 x {slots} x {chassis} x {cabinets} cable slots are too many; give {MAX_SLOTS} or fewer")]
    TooLarge {
        /// Slots of a router.
        slots: u32,
        /// Chassis of a cabinet.
        chassis: u32,
        /// Cabinets.
        cabinets: u32,
    },
}

impl Machine {
    /// A machine of so many `slots` a router, `chassis` a cabinet, and `cabinets`.
    ///
    /// ```
    /// use lockstep_design::Machine;
    ///
    /// assert_eq!(Machine::new(8, 16, 4)?.router_count(), 128);
    /// # Ok::<(), lockstep_design::MachineError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`MachineError`], if it is too small to have cables or too large.
    pub fn new(slots: u32, chassis: u32, cabinets: u32) -> Result<Self, MachineError> {
        for (field, number) in [("slots", slots), ("chassis", chassis), ("cabinets", cabinets)] {
            if number == 0 {
                return Err(MachineError::Nothing { field });
            }
        }
        if slots > MAX_ROUTER_SLOTS {
            return Err(MachineError::RouterSlots { slots });
        }
        if chassis == 1 && cabinets == 1 {
            return Err(MachineError::Alone);
        }
        let routers = u64::from(chassis).saturating_mul(cabinets.into()).saturating_mul(2);
        if routers.saturating_mul(slots.into()) > MAX_SLOTS {
            return Err(MachineError::TooLarge { slots, chassis, cabinets });
        }
        Ok(Self { slots, chassis, cabinets })
    }

    /// Cable slots of a router, `R`.
    pub fn slots(&self) -> u32 {
        self.slots
    }

    /// Chassis of a cabinet, `N`.
    pub fn chassis(&self) -> u32 {
        self.chassis
    }

    /// Cabinets, `M`.
    pub fn cabinets(&self) -> u32 {
        self.cabinets
    }

    /// Cable slots of a chassis, `2R`: the length of a [`CablingCode`](crate::CablingCode).
    pub fn chassis_slots(&self) -> u32 {
        2 * self.slots
    }

    /// Cable slots of a cabinet, `L = 2RN`.
    pub fn cabinet_slots(&self) -> u32 {
        self.chassis_slots() * self.chassis
    }

    /// Cable slots of the machine, `ML`.
    pub fn slot_count(&self) -> u32 {
        self.cabinet_slots() * self.cabinets
    }

    /// Chassis of the machine, `NM`.
    pub fn chassis_count(&self) -> u32 {
        self.chassis * self.cabinets
    }

    /// Routers of the machine, `2NM`.
    pub fn router_count(&self) -> u32 {
        2 * self.chassis_count()
    }

    /// The cabinet of a router.
    pub fn cabinet(&self, router: u32) -> u32 {
        router / (2 * self.chassis)
    }

    /// The routers of this many chassis, each standing for those that shifts by as many take it to.
    pub(crate) fn sources(&self, chassis: u32, sources: &mut Sources) {
        sources.nodes.clear();
        sources.nodes.extend(0..2 * chassis);
        sources.shares.clear();
        sources.shares.resize(2 * chassis as usize, self.chassis_count() / chassis);
    }
}

impl TryFrom<Record> for Machine {
    type Error = MachineError;

    fn try_from(Record { slots, chassis, cabinets }: Record) -> Result<Self, MachineError> {
        Self::new(slots, chassis, cabinets)
    }
}

impl From<Machine> for Record {
    fn from(Machine { slots, chassis, cabinets }: Machine) -> Self {
        Self { slots, chassis, cabinets }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_products() {
        let machine = Machine::new(8, 16, 4).unwrap();
        assert_eq!((machine.chassis_slots(), machine.cabinet_slots(), machine.slot_count()), (16, 256, 1024));
        assert_eq!((machine.router_count(), machine.cabinet(31), machine.cabinet(32)), (128, 0, 1));
    }

    #[test]
    fn machines_without_cables_or_past_memory_are_refused() {
        assert_eq!(Machine::new(0, 16, 1), Err(MachineError::Nothing { field: "slots" }));
        assert_eq!(Machine::new(8, 0, 1), Err(MachineError::Nothing { field: "chassis" }));
        assert_eq!(Machine::new(8, 16, 0), Err(MachineError::Nothing { field: "cabinets" }));
        assert_eq!(Machine::new(8, 1, 1), Err(MachineError::Alone));
        assert_eq!(Machine::new(257, 2, 1), Err(MachineError::RouterSlots { slots: 257 }));
        let [slots, chassis, cabinets] = [1, u32::MAX, u32::MAX];
        assert_eq!(Machine::new(slots, chassis, cabinets), Err(MachineError::TooLarge { slots, chassis, cabinets }));
        assert!(Machine::new(1, 2, 1 << 18).is_ok() && Machine::new(1, 2, (1 << 18) + 1).is_err());
    }
}
