//! The work of readers and of the verifier is bounded by the schedule, not by the number of messages.

use std::num::NonZeroU32;
use std::time::{Duration, Instant};

use lockstep_schedule::{
    Collective, CollectiveName, CommunicationModel, MessageId, Problem, Schedule, ScheduleFile, Violation, verify,
    violations,
};
use lockstep_topology::{ChannelId, NodeId, Topology};

/// Far less than a walk over all messages takes.
const AT_ONCE: Duration = Duration::from_secs(1);

/// Returns the collectives on all terminals of a ring of four, and in two groups, with 2^28 chunks per message.
fn collectives(ring: &Topology) -> Vec<Collective> {
    let [a, b, c, d] = ring.terminals() else { panic!("four terminals") };
    let chunks = NonZeroU32::new(1 << 28).unwrap();
    let named = CollectiveName::ALL.into_iter().map(|name| name.with_root(name.has_root().then_some(*a)).unwrap());
    let grouped = CollectiveName::ALL.into_iter().map(|name| {
        let roots = if name.has_root() { &[*a, *d][..] } else { &[] };
        name.in_groups(ring, &[vec![*a, *b], vec![*c, *d]], roots).unwrap()
    });
    let fits = |collective: &Collective| collective.messages(ring).is_some();
    named.chain(grouped).map(|collective| collective.with_chunks(chunks)).filter(fits).collect()
}

#[test]
fn few_transfers_of_many_messages_are_refused_at_once() {
    let ring: Topology = "ring:4".parse().unwrap();
    let stored = CommunicationModel::store_and_forward();
    let all = collectives(&ring);
    assert!(all.len() > 8);
    for (collective, model) in all.iter().flat_map(|all| [(all, CommunicationModel::wormhole()), (all, stored)]) {
        let start = Instant::now();
        let problem = Problem::new(&ring, collective, model).unwrap();
        let last = MessageId::new(problem.messages().len() as u32 - 1);
        let mut schedule = Schedule::new();
        schedule.begin_step();
        schedule.push(last, &[ChannelId::new(0)]);
        let file = ScheduleFile::from_bytes(&ScheduleFile::new(&problem, schedule).to_bytes()).unwrap();
        let problem = file.problem();
        assert!(verify(&problem, file.schedule()).is_err());
        let found = violations(&problem, file.schedule(), 10);
        let missing = found.iter().filter(|violation| violation.place().is_none()).count();
        assert!(missing >= 8 && found.len() == 10, "{collective:?}: {found:?}");
        assert!(start.elapsed() < AT_ONCE, "{collective:?} takes {:?}", start.elapsed());
    }
}

/// A transfer of the last message breaks a rule, and comes before the missing deliveries of the first ones.
#[test]
fn violations_of_the_last_message_come_before_missing_deliveries() {
    let ring: Topology = "ring:4".parse().unwrap();
    let chunks = NonZeroU32::new(1 << 31).unwrap();
    let broadcast = Collective::broadcast(NodeId::new(0)).with_chunks(chunks);
    let problem = Problem::new(&ring, &broadcast, CommunicationModel::wormhole()).unwrap();
    let mut schedule = Schedule::new();
    schedule.begin_step();
    let not_held = ring.out_channels(NodeId::new(2))[0];
    schedule.push(MessageId::new((1 << 31) - 1), &[not_held]);
    let found = violations(&problem, &schedule, 2);
    assert!(matches!(found[..], [Violation::NotHeld { .. }, Violation::Undelivered { .. }]), "{found:?}");
}
