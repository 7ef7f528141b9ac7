use lockstep_schedule::{Collective, CommunicationModel};
use lockstep_topology::Topology;

use super::*;
use crate::kit::request::AttemptContext;
use crate::kit::transfer_log::TransferLog;

const HOPELESS: &[Method] = &[Method {
    name: "hopeless",
    about: "never finds a schedule",
    evaluations_per_delivery: 1,
    is_random: true,
    parts: &[],
    find: |_| Err(MethodError::NoShorter),
}];

/// Without a limit, a search whose methods find nothing ends.
#[test]
fn a_method_without_a_schedule_is_given_up() {
    let ring: Topology = "ring:4".parse().unwrap();
    let all_gather = Collective::all_gather();
    let problem = Problem::new(&ring, &all_gather, CommunicationModel::wormhole()).unwrap();
    let (mut attempts, budget) = (0, Budget::unlimited());
    let mut portfolio = Portfolio::new(EngineRequest::new(problem, 1, 1, &budget));
    portfolio.methods = initial_states(&problem, HOPELESS);
    while !portfolio.is_over() {
        portfolio.round(&mut |_, effort, _| attempts += effort.attempts);
        assert!(attempts < 1_000, "{attempts} attempts");
    }
    assert!(attempts >= MAX_FAILED_ATTEMPTS, "{attempts} attempts");
    let error = portfolio.into_best().unwrap_err().to_string();
    assert!(error.contains(NO_SCHEDULE), "{error}");
}

/// After three rounds without a shorter schedule, a method gets a quarter of the share of another.
#[test]
fn an_idle_method_gets_fewer_attempts() {
    let ring: Topology = "ring:4".parse().unwrap();
    let all_gather = Collective::all_gather();
    let problem = Problem::new(&ring, &all_gather, CommunicationModel::wormhole()).unwrap();
    let budget = Budget::unlimited();
    let request = EngineRequest { pause_after: 1000, ..EngineRequest::new(problem, 1, 1, &budget) };
    let mut portfolio = Portfolio::new(request);
    portfolio.below = 9;
    portfolio.methods =
        [HOPELESS, HOPELESS].map(|methods| initial_states(&problem, methods)).into_iter().flatten().collect();
    portfolio.methods.iter_mut().for_each(|state| state.price = 1);
    portfolio.methods[0].idle = 3;
    let attempts = |place: usize| portfolio.shared_attempts(&portfolio.methods[place]);
    assert_eq!([attempts(0), attempts(1)], [200, 800]);
}

const ENDLESS: &[Method] = &[Method {
    name: "endless",
    about: "takes all evaluations",
    evaluations_per_delivery: 1,
    is_random: true,
    parts: &[],
    find: |request| {
        let endless = |_: &mut _, context: &AttemptContext<'_>| loop {
            context.count(1 << 20);
            context.check(0)?;
        };
        request.best_attempt(endless).map(TransferLog::into_schedule)
    },
}];

/// If a schedule is known, an attempt ends that takes more than all evaluations.
#[test]
fn an_attempt_that_takes_too_long_is_not_repeated() {
    let ring: Topology = "ring:4".parse().unwrap();
    let all_gather = Collective::all_gather();
    let problem = Problem::new(&ring, &all_gather, CommunicationModel::wormhole()).unwrap();
    let unlimited = Budget::unlimited();
    let mut first = Portfolio::new(EngineRequest::new(problem, 1, 1, &unlimited));
    tried(&mut first, 1 << 15);
    let known = first.into_best().unwrap().schedule;
    let budget = Budget::evaluations(100_000);
    let request = EngineRequest { best: Some(&known), ..EngineRequest::new(problem, 1, 1, &budget) };
    let mut portfolio = Portfolio::new(request);
    portfolio.methods = initial_states(&problem, ENDLESS);
    assert_eq!(tried(&mut portfolio, u64::MAX), ["endless"]);
    let outcome = portfolio.outcome();
    assert_eq!(outcome.end, End::Interrupted { reason: StopReason::Evaluations, state: None });
    assert_eq!(outcome.found, Err(NotFound::TooLong { steps: 1, reached: 2 }));
    assert!(outcome.work > 100_000, "{} evaluations", outcome.work);
}

/// Runs rounds up to a pause and returns the names of all methods tried.
fn tried(portfolio: &mut Portfolio<'_>, pause_after: u64) -> Vec<&'static str> {
    portfolio.request.pause_after = pause_after;
    let mut names = Vec::new();
    while !portfolio.is_over() {
        portfolio.round(&mut |method, _, _| names.push(method.name));
    }
    names
}

#[test]
fn every_method_that_fits_makes_an_attempt() {
    let network: Topology = "random-regular:32,3,1".parse().unwrap();
    let exchange = Collective::all_to_all();
    for (model, method) in [
        (CommunicationModel::store_and_forward(), "balanced-routes"),
        (CommunicationModel::wormhole(), "path-colouring"),
    ] {
        let problem = Problem::new(&network, &exchange, model).unwrap();
        let budget = Budget::unlimited();
        let names = tried(&mut Portfolio::new(EngineRequest::new(problem, 1, 1, &budget)), 1 << 21);
        assert!(names.contains(&"first-fit") && names.contains(&method), "{names:?}");
    }
}

#[test]
fn a_restored_portfolio_continues_with_the_next_attempts() {
    let network: Topology = "random-regular:32,3,1".parse().unwrap();
    let exchange = Collective::all_to_all();
    let problem = Problem::new(&network, &exchange, CommunicationModel::store_and_forward()).unwrap();
    let budget = Budget::unlimited();
    let request = EngineRequest::new(problem, 1, 1, &budget);
    let [mut whole, mut restored] = [request; 2].map(Portfolio::new);
    tried(&mut whole, 1 << 15);
    restored.restore(&whole.save()).unwrap();
    assert_eq!(tried(&mut whole, 1 << 17), tried(&mut restored, 1 << 17));
    assert_eq!(whole.save(), restored.save());
    let damaged = restored.restore(&whole.save()[1..]);
    assert!(matches!(damaged, Err(NotFound::Resume { .. })));
}

/// The work before the limit of evaluations is the same for every limit.
#[test]
fn the_search_ends_before_an_attempt_that_exceeds_the_evaluations() {
    let network: Topology = "random-regular:32,3,1".parse().unwrap();
    let exchange = Collective::all_to_all();
    let problem = Problem::new(&network, &exchange, CommunicationModel::store_and_forward()).unwrap();
    let tried_by = |limit| {
        let budget = Budget::evaluations(limit);
        tried(&mut Portfolio::new(EngineRequest::new(problem, 1, 1, &budget)), 1 << 16)
    };
    let mut names = Vec::new();
    for limit in [1, 2_000, 8_000, 30_000, 60_000] {
        let more = tried_by(limit);
        assert!(more.starts_with(&names), "{limit}: {more:?} does not continue {names:?}");
        names = more;
    }
}
