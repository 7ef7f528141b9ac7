//! Host lists: names with ranges of numbers in brackets, as Slurm and SimGrid write them.

use super::error::FileFault;
use crate::text::excerpt;

/// The maximum number of names of a list, that of Slurm.
pub(super) const MAX_NAMES: usize = 1 << 16;

/// The maximum length in bytes of a name that comes from a range. Host names have at most 253 (RFC 1035).
const MAX_LENGTH: usize = 255;

/// The maximum number of digits of a number, those of 2^64.
const MAX_DIGITS: usize = 20;

const TOO_MANY: FileFault = FileFault::Unsupported(
    "the host list has more than 65536 names; split it over several lines, or correct its ranges",
);

const TOO_LONG: FileFault =
    FileFault::Unsupported("the name with a range is longer than 255 characters; use a shorter name");

const TOO_MANY_DIGITS: FileFault =
    FileFault::Unsupported("a number of the host list has more than 20 digits; use fewer leading zeros");

/// Returns the names of a list such as `node[001-064,070],login`.
///
/// A name may have several pairs of brackets; the last one counts fastest. Numbers keep their leading zeros.
///
/// # Errors
///
/// If the list is malformed, has more than [`MAX_NAMES`] names, or names from ranges of more than [`MAX_LENGTH`] bytes.
/// So the names take at most 17 MB more than the list.
pub(super) fn expand(list: &str) -> Result<Vec<String>, FileFault> {
    let mut names = Vec::new();
    for word in words(list).filter(|word| !word.is_empty()) {
        let (mut heads, mut longest, mut rest) = (vec![String::new()], 0, word);
        while let Some(open) = rest.find('[') {
            let close = rest[open..].find(']').map(|at| at + open).ok_or_else(|| malformed(word))?;
            let numbers = numbers(&rest[open + 1..close], word)?;
            if heads.len().saturating_mul(numbers.len()) > MAX_NAMES {
                return Err(TOO_MANY);
            }
            let head = &rest[..open];
            longest += open + numbers.iter().map(String::len).max().unwrap_or(0);
            check_length(longest)?;
            heads = heads.iter().flat_map(|first| numbers.iter().map(move |n| format!("{first}{head}{n}"))).collect();
            rest = &rest[close + 1..];
        }
        if rest.contains(']') {
            return Err(malformed(word));
        }
        if longest > 0 {
            check_length(longest + rest.len())?;
        }
        if names.len() + heads.len() > MAX_NAMES {
            return Err(TOO_MANY);
        }
        names.extend(heads.into_iter().map(|head| head + rest));
    }
    Ok(names)
}

/// Refuses names from a range that are longer than [`MAX_LENGTH`] bytes.
pub(super) fn check_length(longest: usize) -> Result<(), FileFault> {
    if longest > MAX_LENGTH { Err(TOO_LONG) } else { Ok(()) }
}

/// Splits a list at the commas outside of brackets.
fn words(list: &str) -> impl Iterator<Item = &str> {
    let mut is_inside = false;
    list.split(move |c| {
        match c {
            '[' => is_inside = true,
            ']' => is_inside = false,
            _ => {}
        }
        c == ',' && !is_inside
    })
}

/// Returns the numbers of `001-064,070` as they are written.
pub(super) fn numbers(ranges: &str, word: &str) -> Result<Vec<String>, FileFault> {
    let mut numbers = Vec::new();
    for range in ranges.split(',') {
        let (first, last) = range.split_once('-').unwrap_or((range, range));
        let (first, last) = (first.trim(), last.trim());
        let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        let ends = (first.parse::<u64>(), last.parse::<u64>());
        let (Ok(from), Ok(to)) = ends else { return Err(malformed(word)) };
        if !is_number(first) || !is_number(last) || from > to {
            return Err(malformed(word));
        }
        if first.len().max(last.len()) > MAX_DIGITS {
            return Err(TOO_MANY_DIGITS);
        }
        if to - from >= (MAX_NAMES - numbers.len()) as u64 {
            return Err(TOO_MANY);
        }
        let width = if first.starts_with('0') { first.len() } else { 0 };
        numbers.extend((from..=to).map(|number| format!("{number:0width$}")));
    }
    Ok(numbers)
}

fn malformed(word: &str) -> FileFault {
    let found = format!("'{}'", excerpt(word));
    FileFault::Unexpected { found, expected: "a host list such as node[001-064,070]" }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_keep_leading_zeros() {
        let names = |list| expand(list).unwrap().join(" ");
        assert_eq!(names("tux[0-2,11]"), "tux0 tux1 tux2 tux11");
        assert_eq!(names("n[008-010]x,login"), "n008x n009x n010x login");
        assert_eq!(names("r[1-2]n[0-1]"), "r1n0 r1n1 r2n0 r2n1");
        assert_eq!(names("a,,b"), "a b");
    }

    #[test]
    fn malformed_and_huge_lists_are_refused() {
        for (list, expected) in [
            ("a[1-", "found 'a[1-'"),
            ("a]1", "found 'a]1'"),
            ("a[2-1]", "found 'a[2-1]'"),
            ("a[x]", "found 'a[x]'"),
            ("a[1-+2]", "found 'a[1-+2]'"),
            ("a[]", "found 'a[]'"),
            ("a[0-18446744073709551615]", "more than 65536 names"),
            ("a[0-999][0-999]", "more than 65536 names"),
            ("a[0-65535],b", "more than 65536 names"),
            (&*format!("a[0-{}7]", "0".repeat(65_535)), "more than 20 digits"),
            (&*format!("{}[0-1]", "a".repeat(255)), "longer than 255 characters"),
            (&*format!("[0-1]{}", "a".repeat(65_536)), "longer than 255 characters"),
            (&*"[0]".repeat(1 << 16), "longer than 255 characters"),
        ] {
            let message = expand(list).unwrap_err().to_string();
            assert!(message.contains(expected), "{list}: {message}");
        }
        assert_eq!(expand("a[0-65535]").unwrap().len(), MAX_NAMES);
        assert_eq!(expand(&format!("{}[8-9]", "a".repeat(254))).unwrap()[1].len(), MAX_LENGTH);
        assert_eq!(expand(&"a".repeat(65_536)).unwrap()[0].len(), 65_536);
    }
}
