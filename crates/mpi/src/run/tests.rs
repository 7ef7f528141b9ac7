//! All ranks in one process: right programs have right results, and spoiled ones are found wrong.

use std::collections::BTreeMap;
use std::num::NonZeroU32;

use lockstep::{Budget, CollectiveName, CommunicationModel, NodeId, Plan, Topology, plan};
use lockstep_export::{Connections, LowerOptions, Placement, Receives, contents, lower};

use super::data::Data;
use super::execute::local;
use super::operations::{Operations, Part};

/// Elements per chunk.
const CHUNK: usize = 3;

fn planned(network: &str, collective: CollectiveName) -> Plan {
    let topology: Topology = network.parse().unwrap();
    let root = collective.has_root().then_some(NodeId::new(1));
    let collective = collective.with_root(root).unwrap();
    plan(&topology, &collective, &CommunicationModel::wormhole(), &Budget::evaluations(5000)).unwrap()
}

fn operations(plan: &Plan, placement: Placement) -> Vec<Operations> {
    let max_count = NonZeroU32::MAX;
    let options = LowerOptions { placement, receives: Receives::Staged, connections: Connections::Routed, max_count };
    let program = lower(&plan.problem(), plan.schedule(), options).unwrap();
    (0..program.ranks.len()).map(|rank| Operations::of(&program, rank, CHUNK)).collect()
}

/// Executes the operations of all ranks. Returns the number of wrong bytes, or `None` if they wait for ever.
fn wrong_bytes(plan: &Plan, placement: Placement, ranks: &[Operations]) -> Option<u64> {
    let contents = contents(&plan.problem(), placement).unwrap();
    let data: Vec<Data> = (0..ranks.len()).map(|rank| Data::of(&contents, rank as u32, CHUNK)).collect();
    let mut memories: Vec<Vec<u64>> = ranks.iter().map(|operations| vec![0; operations.memory_len()]).collect();
    for ((data, operations), memory) in data.iter().zip(ranks).zip(&mut memories) {
        data.fill(operations, memory);
    }
    // Per rank: its next part, and whether the sends of this part have left.
    let mut states = vec![(0, false); ranks.len()];
    let mut messages: BTreeMap<(usize, u32), Vec<u64>> = BTreeMap::new();
    let mut has_moved = true;
    while has_moved {
        has_moved = false;
        for (rank, operations) in ranks.iter().enumerate() {
            let (memory, (next, has_sent)) = (&mut memories[rank], &mut states[rank]);
            match operations.parts.get(*next) {
                None => continue,
                Some(Part::Local { from, to, combine }) => local(memory, from.clone(), *to, *combine),
                Some(Part::Exchange { sends, receives }) => {
                    if !*has_sent {
                        let sent = sends
                            .iter()
                            .map(|send| ((send.peer as usize, send.index), memory[send.elements.clone()].to_vec()));
                        messages.extend(sent);
                        (*has_sent, has_moved) = (true, true);
                    }
                    let keys: Vec<_> = receives.iter().map(|receive| (rank, receive.index)).collect();
                    if !keys.iter().all(|key| messages.contains_key(key)) {
                        continue;
                    }
                    for (receive, key) in receives.iter().zip(keys) {
                        let message = messages.remove(&key).unwrap();
                        memory[receive.elements.clone()].copy_from_slice(&message);
                    }
                }
            }
            (*next, *has_sent, has_moved) = (*next + 1, false, true);
        }
    }
    let is_over = states.iter().zip(ranks).all(|(state, operations)| state.0 == operations.parts.len());
    let checked = data.iter().zip(ranks).zip(&memories);
    let wrong = checked.map(|((data, operations), memory)| {
        let (wrong, first) = data.check(operations, memory);
        assert_eq!(wrong > 0, first.is_some());
        wrong
    });
    is_over.then(|| wrong.sum())
}

#[test]
fn every_collective_has_its_results() {
    for collective in CollectiveName::ALL {
        let plan = planned("mesh:2x3", collective);
        for placement in [Placement::OutOfPlace, Placement::InPlace] {
            assert_eq!(wrong_bytes(&plan, placement, &operations(&plan, placement)), Some(0), "{collective}");
        }
    }
}

/// Spoils one part of one rank in a way, and returns false if that does not apply.
fn spoil(part: &mut Part, way: usize) -> bool {
    let shifted = |elements: &mut std::ops::Range<usize>| {
        let is_first = elements.start < CHUNK;
        *elements = if is_first {
            elements.start + CHUNK..elements.end + CHUNK
        } else {
            elements.start - CHUNK..elements.end - CHUNK
        };
        true
    };
    match (part, way) {
        (Part::Exchange { sends, .. }, 0) => sends.first_mut().is_some_and(|send| shifted(&mut send.elements)),
        (Part::Exchange { sends, .. }, 1) => sends.pop().is_some(),
        (Part::Exchange { receives, .. }, 2) => receives.pop().is_some(),
        (Part::Exchange { sends, .. }, 3) if sends.len() > 1 => {
            let peers = [sends[0].peer, sends[1].peer];
            (sends[0].peer, sends[1].peer) = (peers[1], peers[0]);
            peers[0] != peers[1]
        }
        (Part::Local { from, .. }, 4) => shifted(from),
        _ => false,
    }
}

#[test]
fn spoiled_programs_are_found_wrong() {
    for (collective, placement) in [
        (CollectiveName::AllGather, Placement::InPlace),
        (CollectiveName::AllToAll, Placement::OutOfPlace),
        (CollectiveName::ReduceScatter, Placement::OutOfPlace),
    ] {
        let plan = planned("ring:5", collective);
        let right = operations(&plan, placement);
        let mut spoiled_count = 0;
        for (rank, way) in (0..right.len()).flat_map(|rank| (0..5).map(move |way| (rank, way))) {
            for part in 0..right[rank].parts.len() {
                let mut ranks = right.clone();
                if spoil(&mut ranks[rank].parts[part], way) {
                    spoiled_count += 1;
                    let wrong = wrong_bytes(&plan, placement, &ranks);
                    assert_ne!(wrong, Some(0), "{collective}: rank {rank}, part {part}, way {way}");
                }
            }
        }
        assert!(spoiled_count > 20, "{spoiled_count}");
    }
}

#[test]
fn a_wrong_element_is_described_with_its_place() {
    let plan = planned("ring:4", CollectiveName::AllGather);
    let ranks = operations(&plan, Placement::OutOfPlace);
    let contents = contents(&plan.problem(), Placement::OutOfPlace).unwrap();
    let data = Data::of(&contents, 2, CHUNK);
    let mut memory = vec![0; ranks[2].memory_len()];
    data.fill(&ranks[2], &mut memory);
    let (wrong, first) = data.check(&ranks[2], &memory);
    let text = first.unwrap().to_string();
    assert!(text.starts_with("rank 2: message 0 in output chunk 0 is wrong from byte 0 on: expected "), "{text}");
    // Two bytes of 96 may be right by chance.
    assert!((94..=96).contains(&wrong) && text.ends_with("found a5a5a5a5a5a5a5a5"), "{wrong} {text}");
}
