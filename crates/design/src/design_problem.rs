//! The design of a network as an optimisation problem.

use lockstep_pareto::{MultiObjectiveProblem, Sense};
use rand::RngExt;
use rand::seq::IteratorRandom;
use rand_chacha::ChaCha8Rng;

use crate::cabling_code::CablingCode;
use crate::design_rules::{DesignRules, InitialSlots, OddLinks};
use crate::machine::Machine;
use crate::network::Network;
use crate::network_size::NetworkSize;
use crate::objective::{NoScore, Objective};

/// The networks of a machine and the objectives that score them.
///
/// A network is infeasible if it is disconnected, violates a rule, or lacks a score.
///
/// ```
/// use lockstep_design::{DesignProblem, DesignRules, Machine, objective};
/// use lockstep_pareto::{SelectionAlgorithm, Elites, EqualPoints, Evolution, EvolutionOptions};
///
/// let objectives = ["kernighan-lin", "paths", "links"].map(objective).into_iter().collect::<Result<Vec<_>, _>>()?;
/// let problem = DesignProblem::new(Machine::new(8, 16, 1)?, objectives, DesignRules::PUBLISHED)?;
/// let options = EvolutionOptions {
///     algorithm: SelectionAlgorithm::Nsga2,
///     population: 20,
///     crossover: 0.8,
///     mutation: 0.8,
///     seed: 1,
///     elites: Elites::Keep,
///     equal_points: EqualPoints::Keep,
/// };
/// let mut evolution = Evolution::new(&problem, options)?;
/// evolution.advance()?;
/// // Two used slots are enough to connect all routers.
/// assert!(evolution.front(EqualPoints::Remove).any(|one| one.genome.links() == 2));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct DesignProblem<'a> {
    machine: Machine,
    objectives: Vec<&'a dyn Objective>,
    senses: Vec<Sense>,
    rules: DesignRules,
}

/// Why a design problem is invalid.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DesignError {
    /// A probability is not from 0 to 1.
    #[error("{field}: {value} is not a probability; give a number from 0 to 1")]
    Probability {
        /// The rule.
        field: &'static str,
        /// Its value.
        value: f64,
    },
    /// An objective is given twice.
    #[error("objective '{name}' is given twice; give it once")]
    Twice {
        /// The objective.
        name: &'static str,
    },
    /// An objective does not support the machine.
    #[error("objective '{name}' does not support this machine: {why}; choose another one")]
    Refused {
        /// The objective.
        name: &'static str,
        /// The reason.
        why: NoScore,
    },
}

impl<'a> DesignProblem<'a> {
    /// Creates the problem of designing a machine by these rules. Scores are in the order of the objectives.
    ///
    /// # Errors
    ///
    /// Returns a [`DesignError`] if a rule is out of range, an objective is given twice, or it does not support the
    /// machine.
    pub fn new(machine: Machine, objectives: Vec<&'a dyn Objective>, rules: DesignRules) -> Result<Self, DesignError> {
        for (field, value) in [("external", rules.external), ("growth", rules.growth)] {
            if !(0.0..=1.0).contains(&value) {
                return Err(DesignError::Probability { field, value });
            }
        }
        for (place, objective) in objectives.iter().enumerate() {
            let name = objective.name();
            if objectives[..place].iter().any(|other| other.name() == name) {
                return Err(DesignError::Twice { name });
            }
            if let Some(why) = objective.refusal(&NetworkSize::least_of(&machine)) {
                return Err(DesignError::Refused { name, why });
            }
        }
        let senses = objectives.iter().map(|objective| objective.sense()).collect();
        Ok(Self { machine, objectives, senses, rules })
    }

    /// Returns the machine.
    pub fn machine(&self) -> Machine {
        self.machine
    }

    /// Returns the objectives.
    pub fn objectives(&self) -> &[&'a dyn Objective] {
        &self.objectives
    }

    /// Returns the rules.
    pub fn rules(&self) -> DesignRules {
        self.rules
    }

    /// Draws an offset for a slot.
    fn offset(&self, slot: u32, random: &mut ChaCha8Rng) -> u32 {
        let (chassis, cabinet, all) =
            (self.machine.chassis_slots(), self.machine.cabinet_slots(), self.machine.slot_count());
        let leaves = random.random_bool(self.rules.external);
        let ends = match (chassis < cabinet, cabinet < all) {
            (true, true) if leaves => cabinet..all,
            (true, _) => chassis..cabinet,
            (false, _) => cabinet..all,
        };
        random.random_range(ends) - slot
    }

    /// Adds a cable to a random unused slot of each router, if there is one.
    fn grow(&self, code: &mut CablingCode, random: &mut ChaCha8Rng) {
        for slots in self.router_slots() {
            if let Some(slot) = slots.filter(|&slot| code.0[slot as usize] == 0).choose(random) {
                code.0[slot as usize] = self.offset(slot, random);
            }
        }
    }

    /// Removes the cable of a random used slot of each router, if there is one.
    fn shrink(&self, code: &mut CablingCode, random: &mut ChaCha8Rng) {
        for slots in self.router_slots() {
            if let Some(slot) = slots.filter(|&slot| code.0[slot as usize] != 0).choose(random) {
                code.0[slot as usize] = 0;
            }
        }
    }

    /// Returns the slots of the two routers of a chassis.
    fn router_slots(&self) -> [std::ops::Range<u32>; 2] {
        let slots = self.machine.slots();
        [0..slots, slots..2 * slots]
    }
}

impl MultiObjectiveProblem for DesignProblem<'_> {
    type Genome = CablingCode;
    type Scratch = Network;

    fn senses(&self) -> &[Sense] {
        &self.senses
    }

    fn scratch(&self) -> Network {
        Network::default()
    }

    fn random(&self, random: &mut ChaCha8Rng) -> CablingCode {
        let used = match self.rules.start {
            InitialSlots::One => 1,
            InitialSlots::Uniform => random.random_range(1..=self.machine.slots()),
        };
        let mut code = CablingCode(vec![0; self.machine.chassis_slots() as usize].into());
        for _ in 0..used {
            self.grow(&mut code, random);
        }
        code
    }

    /// Copies a random number of first slots of each router from the mate.
    fn cross(&self, child: &mut CablingCode, mate: &CablingCode, random: &mut ChaCha8Rng) {
        for slots in self.router_slots() {
            let taken = slots.start as usize..(slots.start + random.random_range(1..=self.machine.slots())) as usize;
            child.0[taken.clone()].copy_from_slice(&mate.0[taken]);
        }
    }

    /// Adds or removes one cable of each router.
    fn mutate(&self, genome: &mut CablingCode, random: &mut ChaCha8Rng) {
        if random.random_bool(self.rules.growth) {
            self.grow(genome, random);
        } else {
            self.shrink(genome, random);
        }
    }

    fn evaluate(
        &self,
        genome: &CablingCode,
        network: &mut Network,
        random: &mut ChaCha8Rng,
        scores: &mut [f64],
    ) -> bool {
        let is_even = genome.links().is_multiple_of(2);
        let is_allowed = is_even || self.rules.odd_links == OddLinks::Keep;
        if !is_allowed || !self.rules.ports.allow(genome.degrees(self.machine)) {
            return false;
        }
        network.set_code(self.machine, genome);
        network.distances().is_some()
            && self.objectives.iter().zip(scores).all(|(objective, score)| {
                objective.score(network, random).is_ok_and(|found| {
                    *score = found;
                    true
                })
            })
    }

    fn check(&self, genome: &CablingCode) -> Result<(), String> {
        genome.check(&self.machine).map_err(|error| error.to_string())
    }
}
