//! Lists in error messages.

/// Joins words: `a`, `a and b`, `a, b and c`.
pub(crate) fn list(words: &[impl AsRef<str>]) -> String {
    let words: Vec<&str> = words.iter().map(AsRef::as_ref).collect();
    match words[..] {
        [] => String::new(),
        [word] => word.to_owned(),
        [ref first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

/// Joins words as [`list`]. Of more than 8 words it writes the first 7 and the number of others.
pub(crate) fn shortened_list(words: impl ExactSizeIterator<Item = impl Into<String>>) -> String {
    /// The maximum number of words.
    const MAX_WORDS: usize = 8;
    let count = words.len();
    let shown = if count <= MAX_WORDS { MAX_WORDS } else { MAX_WORDS - 1 };
    let mut written: Vec<String> = words.take(shown).map(Into::into).collect();
    if count > MAX_WORDS {
        written.push(format!("{} more", count - shown));
    }
    list(&written)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lists_are_shortened() {
        let words = |count: u32| shortened_list((0..count).map(|word| word.to_string()));
        assert_eq!(words(0), "");
        assert_eq!(words(1), "0");
        assert_eq!(words(3), "0, 1 and 2");
        assert_eq!(words(8), "0, 1, 2, 3, 4, 5, 6 and 7");
        assert_eq!(words(9), "0, 1, 2, 3, 4, 5, 6 and 2 more");
    }
}
