//! `cargo xtask count`: the size of the planning core, as a table.

use std::path::Path;

use anyhow::{Context, Result};

use crate::command::root;
use crate::text_file::{TextFile, text_files};
use crate::tidy::tokens::{Token, tokens};

/// The folders of the planning core.
const CORE: [&str; 7] = [
    "crates/construct/src",
    "crates/evolve/src",
    "crates/bounds/src",
    "crates/certificate/src",
    "crates/lockstep/src/planner",
    "crates/lockstep/src/front",
    "crates/lockstep/src/recovery",
];

/// A function with more parameters is long.
const MAX_PARAMETERS: usize = 5;

const NUMBERS: [&str; 14] =
    ["u8", "u16", "u32", "u64", "u128", "usize", "i8", "i16", "i32", "i64", "i128", "isize", "f32", "f64"];

/// The sizes of some source files, without their tests.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
struct Size {
    /// Number of lines, with comments and empty lines.
    lines: usize,
    /// Number of constants of a type with a number in it.
    constants: usize,
    /// Number of functions with more than [`MAX_PARAMETERS`] parameters. A tuple counts as its entries.
    long_functions: usize,
}

impl Size {
    fn of(text: &str) -> Self {
        let source = without_tests(text);
        let tokens = tokens(source);
        let parameters = tokens.iter().enumerate().filter(|(_, token)| **token == Token::Word("fn"));
        Self {
            lines: source.lines().count(),
            constants: numeric_constants(&tokens),
            long_functions: parameters.filter(|(at, _)| parameter_count(&tokens[*at..]) > MAX_PARAMETERS).count(),
        }
    }

    fn and(self, other: Self) -> Self {
        Self {
            lines: self.lines + other.lines,
            constants: self.constants + other.constants,
            long_functions: self.long_functions + other.long_functions,
        }
    }
}

/// Prints the table.
///
/// # Errors
///
/// If a file cannot be read, or if the list of rules is not found.
pub(crate) fn run() -> Result<()> {
    let files = text_files(&root())?;
    println!("| folder | lines | numeric constants | functions with more than {MAX_PARAMETERS} parameters |");
    println!("|---|---:|---:|---:|");
    let row = |name: &str, Size { lines, constants, long_functions }: Size| {
        println!("| {name} | {lines} | {constants} | {long_functions} |");
    };
    let mut total = Size::default();
    for folder in CORE {
        let sources = files.iter().filter(|file| file.path.starts_with(folder) && is_source(file));
        let size = sources.map(|file| Size::of(&file.text)).fold(Size::default(), Size::and);
        row(&format!("`{folder}`"), size);
        total = total.and(size);
    }
    row("together", total);
    let text_of = |path: &str| {
        let found = files.iter().find(|file| file.path == Path::new(path));
        found.map(|file| file.text.as_str()).with_context(|| format!("no file {path}"))
    };
    let rules = variants(text_of("crates/certificate/src/rule.rs")?, "Rule");
    let kinds = variants(text_of("crates/certificate/src/certificate.rs")?, "Certificate");
    println!("\nRules for lower bounds: {rules}. Kinds of certificates: {kinds}.");
    Ok(())
}

fn is_source(file: &TextFile) -> bool {
    let is_test = |part: &std::ffi::OsStr| part == "tests" || part == "tests.rs";
    file.has_extension("rs") && !file.path.iter().any(is_test)
}

/// Returns the text before the module of unit tests, which is the last item of a file.
fn without_tests(text: &str) -> &str {
    text.find("#[cfg(test)]\nmod tests {").map_or(text, |at| &text[..at])
}

/// Counts the constants with a number in their type, as `const NAME: [u32; 2] =`.
fn numeric_constants(tokens: &[Token<'_>]) -> usize {
    let starts = tokens.windows(3).enumerate().filter(
        |(_, window)| matches!(window, [Token::Word("const"), Token::Word(name), Token::Mark(':')] if *name != "fn"),
    );
    let is_numeric = |at: usize| {
        let of_type = tokens[at + 3..].iter().take_while(|token| **token != Token::Mark('='));
        of_type.into_iter().any(|token| matches!(token, Token::Word(word) if NUMBERS.contains(word)))
    };
    // A constant parameter of a type, `<const K: usize>`, has a mark before it.
    let is_item = |at: usize| at == 0 || !matches!(tokens[at - 1], Token::Mark('<' | ','));
    starts.filter(|&(at, _)| is_item(at) && is_numeric(at)).count()
}

/// Counts the parameters of a function, with `self`. `tokens` begins at `fn`. A tuple counts as its entries.
fn parameter_count(tokens: &[Token<'_>]) -> usize {
    // The parameters of its types come first: `fn name<F: Fn(u32)>(`.
    let mut angles = 0;
    let mut open = None;
    for (at, pair) in tokens.windows(2).enumerate() {
        match pair[1] {
            Token::Mark('<') => angles += 1,
            Token::Mark('>') if pair[0] != Token::Mark('-') => angles -= 1,
            Token::Mark('(') if angles == 0 => {
                open = Some(at + 1);
                break;
            }
            Token::Mark('{' | ';') => break,
            _ => {}
        }
    }
    open.map_or(0, |open| entries(&tokens[open..]).iter().map(|entry| weight(entry)).sum())
}

/// Returns the entries between a bracket at the beginning and its end, divided at commas.
fn entries<'a, 't>(tokens: &'a [Token<'t>]) -> Vec<&'a [Token<'t>]> {
    let (mut entries, mut depth, mut start) = (Vec::new(), 0, 1);
    for (at, token) in tokens.iter().enumerate() {
        let is_arrow = at > 0 && matches!(tokens[at - 1], Token::Mark('-' | '='));
        match token {
            Token::Mark('(' | '[' | '{' | '<') => depth += 1,
            Token::Mark('>') if is_arrow => {}
            Token::Mark(')' | ']' | '}' | '>') => depth -= 1,
            _ => {}
        }
        if depth == 0 || depth == 1 && *token == Token::Mark(',') {
            if start < at {
                entries.push(&tokens[start..at]);
            }
            start = at + 1;
        }
        if depth == 0 {
            break;
        }
    }
    entries
}

/// Returns the number of entries of the type of a parameter if it is a tuple, and 1 otherwise.
fn weight(parameter: &[Token<'_>]) -> usize {
    let is_colon = |at: usize| {
        parameter[at] == Token::Mark(':')
            && parameter.get(at + 1) != Some(&Token::Mark(':'))
            && (at == 0 || parameter[at - 1] != Token::Mark(':'))
    };
    let of_type = (0..parameter.len()).find(|&at| is_colon(at)).map_or(&[][..], |at| &parameter[at + 1..]);
    if of_type.first() == Some(&Token::Mark('(')) { entries(of_type).len().max(1) } else { 1 }
}

/// Counts the variants of an enumeration.
fn variants(text: &str, name: &str) -> usize {
    let tokens = tokens(text);
    let head = [Token::Word("enum"), Token::Word(name), Token::Mark('{')];
    let Some(at) = tokens.windows(3).position(|window| window == head) else { return 0 };
    entries(&tokens[at + 2..]).len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parameters(text: &str) -> usize {
        parameter_count(&tokens(text))
    }

    #[test]
    fn a_tuple_counts_as_its_entries() {
        assert_eq!(parameters("fn f()"), 0);
        assert_eq!(parameters("fn f(&self, a: u32,) -> (u32, u32) {}"), 2);
        assert_eq!(parameters("fn f<F: Fn(u32, u32) -> u8>(a: Map<u8, u8>, visit: impl Fn(u8, u8) -> u8)"), 2);
        assert_eq!(parameters("fn f((a, b): (u32, Vec<(u8, u8)>), [c, d]: [u64; 2])"), 3);
    }

    #[test]
    fn constants_of_other_types_do_not_count() {
        let count = |text: &str| numeric_constants(&tokens(text));
        assert_eq!(count("const A: u32 = 1; pub(crate) const B: [f64; 2] = [0.5; 2];"), 2);
        assert_eq!(count("const NAME: &str = \"u32\"; const fn f() -> u32 { 1 } fn g<const K: usize>() {}"), 0);
    }

    #[test]
    fn tests_do_not_count() {
        let size = Size::of("const A: u32 = 1;\n\n#[cfg(test)]\nmod tests {\n    const B: u32 = 1;\n}\n");
        assert_eq!(size, Size { lines: 2, constants: 1, long_functions: 0 });
    }

    #[test]
    fn variants_with_fields_count_once() {
        assert_eq!(variants("enum Other { X } enum Kind { A { a: u32, b: u32 }, B(u8, u8), C }", "Kind"), 3);
    }
}
