//! The part of XML that the parser of NCCL supports.
//!
//! # Source
//!
//! `src/graph/xml.cc` of github.com/NVIDIA/nccl, whose parser is not one of XML: it refuses a declaration, tabs, and line breaks
//! inside of a tag.

use lockstep_files::one_line;

use crate::format::error::{FormatError, FormatFault};

/// The maximum number of attributes of an element. A second blank between attributes counts as an attribute.
const MAX_ATTRIBUTES: usize = 16;

/// The maximum length of a name or value in bytes.
const MAX_LENGTH: usize = 253;

/// A tag that opens an element.
#[derive(Debug)]
pub(super) struct Tag<'a> {
    /// The line of the tag.
    pub(super) line: usize,
    /// The name of the element.
    pub(super) name: &'a str,
    /// The attributes with their values, in the order of the file.
    pub(super) attributes: Vec<(&'a str, &'a str)>,
    /// Whether the tag ends with `/>`.
    pub(super) is_closed: bool,
}

/// A tag.
#[derive(Debug)]
pub(super) enum Piece<'a> {
    Open(Tag<'a>),
    /// The name of an element that ends here.
    Close(&'a str),
    End,
}

/// The tags of a text.
pub(super) struct Scanner<'a> {
    text: &'a str,
    at: usize,
    line: usize,
}

impl<'a> Scanner<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self { text, at: 0, line: 1 }
    }

    /// Returns the line of the current position.
    pub(super) fn line(&self) -> usize {
        self.line
    }

    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    /// Skips a number of bytes.
    fn skip(&mut self, length: usize) {
        self.line += self.rest()[..length].bytes().filter(|&byte| byte == b'\n').count();
        self.at += length;
    }

    /// Returns the next tag. Comments are skipped.
    pub(super) fn next(&mut self) -> Result<Piece<'a>, FormatError> {
        loop {
            let rest = self.rest();
            self.skip(rest.len() - rest.trim_start_matches([' ', '\n', '\r']).len());
            let rest = self.rest();
            if rest.is_empty() {
                return Ok(Piece::End);
            }
            if rest.starts_with("<!--") {
                self.skip_comment()?;
            } else if let Some(close) = rest.strip_prefix("</") {
                return self.close(close);
            } else if rest.starts_with('<') {
                return self.open().map(Piece::Open);
            } else {
                let found = rest.split('<').next().unwrap_or_default().trim_end_matches([' ', '\n', '\r']);
                let expected = if found.trim().is_empty() {
                    "'<'; NCCL refuses tabs: replace them by blanks"
                } else {
                    "'<'; NCCL refuses text between elements: remove it"
                };
                return Err(FormatError::unexpected(self.line, found, expected));
            }
        }
    }

    /// Skips a comment. The first word of a comment is a name for NCCL, so it contains no `=`.
    fn skip_comment(&mut self) -> Result<(), FormatError> {
        let rest = self.rest();
        let word = rest[4..].split([' ', '>', '/', '\n', '\r']).next().unwrap_or_default();
        if word.contains('=') || word.len() > MAX_LENGTH - 3 {
            let expected = "a blank after '<!--'; NCCL takes the first word of a comment for a name";
            return Err(FormatError::unexpected(self.line, &format!("<!--{word}"), expected));
        }
        let Some(end) = rest[4..].find("-->") else {
            return Err(FormatError::unexpected(self.line, "<!--", "the end of the comment, '-->'"));
        };
        self.skip(4 + end + 3);
        Ok(())
    }

    /// Reads a closing tag, from its name on.
    fn close(&mut self, after: &'a str) -> Result<Piece<'a>, FormatError> {
        let name = after.split([' ', '>', '/', '\n', '\r']).next().unwrap_or_default();
        if !after[name.len()..].starts_with('>') {
            let expected = "'>' directly after the name, without a blank";
            return Err(FormatError::unexpected(self.line, &format!("</{}", first_line(after)), expected));
        }
        self.skip(2 + name.len() + 1);
        Ok(Piece::Close(name))
    }

    /// Reads an opening tag.
    fn open(&mut self) -> Result<Tag<'a>, FormatError> {
        let line = self.line;
        self.skip(1);
        let name = self.rest().split([' ', '>', '/', '\n', '\r', '=']).next().unwrap_or_default();
        if name.starts_with(['?', '!']) {
            let expected = "an element; NCCL refuses declarations: remove it";
            return Err(FormatError::unexpected(line, &format!("<{name}"), expected));
        }
        if name.is_empty() || name.len() > MAX_LENGTH || name.contains('\t') {
            let expected = "a name of at most 253 bytes directly after '<'";
            return Err(FormatError::unexpected(line, &format!("<{name}"), expected));
        }
        self.skip(name.len());
        let mut attributes: Vec<(&str, &str)> = Vec::new();
        let mut count = 0;
        let is_closed = loop {
            let rest = self.rest();
            if rest.starts_with('>') {
                self.skip(1);
                break false;
            } else if rest.starts_with("/>") {
                self.skip(2);
                break true;
            } else if !rest.starts_with(' ') {
                let expected = "'>', '/>' or a blank; NCCL needs all attributes in one line, with blanks between";
                return Err(FormatError::unexpected(self.line, first_line(rest), expected));
            }
            self.skip(1);
            // NCCL reads an empty attribute between two blanks.
            if self.rest().starts_with('/') {
                continue;
            }
            count += 1;
            if self.rest().starts_with([' ', '>']) {
                continue;
            }
            let (key, value) = self.attribute()?;
            if attributes.iter().any(|&(earlier, _)| earlier == key) {
                let expected = "each attribute once; NCCL ignores the second value";
                return Err(FormatError::unexpected(line, key, expected));
            }
            attributes.push((key, value));
        };
        if count > MAX_ATTRIBUTES {
            let what = "attributes and blanks in a tag";
            let remedy = "write one blank between attributes";
            let limit = MAX_ATTRIBUTES;
            return Err(FormatError::new(line, FormatFault::Limit { what, count, library: "NCCL", limit, remedy }));
        }
        Ok(Tag { line, name, attributes, is_closed })
    }

    /// Reads an attribute with its value.
    fn attribute(&mut self) -> Result<(&'a str, &'a str), FormatError> {
        let (line, rest) = (self.line, self.rest());
        let unexpected = |expected: &str| FormatError::unexpected(line, first_line(rest), expected);
        let key = rest.split([' ', '>', '/', '\n', '\r', '=', '\t']).next().unwrap_or_default();
        let quoted = rest[key.len()..].strip_prefix('=').filter(|_| !key.is_empty());
        let quoted = quoted.ok_or_else(|| unexpected("an attribute such as id=\"0\", without blanks around '='"))?;
        let quote = quoted.chars().next().filter(|quote| matches!(quote, '"' | '\''));
        let quote = quote.ok_or_else(|| unexpected("a value in quotes"))?;
        let value = quoted[1..].split(quote).next().unwrap_or_default();
        if !quoted[1 + value.len()..].starts_with(quote) || value.contains(['\n', '\r']) {
            return Err(unexpected("a value that ends with a quote in the same line"));
        }
        if key.len() > MAX_LENGTH || value.len() > MAX_LENGTH {
            return Err(unexpected("names and values of at most 253 bytes"));
        }
        self.skip(key.len() + 1 + 1 + value.len() + 1);
        Ok((key, value))
    }
}

impl<'a> Tag<'a> {
    /// Returns the value of an attribute.
    pub(super) fn get(&self, name: &str) -> Option<&'a str> {
        self.attributes.iter().find(|&&(key, _)| key == name).map(|&(_, value)| value)
    }

    /// Verifies that the tag has no other attributes than these.
    pub(super) fn check_names(&self, known: &[&str]) -> Result<(), FormatError> {
        match self.attributes.iter().find(|(key, _)| !known.contains(key)) {
            None => Ok(()),
            Some((key, _)) => {
                let expected = format!("the attributes {}; NCCL ignores others: remove it", known.join(", "));
                Err(FormatError::unexpected(self.line, key, expected))
            }
        }
    }

    /// Returns the quoted name of the tag for a message.
    pub(super) fn shown(&self) -> String {
        format!("<{}>", one_line(self.name))
    }
}

/// Returns the text up to the end of its line.
fn first_line(text: &str) -> &str {
    let line = text.split('\n').next().unwrap_or_default();
    if line.is_empty() { "a line break" } else { line }
}
