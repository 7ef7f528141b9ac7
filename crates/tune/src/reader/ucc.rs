//! The variables of UCC that tune its layers.
//!
//! # Source
//!
//! UCC, `src/utils/ucc_coll_utils.c` and `src/coll_score/ucc_coll_score.c`, 2026-08.

use lockstep_files::one_line;
use lockstep_schedule::CollectiveName;

use super::reading::{Communicator, Rule, TableError, TableReading};

/// The variable of the layer whose algorithms Lockstep knows.
const VARIABLE: &str = "UCC_TL_UCP_TUNE";

const MEMORIES: [&str; 5] = ["host", "cuda", "cuda_managed", "rocm", "rocm_managed"];

/// A token of the variable.
#[derive(Default)]
struct Token<'a> {
    /// Empty for all.
    collectives: Vec<&'a str>,
    /// The sizes as UCC counts them: first and after the last. Empty for all.
    sizes: Vec<[u64; 2]>,
    /// Numbers of ranks. Empty for all.
    teams: Vec<[u64; 2]>,
    /// `u64::MAX` for `inf`.
    score: Option<u64>,
    algorithm: Option<&'a str>,
}

pub(super) fn looks_like(text: &str) -> bool {
    value(text).is_some()
}

/// Returns the value of the variable with its line: behind `export` or `mpirun -x`, or as a line of `ucc.conf`. Without quotes, it ends at
/// the first blank.
fn value(text: &str) -> Option<(usize, &str)> {
    (1..).zip(text.lines()).find_map(|(line, text)| {
        let (before, value) = text.split_once(VARIABLE)?;
        let is_word = before.is_empty() || before.ends_with(|c: char| c.is_whitespace() || matches!(c, '"' | '\''));
        let value = value.trim_start().strip_prefix('=')?.trim_start();
        let value = match value.chars().next().filter(|quote| matches!(quote, '"' | '\'')) {
            Some(quote) => value[1..].split(quote).next(),
            None => value.split(|c: char| c.is_whitespace() || matches!(c, '"' | '\'')).next(),
        };
        value.filter(|_| is_word && !before.trim_start().starts_with('#')).map(|value| (line, value))
    })
}

pub(super) fn read(text: &str, communicator: Communicator, reading: &mut TableReading) -> Result<(), TableError> {
    let (line, value) =
        value(text).ok_or_else(|| TableError::new("the file", format!("there is no line {VARIABLE}=")))?;
    let mut tokens = Vec::new();
    for (number, text) in (1..).zip(value.split('#')) {
        let place = format!("line {line}, token {number}");
        let token = token(text).map_err(|what| TableError::new(&place, what + "; UCC fails to parse the token"))?;
        tokens.push((place, token));
    }
    for of in reading.library.collectives() {
        // The size of a reduce-scatter is that of the part of one rank.
        let is_of_rank = of.collective == CollectiveName::ReduceScatter;
        let parts = if is_of_rank { u64::from(communicator.ranks) } else { 1 };
        let is_team = |teams: &[[u64; 2]]| {
            let ranks = u64::from(communicator.ranks);
            teams.is_empty() || teams.iter().any(|[first, last]| (*first..=*last).contains(&ranks))
        };
        let is_of = |token: &Token<'_>| {
            (token.collectives.is_empty() || token.collectives.contains(&of.name)) && is_team(&token.teams)
        };
        let fitting: Vec<(&String, &Token<'_>)> =
            tokens.iter().filter(|(_, token)| is_of(token)).map(|(place, token)| (place, token)).collect();
        if fitting.is_empty() {
            continue;
        }
        let has_size = |token: &Token<'_>, bytes: u64| {
            token.sizes.is_empty() || token.sizes.iter().any(|[first, end]| (*first..*end).contains(&(bytes / parts)))
        };
        let rule = |bytes: u64| {
            let of_size = fitting.iter().filter(|(_, token)| has_size(token, bytes));
            let (place, token) = of_size.max_by_key(|(_, token)| token.score.unwrap_or(0))?;
            let by_number = |word: &str| of.algorithms.iter().find(|known| known.number.to_string() == word);
            let name = token.algorithm.map(|word| by_number(word).map_or(word, |known| known.name));
            Some(Rule::new(place.as_str(), name))
        };
        let starts = fitting.iter().flat_map(|(_, token)| &token.sizes).flatten();
        let starts = starts.map(|&size| size.saturating_mul(parts)).collect();
        reading.add(of, starts, rule);
    }
    if tokens.iter().any(|(_, token)| token.score.is_some_and(|score| score < u64::MAX)) {
        reading.note(
            "scores are compared with those of the other layers and of the library itself; only inf is always chosen",
        );
    }
    Ok(())
}

/// Reads a token: qualifiers with colons between them, in any order.
fn token(text: &str) -> Result<Token<'_>, String> {
    let mut token = Token::default();
    for word in text.split(':').map(str::trim).filter(|word| !word.is_empty()) {
        if let Some(algorithm) = word.strip_prefix('@') {
            token.algorithm = Some(algorithm);
        } else if let Some(teams) = word.strip_prefix('[').and_then(|word| word.strip_suffix(']')) {
            token.teams = teams.split(',').map(team).collect::<Result<_, _>>()?;
        } else if word == "inf" || word.bytes().all(|byte| byte.is_ascii_digit()) {
            token.score = Some(if word == "inf" { u64::MAX } else { word.parse().map_err(|_| wrong(word))? });
        } else if word.split(',').all(|memory| MEMORIES.contains(&memory)) {
            // A layer treats all memories alike.
        } else if word.starts_with(|c: char| c.is_ascii_digit()) {
            token.sizes = word.split(',').map(sizes).collect::<Result<_, _>>()?;
        } else if word.bytes().all(|byte| byte.is_ascii_alphabetic() || byte == b'_' || byte == b',') {
            token.collectives = word.split(',').collect();
        } else {
            return Err(wrong(word));
        }
    }
    if token.score.is_none() && token.algorithm.is_none() {
        return Err("there is neither a score nor an algorithm".to_owned());
    }
    Ok(token)
}

fn wrong(word: &str) -> String {
    format!("'{}' is no collective, size range, team, score or algorithm", one_line(word))
}

/// Returns the first and the last number of ranks of `8` or `2-64`.
fn team(text: &str) -> Result<[u64; 2], String> {
    let (first, last) = text.split_once('-').unwrap_or((text, text));
    let number = |text: &str| match text.trim() {
        "inf" => Ok(u64::MAX),
        text => text.parse::<u64>().map_err(|_| wrong(text)),
    };
    Ok([number(first)?, number(last)?])
}

/// Returns the sizes of `0-4k` or `1m-inf`.
fn sizes(text: &str) -> Result<[u64; 2], String> {
    let (first, end) = text.split_once('-').ok_or_else(|| wrong(text))?;
    Ok([size(first)?, size(end)?])
}

fn size(text: &str) -> Result<u64, String> {
    if text == "inf" {
        return Ok(u64::MAX);
    }
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let unit = match text[digits.len()..].to_ascii_lowercase().trim_end_matches('b') {
        "" => 1,
        "k" => 1 << 10,
        "m" => 1 << 20,
        "g" => 1 << 30,
        "t" => 1 << 40,
        _ => return Err(wrong(text)),
    };
    let number: u64 = digits.parse().map_err(|_| wrong(text))?;
    Ok(number.saturating_mul(unit))
}
