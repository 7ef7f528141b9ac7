//! The lexer of DOT.

use std::borrow::Cow;

use crate::format::error::{FileFault, ReadError};
use crate::text::excerpt;

/// A token of DOT.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum DotToken<'a> {
    /// Letters and digits without quotes: a keyword or an id.
    Word(&'a str),
    /// A number, a quoted string or HTML: always an id.
    Id(Cow<'a, str>),
    /// `->` (true) or `--`.
    EdgeOperator(bool),
    /// A bracket or separator.
    Sign(char),
    /// The end of the text.
    End,
}

impl DotToken<'_> {
    /// Returns true if it is this keyword, in any case.
    pub(super) fn is(&self, keyword: &str) -> bool {
        matches!(self, Self::Word(word) if word.eq_ignore_ascii_case(keyword))
    }

    /// Returns the token in quotes for an error.
    pub(super) fn quoted(&self) -> String {
        match self {
            Self::Word(word) => format!("'{}'", excerpt(word)),
            Self::Id(id) => format!("'{}'", excerpt(id)),
            Self::EdgeOperator(true) => "'->'".to_owned(),
            Self::EdgeOperator(false) => "'--'".to_owned(),
            Self::Sign(sign) => format!("'{sign}'"),
            Self::End => "the end of the file".to_owned(),
        }
    }
}

/// Splits a text into tokens.
#[derive(Clone, Debug)]
pub(super) struct DotLexer<'a> {
    rest: &'a str,
    /// The line of `rest`, counted from 1.
    line: usize,
    /// True if `rest` begins a line.
    at_line_start: bool,
}

impl<'a> DotLexer<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self { rest: text, line: 1, at_line_start: true }
    }

    /// Returns the current line, counted from 1.
    pub(super) fn line(&self) -> usize {
        self.line
    }

    pub(super) fn next(&mut self) -> Result<DotToken<'a>, ReadError> {
        self.skip_blanks()?;
        let Some(first) = self.rest.chars().next() else { return Ok(DotToken::End) };
        match first {
            '"' => self.string(),
            '<' => self.html(),
            '{' | '}' | '[' | ']' | ';' | ',' | '=' | ':' | '+' => {
                self.take(1);
                Ok(DotToken::Sign(first))
            }
            '-' if self.rest.starts_with("->") || self.rest.starts_with("--") => {
                let operator = self.take(2);
                Ok(DotToken::EdgeOperator(operator == "->"))
            }
            '-' | '.' | '0'..='9' => self.number(),
            _ if is_letter(first) => {
                let end = self.rest.find(|c| !is_letter(c) && !c.is_ascii_digit()).unwrap_or(self.rest.len());
                Ok(DotToken::Word(self.take(end)))
            }
            _ => Err(self.unexpected(first.len_utf8())),
        }
    }

    /// Skips white space, comments, and lines that begin with `#`.
    fn skip_blanks(&mut self) -> Result<(), ReadError> {
        loop {
            let blank = self.rest.len() - self.rest.trim_start().len();
            if blank > 0 {
                self.take(blank);
            } else if self.rest.starts_with("//") || (self.at_line_start && self.rest.starts_with('#')) {
                self.take(self.rest.find('\n').unwrap_or(self.rest.len()));
            } else if self.rest.starts_with("/*") {
                let end = self.rest.find("*/");
                let unclosed = FileFault::Unsupported("the comment that starts here is not closed; close it with '*/'");
                self.take(end.ok_or_else(|| ReadError::line(self.line, unclosed))? + 2);
            } else {
                return Ok(());
            }
        }
    }

    /// Reads a number: `-`? digits and at most one dot. It must not be followed by a letter, digit or dot: `10.0.0.1`
    /// and `2b` are errors rather than two ids.
    fn number(&mut self) -> Result<DotToken<'a>, ReadError> {
        let digits = |text: &str| text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
        let sign = usize::from(self.rest.starts_with('-'));
        let whole = digits(&self.rest[sign..]);
        let mut end = sign + whole;
        let mut has_digits = whole > 0;
        if self.rest[end..].starts_with('.') {
            let fraction = digits(&self.rest[end + 1..]);
            has_digits |= fraction > 0;
            end += 1 + fraction;
        }
        let continues = |c: char| is_letter(c) || c.is_ascii_digit() || c == '.';
        if !has_digits || self.rest[end..].starts_with(continues) {
            let word = self.rest[end..].find(|c| !continues(c)).map_or(self.rest.len(), |more| end + more);
            return Err(self.unexpected(word));
        }
        Ok(DotToken::Id(Cow::Borrowed(self.take(end))))
    }

    /// Reads a string in double quotes. As in Graphviz, `\"` is a quote, a backslash before a line break removes both,
    /// and other backslashes are kept.
    fn string(&mut self) -> Result<DotToken<'a>, ReadError> {
        let body = &self.rest[1..];
        let (mut owned, mut kept) = (String::new(), 0);
        let mut bytes = body.bytes().enumerate();
        while let Some((at, byte)) = bytes.next() {
            if byte == b'"' {
                self.take(at + 2);
                let id = if owned.is_empty() && kept == 0 {
                    Cow::Borrowed(&body[..at])
                } else {
                    owned.push_str(&body[kept..at]);
                    Cow::Owned(owned)
                };
                return Ok(DotToken::Id(id));
            }
            if byte != b'\\' {
                continue;
            }
            match bytes.next() {
                Some((_, b'"')) => {
                    owned.push_str(&body[kept..at]);
                    kept = at + 1;
                }
                Some((next, b'\n')) => {
                    owned.push_str(&body[kept..at]);
                    kept = next + 1;
                }
                _ => {}
            }
        }
        let unclosed = "the quoted string that starts here is not closed; close it with '\"'";
        Err(ReadError::line(self.line, FileFault::Unsupported(unclosed)))
    }

    /// Reads HTML in balanced angle brackets. The brackets are kept, because Graphviz distinguishes `<a>` from `a`.
    fn html(&mut self) -> Result<DotToken<'a>, ReadError> {
        let mut depth = 0usize;
        for (at, byte) in self.rest.bytes().enumerate() {
            match byte {
                b'<' => depth += 1,
                b'>' => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                return Ok(DotToken::Id(Cow::Borrowed(self.take(at + 1))));
            }
        }
        let unclosed = "the HTML string that starts here is not closed; close it with '>'";
        Err(ReadError::line(self.line, FileFault::Unsupported(unclosed)))
    }

    fn unexpected(&self, length: usize) -> ReadError {
        let found = format!("'{}'", excerpt(&self.rest[..length]));
        let expected = "an id; put it in double quotes if it is neither a word nor a number";
        ReadError::line(self.line, FileFault::Unexpected { found, expected })
    }

    fn take(&mut self, length: usize) -> &'a str {
        let (taken, rest) = self.rest.split_at(length);
        self.rest = rest;
        self.line += taken.bytes().filter(|&byte| byte == b'\n').count();
        self.at_line_start = if taken.is_empty() { self.at_line_start } else { taken.ends_with('\n') };
        taken
    }
}

fn is_letter(c: char) -> bool {
    c.is_ascii_alphabetic() || c == '_' || (!c.is_ascii() && !c.is_whitespace() && !c.is_control())
}
