//! The reader of elements, as strict as the one of the runtimes: it is no complete XML reader.

use std::fmt::Display;
use std::ops::RangeInclusive;
use std::str::FromStr;

use crate::error::{LoadError, LoadProblem};

/// Greatest number of attributes of an element.
const MAX_ATTRIBUTES: usize = 16;

/// Greatest length of a name or a value in bytes.
const MAX_LENGTH: usize = 255;

const REMEDY: (&str, &str) = ("the parser", "shorten the element");

/// The start of an element, or an element without contents.
pub(super) struct Element<'a> {
    pub(super) name: &'a str,
    pub(super) line: usize,
    /// True for `<name …/>`.
    pub(super) is_empty: bool,
    attributes: Vec<(&'a str, &'a str)>,
}

/// A part of the file.
pub(super) enum Part<'a> {
    Start(Element<'a>),
    End { name: &'a str, line: usize },
}

impl<'a> Element<'a> {
    /// Returns whether an attribute is given.
    pub(super) fn has(&self, field: &str) -> bool {
        self.attributes.iter().any(|(name, _)| *name == field)
    }

    /// Returns the value of an attribute.
    pub(super) fn text(&self, element: &'static str, field: &'static str) -> Result<&'a str, LoadError> {
        let value = self.attributes.iter().find(|(name, _)| *name == field).map(|&(_, value)| value);
        value.ok_or(LoadError { place: self.line.into(), problem: LoadProblem::Missing { element, field } })
    }

    /// Returns the value of an attribute as a number in a range.
    pub(super) fn number<T: FromStr + PartialOrd + Display>(
        &self,
        element: &'static str,
        field: &'static str,
        range: RangeInclusive<T>,
    ) -> Result<T, LoadError> {
        let text = self.text(element, field)?;
        let number = text.parse().ok().filter(|number| range.contains(number));
        number.ok_or_else(|| {
            let expected = format!("a whole number from {} to {}", range.start(), range.end());
            LoadError::field(self.line, element, field, text, expected)
        })
    }
}

/// Reads elements one after the other.
pub(super) struct Elements<'a> {
    text: &'a str,
    position: usize,
    line: usize,
}

impl<'a> Elements<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self { text, position: 0, line: 1 }
    }

    pub(super) fn line(&self) -> usize {
        self.line
    }

    /// Returns the next part; `None` at the end of the file.
    pub(super) fn next(&mut self) -> Result<Option<Part<'a>>, LoadError> {
        loop {
            self.skip_space();
            let rest = self.rest();
            if rest.is_empty() {
                return Ok(None);
            }
            let Some(comment) = rest.strip_prefix("<!--") else { break };
            let Some(end) = comment.find("-->") else {
                return Err(LoadError::syntax(self.line, "`-->` at the end of a comment", ""));
            };
            self.advance("<!--".len() + end + "-->".len());
        }
        let line = self.line;
        self.expect("<")?;
        if self.rest().starts_with('/') {
            self.advance(1);
            let name = self.name()?;
            self.expect(">")?;
            return Ok(Some(Part::End { name, line }));
        }
        let name = self.name()?;
        let mut attributes = Vec::new();
        while self.rest().starts_with(' ') {
            self.advance(1);
            if self.rest().starts_with(['/', '>']) {
                break;
            }
            let attribute = self.name()?;
            self.expect("=\"")?;
            let Some(length) = self.rest().find('"') else {
                return Err(LoadError::syntax(self.line, "`\"` at the end of a value", ""));
            };
            let value = &self.rest()[..length];
            if length > MAX_LENGTH {
                return Err(LoadError::limit(self.line, REMEDY, "bytes in a value", length, MAX_LENGTH));
            }
            self.advance(length + 1);
            attributes.push((attribute, value));
            if attributes.len() > MAX_ATTRIBUTES {
                return Err(LoadError::limit(line, REMEDY, "attributes", attributes.len(), MAX_ATTRIBUTES));
            }
        }
        let is_empty = self.rest().starts_with('/');
        if is_empty {
            self.advance(1);
        }
        self.expect(">")?;
        Ok(Some(Part::Start(Element { name, line, is_empty, attributes })))
    }

    fn rest(&self) -> &'a str {
        &self.text[self.position..]
    }

    /// Moves on by a number of bytes that ends at a character.
    fn advance(&mut self, length: usize) {
        let passed = &self.rest()[..length];
        self.line += passed.bytes().filter(|&byte| byte == b'\n').count();
        self.position += length;
    }

    fn skip_space(&mut self) {
        let rest = self.rest();
        self.advance(rest.len() - rest.trim_start_matches([' ', '\n', '\r']).len());
    }

    fn expect(&mut self, token: &str) -> Result<(), LoadError> {
        if self.rest().starts_with(token) {
            self.advance(token.len());
            return Ok(());
        }
        let expected = match token {
            ">" => "`>`, `/>`, or one blank and an attribute".to_owned(),
            _ => format!("`{token}`"),
        };
        Err(LoadError::syntax(self.line, expected, self.rest()))
    }

    fn name(&mut self) -> Result<&'a str, LoadError> {
        let rest = self.rest();
        let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len());
        if end == 0 || end > MAX_LENGTH {
            return Err(LoadError::syntax(self.line, "a name of at most 255 letters and digits", rest));
        }
        self.advance(end);
        Ok(&rest[..end])
    }
}
