//! A lexer for Rust that keeps identifiers and punctuation, and skips comments and literals.

/// An identifier, a keyword or one punctuation character.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Token<'a> {
    Word(&'a str),
    Mark(char),
}

/// Returns the tokens of a source file without comments, strings, characters, lifetimes and numbers.
///
/// A string leaves the mark `"` and a number the mark `0`, so that tokens on both sides do not become neighbours.
/// `O(length)`.
pub(crate) fn tokens(text: &str) -> Vec<Token<'_>> {
    let mut tokens = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let length = if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if rest.starts_with("/*") {
            block_comment(rest)
        } else if let Some(length) = string(rest) {
            tokens.push(Token::Mark('"'));
            length
        } else if first == '\'' {
            character_or_lifetime(rest)
        } else if first.is_ascii_digit() {
            tokens.push(Token::Mark('0'));
            word_length(rest)
        } else if first.is_alphabetic() || first == '_' {
            let length = word_length(rest);
            tokens.push(Token::Word(&rest[..length]));
            length
        } else {
            if !first.is_whitespace() {
                tokens.push(Token::Mark(first));
            }
            first.len_utf8()
        };
        rest = &rest[length..];
    }
    tokens
}

fn word_length(rest: &str) -> usize {
    rest.find(|letter: char| !(letter.is_alphanumeric() || letter == '_')).unwrap_or(rest.len())
}

/// Returns the length of a block comment; block comments nest.
fn block_comment(rest: &str) -> usize {
    let (mut depth, mut at) = (0_usize, 0);
    loop {
        let tail = &rest[at..];
        if tail.starts_with("/*") {
            (depth, at) = (depth + 1, at + 2);
        } else if tail.starts_with("*/") {
            (depth, at) = (depth - 1, at + 2);
        } else {
            at += tail.chars().next().map_or(0, char::len_utf8);
        }
        if depth == 0 || at >= rest.len() {
            return at;
        }
    }
}

/// Returns the length of a string literal of any kind, or `None` if `rest` does not begin with one.
fn string(rest: &str) -> Option<usize> {
    let prefix = ["br", "cr", "b", "c", "r", ""].into_iter().find(|&prefix| {
        let body = rest.strip_prefix(prefix).map(|body| body.trim_start_matches('#'));
        let hashes_fit = prefix.ends_with('r') || rest[prefix.len()..].starts_with('"');
        body.is_some_and(|body| body.starts_with('"')) && hashes_fit
    })?;
    if prefix.ends_with('r') {
        let body = &rest[prefix.len()..];
        let hashes = body.len() - body.trim_start_matches('#').len();
        let start = prefix.len() + hashes + 1;
        let end = format!("\"{}", "#".repeat(hashes));
        return Some(rest[start..].find(&end).map_or(rest.len(), |at| start + at + end.len()));
    }
    let start = prefix.len() + 1;
    let mut is_escaped = false;
    for (at, letter) in rest[start..].char_indices() {
        match letter {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            '"' => return Some(start + at + 1),
            _ => {}
        }
    }
    Some(rest.len())
}

/// Returns the length of a character literal such as `'a'` or `'\n'`, or of a lifetime such as `'a`.
fn character_or_lifetime(rest: &str) -> usize {
    let body = &rest[1..];
    if let Some(escaped) = body.strip_prefix('\\') {
        let skipped = escaped.chars().next().map_or(0, char::len_utf8);
        return escaped[skipped..].find('\'').map_or(rest.len(), |at| 2 + skipped + at + 1);
    }
    let first = body.chars().next().map_or(0, char::len_utf8);
    if body[first..].starts_with('\'') { 1 + first + 1 } else { 1 + word_length(body) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<&str> {
        let word = |token| if let Token::Word(word) = token { Some(word) } else { None };
        tokens(text).into_iter().filter_map(word).collect()
    }

    #[test]
    fn comments_and_strings_are_skipped() {
        assert_eq!(words("a // b\n/* c /* d */ e */ f \"g \\\" h\" i"), ["a", "f", "i"]);
        assert_eq!(words(r##"a r#"b " c"# br"d" b"e" f"##), ["a", "f"]);
    }

    #[test]
    fn characters_and_lifetimes_are_told_apart() {
        assert_eq!(words(r"a '\'' b 'c' d <'e> f '\u{41}' g '{' h"), ["a", "b", "d", "f", "g", "h"]);
    }

    #[test]
    fn raw_identifiers_are_words() {
        assert_eq!(words("r#type"), ["r", "type"]);
    }
}
