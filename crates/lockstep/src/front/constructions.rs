//! The schedules of a front without the planner: broadcasts, rings and combining algorithms.

use std::iter;
use std::num::NonZeroU32;

use lockstep_analytic::combining;
use lockstep_schedule::{Collective, Problem, Schedule};

use super::candidates::Version;
use super::front_plan::FrontBound;
use super::options::{FrontError, FrontEvent};
use super::rings::Rings;
use super::search::FrontSearch;
use super::stages::{StagePlanner, widths};
use crate::planner::PlanError;

impl FrontSearch<'_, '_> {
    /// Adds schedules without search: breadth-first broadcasts, rings, then combining algorithms.
    pub(super) fn construct(
        &mut self,
        versions: &[Version],
        observe: &mut dyn FnMut(FrontEvent),
    ) -> Result<(), FrontError> {
        let (topology, model) = (self.problem.topology(), self.problem.model());
        let narrow = versions.iter().filter(|version| version.width == NonZeroU32::MIN);
        let problems = narrow.map(|version| Problem::new(topology, &version.collective, model));
        let problems: Vec<Problem<'_>> = problems.collect::<Result<_, _>>().map_err(PlanError::from)?;
        // The chunks for which the bound of the widths is a whole number come first.
        let [_, divisor] = self.bound.width_per_chunk(self.problem);
        let is_whole = |problem: &&Problem<'_>| u64::from(problem.messages().chunks()).is_multiple_of(divisor.max(1));
        let (whole, others): (Vec<_>, Vec<_>) = problems.iter().partition(is_whole);
        for problem in whole.into_iter().chain(others) {
            let budget = self.budget();
            let schedules = iter::once_with(|| StagePlanner::new(problem, budget).breadth_first()).flatten();
            self.add_all(problem, schedules.map(|schedule| ("breadth-first".to_owned(), schedule)), observe)?;
            self.done += 1;
        }
        self.add_rings(observe)?;
        for problem in &problems {
            let budget = self.budget();
            let schedules = combining::schedules(problem, &budget).map(|found| (found.to_string(), found.schedule));
            self.add_all(problem, schedules, observe)?;
            self.done += 1;
        }
        Ok(())
    }

    /// Adds the schedule around the best rings, with the most chunks that are allowed.
    fn add_rings(&mut self, observe: &mut dyn FnMut(FrontEvent)) -> Result<(), FrontError> {
        if self.ends_here() || self.meets_bound() {
            return Ok(());
        }
        let (chunks, seed, budget) = (self.options.chunks, self.options.seed, self.budget());
        let Some(rings) = Rings::of(self.problem, chunks, seed, &budget) else { return Ok(()) };
        for chunks in rings.chunks(chunks) {
            let collective = self.problem.collective().clone().with_chunks(chunks);
            let problem =
                Problem::new(self.problem.topology(), &collective, self.problem.model()).map_err(PlanError::from)?;
            // Rings are the way to a high bandwidth on large networks. So they are not among the evaluations.
            if problem.messages().delivery_count() > self.options.deliveries {
                continue;
            }
            // Rings do not know all rules of all models, such as paths without switches.
            return match self.add(&problem, "rings", &rings.schedule(&problem), observe) {
                Err(FrontError::Plan(PlanError::Refused { .. })) => Ok(()),
                added => added,
            };
        }
        Ok(())
    }

    /// Adds schedules, with the names of their engines, as long as one of this number of chunks can be best for some size.
    fn add_all(
        &mut self,
        problem: &Problem<'_>,
        mut schedules: impl Iterator<Item = (String, Schedule)>,
        observe: &mut dyn FnMut(FrontEvent),
    ) -> Result<(), FrontError> {
        let parts = FrontBound::parts_of(problem);
        let least = self.least_width_sum(parts);
        while !self.ends_here()
            && !self.is_useless(parts, 1, least)
            && self.takes(problem, 0)
            && let Some((engine, schedule)) = schedules.next()
        {
            if !self.is_useless(parts, schedule.step_count() as u64, schedule.width_sum()) {
                self.add(problem, &engine, &schedule, observe)?;
            }
        }
        Ok(())
    }

    /// Plans a collective of broadcasts in few steps of several widths, fewer than those of the breadth-first broadcast.
    pub(super) fn plan_stages(
        &mut self,
        collective: &Collective,
        observe: &mut dyn FnMut(FrontEvent),
    ) -> Result<(), FrontError> {
        let problem =
            Problem::new(self.problem.topology(), collective, self.problem.model()).map_err(PlanError::from)?;
        if !self.takes(&problem, 0) {
            return Ok(());
        }
        let planner = StagePlanner::new(&problem, self.budget());
        let Some((breadth_first, least_widths)) = planner.breadth_first().zip(planner.least_widths()) else {
            return Ok(());
        };
        let parts = FrontBound::parts_of(&problem);
        let least = self.least_width_sum(parts);
        let phases = planner.phase_count();
        for width_sum in least.div_ceil(phases)..breadth_first.width_sum().div_ceil(phases) {
            let left =
                self.options.deliveries.saturating_sub(self.deliveries) / problem.messages().delivery_count().max(1);
            let left = usize::try_from(left).unwrap_or(usize::MAX);
            for widths in widths(&least_widths, u32::try_from(width_sum).unwrap_or(u32::MAX), left) {
                if self.is_useless(parts, phases * widths.len() as u64, phases * width_sum) {
                    break;
                }
                if self.ends_here() || !self.takes(&problem, 0) {
                    return Ok(());
                }
                if let Some(schedule) = planner.in_steps_of(&widths, self.options.seed) {
                    self.add(&problem, "rarest-first", &schedule, observe)?;
                    break;
                }
            }
        }
        Ok(())
    }
}
