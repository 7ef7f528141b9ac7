//! Names that people type: which ones are equal, the choice of one by its beginning, and advice for a wrong one.

use crate::quote::one_line;

/// Longest name that is compared with others.
const MAX_LENGTH: usize = 40;

/// Largest number of names in an advice.
const MAX_SUGGESTIONS: usize = 4;

/// Returns true if two names differ only in case, hyphens, underscores and spaces.
///
/// ```
/// assert!(lockstep_files::is_same_name("ALL_REDUCE", "all-reduce") && lockstep_files::is_same_name("btree", "b-tree"));
/// ```
pub fn is_same_name(one: &str, other: &str) -> bool {
    letters(one).eq(letters(other))
}

/// Returns the characters of a name that count.
fn letters(name: &str) -> impl Iterator<Item = char> {
    name.chars().filter(|c| !matches!(c, '-' | '_' | ' ')).map(|c| c.to_ascii_lowercase())
}

/// Returns the name that a word stands for: the same name, the first one whose first words it is, or the only one that begins
/// with it. Words of a name are separated by hyphens.
///
/// ```
/// use lockstep_files::name_chosen;
///
/// let formats = ["msccl-xml", "mscclpp-json", "mpi-c"];
/// assert_eq!(name_chosen("mpi", formats)?, "mpi-c");
/// assert_eq!(name_chosen("msccl", formats)?, "msccl-xml");
/// assert_eq!(name_chosen("msc", formats).unwrap_err().to_string(), "'msc' can be msccl-xml or mscclpp-json; write more of it");
/// # Ok::<(), lockstep_files::NameError>(())
/// ```
///
/// # Errors
///
/// [`NameError`] if the word stands for no name, or for several.
pub fn name_chosen<'a>(word: &str, names: impl IntoIterator<Item = &'a str>) -> Result<&'a str, NameError> {
    let names: Vec<&str> = names.into_iter().collect();
    if let Some(name) = names.iter().find(|name| is_same_name(name, word)) {
        return Ok(name);
    }
    let word_letters: String = letters(word).collect();
    let begins = |name: &str| !word_letters.is_empty() && letters(name).collect::<String>().starts_with(&word_letters);
    let has_words = |name: &str| name.match_indices('-').any(|(end, _)| is_same_name(&name[..end], word));
    if let Some(name) = names.iter().find(|name| has_words(name)) {
        return Ok(name);
    }
    let candidates: Vec<&str> = names.iter().copied().filter(|name| begins(name)).collect();
    match candidates[..] {
        [name] => Ok(name),
        [] => Err(NameError::Unknown { word: one_line(word), advice: name_advice(word, names) }),
        _ => Err(NameError::Ambiguous { word: one_line(word), names: joined(&candidates) }),
    }
}

/// Why a word stands for no name.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum NameError {
    /// No name begins with the word.
    #[error("there is no '{word}'; {advice}")]
    Unknown {
        /// The word on one line.
        word: String,
        /// Similar names, or all names.
        advice: String,
    },
    /// Several names begin with the word.
    #[error("'{word}' can be {names}; write more of it")]
    Ambiguous {
        /// The word on one line.
        word: String,
        /// The names that begin with it.
        names: String,
    },
}

/// Returns the advice for a word that is no name: similar names as [`did_you_mean`] writes them, otherwise all names.
///
/// ```
/// let engines = ["auto", "analytic", "construct"];
/// assert_eq!(lockstep_files::name_advice("contsruct", engines), "did you mean 'construct'?");
/// assert_eq!(lockstep_files::name_advice("magic", engines), "choose auto, analytic or construct");
/// ```
pub fn name_advice<'a>(word: &str, names: impl IntoIterator<Item = &'a str>) -> String {
    let names: Vec<&str> = names.into_iter().collect();
    did_you_mean(word, names.iter().copied()).unwrap_or_else(|| format!("choose {}", joined(&names)))
}

/// Returns the question `did you mean 'NAME'?` with the names nearest to a word; `None` if no name is [near](nearest_names).
pub fn did_you_mean<'a>(word: &str, names: impl IntoIterator<Item = &'a str>) -> Option<String> {
    let nearest = nearest_names(word, names);
    (!nearest.is_empty()).then(|| format!("did you mean '{}'?", nearest.join("' or '")))
}

/// Returns the names nearest to a word, at most 4: those that begin with it, otherwise those with the fewest typing mistakes if
/// these are at most a third of the length, otherwise those that contain it, otherwise those with the fewest mistakes in their
/// first words.
///
/// A typing mistake is a missing, additional or wrong letter, or two letters in the wrong order: the restricted
/// Damerau-Levenshtein distance. `O(names * length^2)`.
///
/// ```
/// assert_eq!(lockstep_files::nearest_names("mseh", ["ring", "mesh", "torus"]), ["mesh"]);
/// ```
pub fn nearest_names<'a>(word: &str, names: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
    let word: Vec<char> = letters(word).take(MAX_LENGTH + 1).collect();
    let length = word.len();
    if length == 0 || length > MAX_LENGTH {
        return Vec::new();
    }
    let limit = (length + 1) / 3;
    let (mut similar, mut similar_words) = (Nearest::within(limit), Nearest::within(limit));
    let [mut beginning, mut containing] = [const { Vec::new() }; 2];
    for name in names {
        let letters: Vec<char> = letters(name).take(MAX_LENGTH + 1).collect();
        if length > 1 && letters.starts_with(&word) {
            beginning.push(name);
        }
        if length > 2 && letters.windows(length).any(|part| part == word) {
            containing.push(name);
        }
        similar.see(name, &word, &letters);
        for (end, _) in name.match_indices('-').take_while(|(end, _)| *end <= MAX_LENGTH) {
            similar_words.see(name, &word, &self::letters(&name[..end]).collect::<Vec<_>>());
        }
    }
    let lists = [beginning, similar.names, containing, similar_words.names];
    let mut nearest = lists.into_iter().find(|names| !names.is_empty()).unwrap_or_default();
    nearest.truncate(MAX_SUGGESTIONS);
    nearest
}

/// The names with the fewest typing mistakes so far.
struct Nearest<'a> {
    mistakes: usize,
    names: Vec<&'a str>,
}

impl<'a> Nearest<'a> {
    /// No names yet, and at most `limit` mistakes.
    const fn within(limit: usize) -> Self {
        Self { mistakes: limit, names: Vec::new() }
    }

    /// Adds a name, if the mistakes between a word and the letters, which are those of the name or of its first words, are few.
    fn see(&mut self, name: &'a str, word: &[char], letters: &[char]) {
        if letters.len().abs_diff(word.len()) > self.mistakes {
            return;
        }
        let mistakes = mistakes(word, letters);
        if mistakes < self.mistakes {
            *self = Self::within(mistakes);
        }
        if mistakes == self.mistakes && self.names.last() != Some(&name) {
            self.names.push(name);
        }
    }
}

/// Computes the restricted Damerau-Levenshtein distance of two texts in `O(len(a) * len(b))` time.
fn mistakes(a: &[char], b: &[char]) -> usize {
    let mut before: Vec<usize> = Vec::new();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, &x) in a.iter().enumerate() {
        let mut next = vec![i + 1; b.len() + 1];
        for (j, &y) in b.iter().enumerate() {
            let substituted = row[j] + usize::from(x != y);
            next[j + 1] = substituted.min(row[j + 1] + 1).min(next[j] + 1);
            if i > 0 && j > 0 && x == b[j - 1] && a[i - 1] == y {
                next[j + 1] = next[j + 1].min(before[j - 1] + 1);
            }
        }
        before = std::mem::replace(&mut row, next);
    }
    row[b.len()]
}

/// Joins names with commas and "or".
fn joined(names: &[&str]) -> String {
    match names {
        [] => String::new(),
        [only] => (*only).to_owned(),
        [before @ .., last] => format!("{} or {last}", before.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn two_letters_in_the_wrong_order_are_one_mistake() {
        let distance = |a: &str, b: &str| mistakes(&a.chars().collect::<Vec<_>>(), &b.chars().collect::<Vec<_>>());
        let known =
            [("mseh", "mesh", 1), ("ca", "abc", 3), ("", "abc", 3), ("kitten", "sitting", 3), ("ring", "ring", 0)];
        for (a, b, expected) in known {
            assert_eq!((distance(a, b), distance(b, a)), (expected, expected), "{a} {b}");
        }
    }

    #[test]
    fn names_that_begin_with_the_word_come_first() {
        let families = ["dgx-1", "dgx-a100", "fat-tree", "full-b-tree"];
        assert_eq!(nearest_names("dgx", families), ["dgx-1", "dgx-a100"]);
        assert_eq!(nearest_names("fta-tree", families), ["fat-tree"]);
        assert_eq!(nearest_names("tree", families), ["fat-tree", "full-b-tree"]);
        assert_eq!(nearest_names("dgy", families), ["dgx-1", "dgx-a100"]);
        assert_eq!(nearest_names("fulb-tre", families), ["full-b-tree"]);
        assert!(nearest_names("", families).is_empty() && nearest_names("omega", families).is_empty());
        assert!(nearest_names(&"x".repeat(1 << 20), families).is_empty());
    }

    #[test]
    fn a_beginning_stands_for_a_name_if_no_other_one_has_it() {
        let formats = ["goal", "goal-binary", "msccl-xml", "msccl-json", "mpi-c"];
        assert_eq!(name_chosen("msccl", formats), Ok("msccl-xml"));
        assert_eq!(name_chosen("GOAL", formats), Ok("goal"));
        assert_eq!(name_chosen("goalb", formats), Ok("goal-binary"));
        assert_eq!(name_chosen("mpi_c", formats), Ok("mpi-c"));
        let message = |word: &str| name_chosen(word, formats).unwrap_err().to_string();
        assert_eq!(message("m"), "'m' can be msccl-xml, msccl-json or mpi-c; write more of it");
        assert_eq!(message("gaol"), "there is no 'gaol'; did you mean 'goal'?");
        assert!(message("").contains("choose goal, goal-binary, msccl-xml, msccl-json or mpi-c"));
    }

    proptest! {
        #[test]
        fn one_mistake_in_a_long_name_is_forgiven(name in "[a-z]{6,12}", at: prop::sample::Index, mistake in 0..3usize) {
            let mut typed: Vec<char> = name.chars().collect();
            let at = at.index(typed.len() - 1);
            match mistake {
                0 => _ = typed.remove(at),
                1 => typed.swap(at, at + 1),
                _ => typed.insert(at, '~'),
            }
            let typed: String = typed.into_iter().collect();
            prop_assert_eq!(nearest_names(&typed, [name.as_str(), "0123456789"]), [name.as_str()]);
        }

        #[test]
        fn any_word_has_an_advice_of_one_line(word: String, names in prop::collection::vec("[a-z-]{0,9}", 0..5)) {
            let message = name_chosen(&word, names.iter().map(String::as_str)).map_or_else(|error| error.to_string(), str::to_owned);
            prop_assert!(!message.contains('\n'));
        }
    }
}
