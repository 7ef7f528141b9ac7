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
