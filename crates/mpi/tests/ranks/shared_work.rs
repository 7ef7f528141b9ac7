//! Work that is divided among ranks.

use std::fs;

use crate::{bytes, succeeds};

#[test]
fn the_book_of_a_sweep_is_the_same_on_any_number_of_ranks() {
    let folder = tempfile::tempdir().expect("a folder");
    for (sweep, kind) in [("mesh:4x4", "--links"), ("torus:3x3", "--nodes"), ("kautz:2,3", "--channels")] {
        let mut results = Vec::new();
        for ranks in [1, 2, 4] {
            let arguments = ["faults", sweep, "-c", "all-gather", kind, "--budget", "2000", "--book", "book.lsb"];
            let table = succeeds(ranks, folder.path(), arguments);
            results.push((table, bytes(folder.path(), "book.lsb")));
            fs::remove_file(folder.path().join("book.lsb")).expect("the book is written");
        }
        assert!(results[0].0.lines().count() > 9, "{}", results[0].0);
        assert!(results.iter().all(|result| *result == results[0]), "{sweep}");
    }
}

#[test]
fn the_plan_of_islands_is_the_same_on_any_number_of_ranks() {
    let folder = tempfile::tempdir().expect("a folder");
    for (network, engine, budget) in [("omega:8", "umda", "100000"), ("random-regular:14,4,3", "auto", "2000")] {
        let plan = |ranks| {
            let problem = ["plan", network, "-c", "all-to-all", "--engine", engine, "--budget", budget];
            let search = ["--seed", "3", "--islands", "3", "-o", "plan.json"];
            let summary = succeeds(ranks, folder.path(), problem.iter().chain(&search));
            (summary, bytes(folder.path(), "plan.json"))
        };
        let alone = plan(1);
        assert!([2, 4].into_iter().all(|ranks| plan(ranks) == alone), "{network}");
    }
}

#[test]
fn the_front_of_designs_is_the_same_on_any_number_of_ranks() {
    let folder = tempfile::tempdir().expect("a folder");
    for algorithm in ["nsga2", "nsga3", "sms-emoa"] {
        let front = |ranks| {
            let machine = ["design", "--routers", "4", "--chassis", "6", "-o", "front.json"];
            let search = ["--algorithm", algorithm, "--generations", "5", "--population", "21", "--seed", "3"];
            let summary = succeeds(ranks, folder.path(), machine.iter().chain(&search));
            (summary, bytes(folder.path(), "front.json"))
        };
        let alone = front(1);
        assert!([2, 4].into_iter().all(|ranks| front(ranks) == alone), "{algorithm}");
    }
}
