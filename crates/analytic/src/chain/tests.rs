use lockstep_schedule::{BroadcastJudge, CommunicationModel};

use super::*;

fn judged(chain: &Chain, root: u64) -> lockstep_schedule::BroadcastCounts {
    let mut judge = BroadcastJudge::new(chain.graph(), root, CommunicationModel::wormhole()).unwrap();
    chain.replay(root, &mut judge);
    judge.finish().unwrap()
}

#[test]
fn probe() {
    for d in 1..=60u32 {
        let start = std::time::Instant::now();
        let chain = Chain::hypercube(d);
        println!("Q{d}: {:?} {:?}", chain.as_ref().map(|c| c.round_count()), start.elapsed());
        if let Some(chain) = chain.filter(|_| d <= 16) {
            println!("{:?}", judged(&chain, 0));
        }
    }
    for (k, n) in [
        (1, 2),
        (1, 3),
        (1, 4),
        (1, 6),
        (1, 9),
        (2, 3),
        (2, 4),
        (2, 5),
        (2, 6),
        (2, 8),
        (2, 9),
        (2, 10),
        (2, 12),
        (2, 16),
        (2, 20),
        (2, 25),
        (2, 64),
        (3, 3),
        (3, 4),
        (3, 5),
        (3, 6),
        (3, 7),
        (3, 8),
        (3, 14),
        (4, 3),
        (4, 4),
        (4, 9),
        (4, 6),
        (5, 11),
    ] {
        let start = std::time::Instant::now();
        let chain = Chain::torus(k, n);
        println!("{n}^{k}: {:?} {:?}", chain.as_ref().map(|c| c.round_count()), start.elapsed());
        if let Some(chain) = chain {
            println!("{:?}", judged(&chain, 0));
        }
    }
    for (k, n) in [(20, 7), (3, 117649), (2, 1024), (10, 21), (24, 3), (8, 4), (13, 4), (5, 8), (12, 8)] {
        let start = std::time::Instant::now();
        let chain = Chain::torus(k, n);
        println!("{n}^{k}: {:?} {:?}", chain.as_ref().map(|c| c.round_count()), start.elapsed());
    }
}
