//! Edited recovery books with right checksums: the program prints no verdict that their plans do not carry.

use std::fs;
use std::path::Path;

use lockstep::files::{HEADER_BYTES, seal};

use crate::{refusal_of, run, stdout_of};

const SWEEP: &str = "faults ring:5 -c all-gather --links --book";

/// Returns the sealed pieces of a book, one behind the other.
fn pieces(mut bytes: &[u8]) -> Vec<&[u8]> {
    let mut pieces = Vec::new();
    while !bytes.is_empty() {
        let payload = u64::from_le_bytes(bytes[12..20].try_into().unwrap());
        let (piece, rest) = bytes.split_at(HEADER_BYTES + usize::try_from(payload).unwrap());
        pieces.push(piece);
        bytes = rest;
    }
    pieces
}

/// Returns a piece with another payload and the right checksum.
fn resealed(piece: &[u8], payload: &[u8]) -> Vec<u8> {
    let version = u32::from_le_bytes(piece[8..12].try_into().unwrap());
    seal(piece[..8].try_into().unwrap(), version, payload)
}

/// Returns the faults, steps, bound and verdict of each row.
fn figures(table: &[u8]) -> Vec<Vec<String>> {
    let table = String::from_utf8(table.to_vec()).unwrap();
    let rows = table.lines().skip_while(|line| !line.starts_with("none"));
    rows.map(|row| row.split_whitespace().take(4).map(str::to_owned).collect()).collect()
}

/// Writes a book with one edited byte, and runs all commands that print its verdicts.
fn try_forged(directory: &Path, honest: &[u8], rows: &[Vec<String>], forged: &[u8]) -> bool {
    fs::write(directory.join("forged.lsb"), forged).unwrap();
    let swept = run(directory, &format!("{SWEEP} forged.lsb"), b"");
    let looked_up = run(directory, "faults lookup forged.lsb --fail-link 0-1", b"");
    let page = run(directory, "faults lookup forged.lsb -o page.html", b"");
    for output in [&swept, &looked_up, &page] {
        assert!([Some(0), Some(1), Some(2)].contains(&output.status.code()), "{output:?}");
    }
    if swept.status.success() {
        assert_eq!(figures(&swept.stdout), rows);
    }
    if looked_up.status.success() {
        let text = String::from_utf8(looked_up.stdout).unwrap();
        assert!(
            text.contains("\nschedule     4 steps, optimal\n") && text.contains("\nlower bound  4 steps ("),
            "{text}"
        );
    }
    if forged == honest {
        assert!(swept.status.success() && page.status.success());
    }
    !swept.status.success()
}

#[test]
fn no_edit_of_a_page_changes_a_verdict() {
    let directory = tempfile::tempdir().unwrap();
    let rows = figures(&stdout_of(directory.path(), &format!("{SWEEP} honest.lsb"), b""));
    assert_eq!(rows[1][1..], ["4", "4", "optimal"]);
    let honest = fs::read(directory.path().join("honest.lsb")).unwrap();
    assert!(!try_forged(directory.path(), &honest, &rows, &honest));
    let pieces = pieces(&honest);
    // The page of the first link: its faults, its changes, the claims of its plan, its bound and its schedule.
    let payload = &pieces[1][HEADER_BYTES..];
    let mut refused = 0;
    for place in (0..payload.len()).step_by(5) {
        let mut payload = payload.to_vec();
        payload[place] = payload[place].wrapping_add(1);
        let page = resealed(pieces[1], &payload);
        let forged = [pieces[0], &page, &pieces[2..].concat()].concat();
        refused += u32::from(try_forged(directory.path(), &honest, &rows, &forged));
    }
    assert!(refused > 10, "{refused} books are refused");
}

#[test]
fn a_page_with_the_plan_of_another_page_is_refused() {
    let directory = tempfile::tempdir().unwrap();
    stdout_of(directory.path(), &format!("{SWEEP} honest.lsb"), b"");
    let honest = fs::read(directory.path().join("honest.lsb")).unwrap();
    let pieces = pieces(&honest);
    let [first, second] = [1, 2].map(|page: usize| &pieces[page][HEADER_BYTES..]);
    // The claims and the schedule are behind the number, the faults and the changes.
    let claims = |page: &[u8]| page.windows(8).position(|window| window == b"{\"format").unwrap();
    let mixed = [&first[..claims(first)], &second[claims(second)..]].concat();
    let forged = [pieces[0], &resealed(pieces[1], &mixed), &pieces[2..].concat()].concat();
    fs::write(directory.path().join("forged.lsb"), forged).unwrap();
    let refused = "forged.lsb: the plan for 0-1 is refused: ";
    for command in ["faults lookup forged.lsb --fail-link 0-1", "faults lookup forged.lsb -o page.html"] {
        let message = refusal_of(directory.path(), command);
        assert!(message.contains(refused), "{message}");
    }
    let message = refusal_of(directory.path(), &format!("{SWEEP} forged.lsb"));
    assert!(
        message.contains("forged.lsb: cannot be resumed; delete it, or use another file: the plan for 0-1"),
        "{message}"
    );
}
