//! Sums of up to 150 terminals, against a verifier that keeps every set as a list.

use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroU32;

use lockstep_topology::{NodeId, Topology};
use proptest::prelude::*;
use proptest::sample::Index;

use super::*;
use crate::collective::Collective;
use crate::messages::Message;
use crate::model::CommunicationModel;
use crate::problem::Problem;
use crate::schedule::Schedule;

const TERMINALS: u32 = 150;

/// A transfer: the message, the sender and the receiver.
type Hop = (u32, u32, u32);

/// What a verifier finds: the violations as text, sorted, and the number of redundant transfers.
type Found = (Vec<String>, u64);

/// One sum per chunk of the first `contributors` terminals, in reverse order.
#[derive(Debug)]
struct Sums {
    is_all_reduce: bool,
    contributors: u32,
    chunks: u32,
    steps: Vec<Vec<Hop>>,
}

impl Sums {
    fn contributors(&self) -> Vec<u32> {
        (0..self.contributors).rev().collect()
    }

    fn naive(&self) -> Found {
        let contributors = self.contributors();
        let goals = if self.is_all_reduce { &contributors[..] } else { &contributors[..1] };
        let mut found = Vec::new();
        let mut redundant = 0;
        for (step, hops) in self.steps.iter().enumerate() {
            let unknown = hops.iter().enumerate().filter(|(_, hop)| hop.0 >= self.chunks);
            found.extend(unknown.map(|(place, _)| format!("unknown at {step}/{place}")));
        }
        for message in 0..self.chunks {
            let mut held: BTreeMap<u32, BTreeSet<usize>> = BTreeMap::new();
            held.extend(contributors.iter().enumerate().map(|(index, &rank)| (rank, BTreeSet::from([index]))));
            for (step, hops) in self.steps.iter().enumerate() {
                let before = held.clone();
                let holds = |rank: u32| before.get(&rank).cloned().unwrap_or_default();
                let mut arrivals: BTreeMap<u32, Vec<(usize, u32)>> = BTreeMap::new();
                for (place, &(_, from, to)) in hops.iter().enumerate().filter(|(_, hop)| hop.0 == message) {
                    arrivals.entry(to).or_default().push((place, from));
                }
                for (to, senders) in arrivals {
                    let mut union = holds(to);
                    let mut repeated = None;
                    let mut some = 0;
                    for &(place, from) in &senders {
                        let arriving = holds(from);
                        some += u64::from(!arriving.is_empty());
                        if arriving.is_empty() {
                            found.push(format!("{from} holds nothing at {step}/{place}"));
                        }
                        if let (None, Some(&both)) = (&repeated, union.intersection(&arriving).next()) {
                            let contributor = contributors[both];
                            repeated = Some(format!("{contributor} twice at {step}/{place}, {from} to {to}"));
                        }
                        union.extend(arriving);
                    }
                    if repeated.is_some() {
                        redundant += some - u64::from(union != holds(to));
                    }
                    if !senders.iter().any(|&(_, from)| holds(from) == union) {
                        found.extend(repeated);
                    }
                    held.insert(to, union);
                }
            }
            for goal in goals {
                let of_goal = &held[goal];
                let mut lacking = (0..contributors.len()).filter(|index| !of_goal.contains(index)).peekable();
                if let Some(&first) = lacking.peek() {
                    let first = contributors[first];
                    found.push(format!("{goal} lacks {} of {message}, first {first}", lacking.count()));
                }
            }
        }
        found.sort();
        (found, redundant)
    }
}

fn text(violation: &Violation) -> String {
    let number = |node: &crate::violation::NamedNode| node.id.number();
    let of = |place: &crate::violation::Place| format!("{}/{}", place.step, place.transfer);
    match violation {
        Violation::UnknownMessage { at, .. } => format!("unknown at {}", of(at)),
        Violation::NotHeld { at, sender } => format!("{} holds nothing at {}", number(sender), of(at)),
        Violation::CountedTwice { at, sender, receiver, contributor } => {
            format!("{} twice at {}, {} to {}", number(contributor), of(at), number(sender), number(receiver))
        }
        Violation::Incomplete { message, receiver, contributor, lacking } => {
            let [receiver, contributor] = [receiver, contributor].map(number);
            format!("{receiver} lacks {lacking} of {}, first {contributor}", message.id.number())
        }
        other => panic!("{other}"),
    }
}

/// Sums to the source in pairs, back to all others, and some steps of `extra` hops. Some hops are left out.
fn sums() -> impl Strategy<Value = Sums> {
    let hop = |chunks: u32| (0..=chunks, 0..TERMINALS, 0..TERMINALS - 1);
    let shape = (any::<bool>(), prop_oneof![2..10_u32, 60..70_u32, 2..=TERMINALS], 1..4_u32);
    shape.prop_flat_map(move |(is_all_reduce, contributors, chunks)| {
        let extra = prop::collection::vec((any::<Index>(), hop(chunks)), 0..6);
        let left_out = prop::collection::vec(any::<Index>(), 0..4);
        (extra, left_out, 0..=chunks).prop_map(move |(extra, left_out, moved)| {
            let mut steps: Vec<Vec<Hop>> = Vec::new();
            let strides = || (0..8).map(|bit| 1 << bit).filter(|&stride| stride < contributors);
            let last = contributors - 1;
            let hops = |stride: u32| {
                let places = (0..contributors).step_by(2 * stride as usize).map(move |place| (place, place + stride));
                places.filter(|&(_, other)| other < contributors).map(|(place, other)| [last - place, last - other])
            };
            let messages = |from: u32, to: u32| (0..moved).map(move |message| (message, from, to));
            steps.extend(strides().map(|stride| hops(stride).flat_map(|[to, from]| messages(from, to)).collect()));
            if is_all_reduce {
                let back = strides().collect::<Vec<_>>().into_iter().rev();
                steps.extend(back.map(|stride| hops(stride).flat_map(|[from, to]| messages(from, to)).collect()));
            }
            for index in left_out {
                let place = index.index(steps.len());
                let hops = &mut steps[place];
                if !hops.is_empty() {
                    hops.remove(index.index(hops.len()));
                }
            }
            for (index, (message, from, to)) in extra {
                let place = index.index(steps.len());
                steps[place].push((message, from, if to < from { to } else { to + 1 }));
            }
            Sums { is_all_reduce, contributors, chunks, steps }
        })
    })
}

proptest! {
    #![proptest_config(lockstep_topology::strategy::cases(200))]

    /// All limits of memory and the naive sets give the same violations, and the same redundant transfers.
    #[test]
    fn sums_of_many_terminals_agree_with_naive_sets(sums in sums(), words in 1..700_usize, transfers in 1..300_usize) {
        let topology: Topology = format!("complete:{TERMINALS}").parse().unwrap();
        let contributors: Vec<NodeId> = sums.contributors().into_iter().map(NodeId::new).collect();
        let message = Message { source: contributors[0], receivers: contributors[1..].to_vec() };
        let pattern = if sums.is_all_reduce { Pattern::ReduceBroadcast } else { Pattern::Reduce };
        let chunks = NonZeroU32::new(sums.chunks).expect("from 1");
        let collective = Collective::listed_as(pattern, vec![message]).with_chunks(chunks);
        let problem = Problem::new(&topology, &collective, CommunicationModel::store_and_forward()).unwrap();
        let mut schedule = Schedule::new();
        for hops in &sums.steps {
            schedule.begin_step();
            for &(message, from, to) in hops {
                let mut out = topology.out_channels(NodeId::new(from)).iter().copied();
                let channel = out.find(|&channel| topology.head(channel) == NodeId::new(to)).expect("a channel");
                schedule.push(MessageId::new(message), &[channel]);
            }
        }
        let case = ScheduleCase::new(&problem, &schedule, None);
        let result = |verify: &dyn Fn(&mut Findings) -> u64| {
            let mut findings = Findings::new(usize::MAX);
            let redundant = verify(&mut findings);
            let mut found: Vec<String> = findings.into_list().iter().map(text).collect();
            found.sort();
            (found, redundant)
        };
        let limits = SumLimits { transfers, words };
        let expected = sums.naive();
        prop_assert_eq!(&result(&|findings| verify_sets(&case, findings, limits)), &expected);
        for limits in [limits, SumLimits::STANDARD] {
            prop_assert_eq!(&result(&|findings| verify(&case, findings, limits)), &expected);
        }
    }
}
