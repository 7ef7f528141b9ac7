//! Tests of the search for networks for all-gathers.

use super::*;

fn search(order: u32, degree: u32, seed: u64) -> AllGatherSearch {
    let mut search = AllGatherSearch::new(order, degree, seed).unwrap();
    while !search.is_over() {
        search.advance();
    }
    search
}

#[test]
fn zz() {
    for (order, degree) in [(16, 4), (64, 4), (1024, 4), (1000, 3), (4096, 8), (720, 6)] {
        let start = std::time::Instant::now();
        let search = search(order, degree, 1);
        eprintln!(
            "{order} {degree}: {} pairs, {:?}, at least {}",
            search.progress().1,
            start.elapsed(),
            search.stage_bound()
        );
        for design in search.front() {
            eprintln!("  {} {:?} {:?} {}", design.stages(), design.bandwidth(), design.steps(), design.spec());
        }
    }
}
