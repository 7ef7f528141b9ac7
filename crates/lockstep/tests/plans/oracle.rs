//! Tiny problems, compared with an exhaustive search.

use lockstep::schedule::Switching;
use lockstep::schedule::strategy::{fastest_schedule, instance};
use lockstep::{Budget, EngineChoice, PlanOptions, Planner};
use proptest::prelude::*;

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, max_global_rejects: 100_000, ..ProptestConfig::default() })]

    /// On tiny networks, under every model, plans are optimal and bounds hold. The engine `construct` alone may need
    /// one step more for wormhole messages with different receivers, because it never sends a message back.
    #[test]
    fn plans_are_as_short_as_the_exhaustive_optimum(
        instance in instance(4).prop_filter("few enough to try", |instance| {
            let problem = instance.problem();
            let pairs = problem.messages().len() * problem.topology().terminal_count();
            problem.topology().channel_count() <= 7 && pairs <= 24
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
            let plan = Planner::new(problem, options).run(&Budget::evaluations(1 << 14), |_| {}).unwrap();
            let is_wormhole = problem.model().switching == Switching::Wormhole;
            let has_own_receivers = instance.collective.listed().is_some();
            let is_multicast = is_wormhole && has_own_receivers && !problem.messages().is_scatter();
            let spare = u32::from(engine == construct && is_multicast);
            let reached = plan.step_count();
            prop_assert!(reached <= optimum + spare, "{reached} > {optimum}: {engine} {}", plan.lower_bound());
        }
    }
}
