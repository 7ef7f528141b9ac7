//! Tiny problems, compared with an exhaustive search.

use lockstep::schedule::strategy::{fastest_schedule, instance};
use lockstep::schedule::{Pattern, Switching, verify};
use lockstep::{Budget, EngineChoice, PlanOptions, Planner};
use proptest::prelude::*;

proptest! {
    #![proptest_config(ProptestConfig { max_global_rejects: 100_000, ..lockstep_topology::strategy::cases(32) })]

    /// On tiny networks, under every model, plans are optimal and bounds hold. The engine `construct` alone may need
    /// one step more on buses, and for wormhole messages with different receivers, because it never sends a message back.
    #[test]
    fn plans_are_as_short_as_the_exhaustive_optimum(
        instance in instance(4).prop_filter("few enough to try", |instance| {
            let problem = instance.problem();
            let pairs = problem.messages().len() * problem.topology().terminal_count();
            let is_all_reduce = instance.collective.pattern() == Pattern::ReduceBroadcast;
            problem.topology().channel_count() <= 7 && pairs <= 24 && !is_all_reduce
        }),
    ) {
        let problem = instance.problem();
        let fastest = fastest_schedule(&problem, usize::MAX, &mut 10_000_000);
        let optimum = fastest?.expect("a schedule").step_count() as u32;
        let bound = lockstep::bounds::best(&problem);
        prop_assert!(bound.steps <= optimum, "{bound} > {optimum}");
        let construct = EngineChoice::Named("construct");
        for engine in [EngineChoice::Auto, construct] {
            let options = PlanOptions { engine, ..PlanOptions::auto(1) };
            // Enough for the second round, so the evolutionary search runs too.
            let plan = Planner::new(problem, options).run(&Budget::evaluations(1 << 18), |_| {}).unwrap();
            let is_wormhole = problem.model().switching == Switching::Wormhole;
            let has_own_receivers = instance.collective.listed().is_some();
            let is_multicast = is_wormhole && has_own_receivers && !problem.messages().is_scatter();
            let spare = u32::from(engine == construct && (is_multicast || problem.topology().has_buses()));
            let reached = plan.step_count();
            prop_assert!(reached <= optimum + spare, "{reached} > {optimum}: {engine} {}", plan.lower_bound());
        }
    }

    /// In an all-reduce the search tries every sum. Bounds hold, and plans take at most the steps of an optimal reduction and
    /// an optimal distribution, each of which takes no more steps than the all-reduce.
    #[test]
    fn all_reduces_are_at_most_twice_as_long_as_the_exhaustive_optimum(
        instance in instance(4).prop_filter("a small all-reduce", |instance| {
            let problem = instance.problem();
            let pairs = problem.messages().len() * problem.topology().terminal_count();
            let is_all_reduce = instance.collective.pattern() == Pattern::ReduceBroadcast;
            is_all_reduce && pairs <= 9 && problem.topology().channel_count() <= 6
        }),
    ) {
        let problem = instance.problem();
        let Ok(fastest) = fastest_schedule(&problem, usize::MAX, &mut 300_000) else { return Ok(()) };
        let fastest = fastest.expect("a schedule");
        prop_assert!(verify(&problem, &fastest).is_ok());
        let optimum = fastest.step_count() as u32;
        let plan = Planner::new(problem, PlanOptions::auto(1)).run(&Budget::evaluations(1 << 14), |_| {}).unwrap();
        prop_assert!(plan.lower_bound().steps <= optimum, "{} > {optimum}", plan.lower_bound());
        let reached = plan.step_count();
        prop_assert!((optimum..=2 * optimum).contains(&reached), "{reached}, but {optimum} are possible");
    }
}
