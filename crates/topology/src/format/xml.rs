//! Parsing of XML text, common to all XML formats.

use std::borrow::Cow;

use lockstep_files::one_line;
use roxmltree::{Document, Node, ParsingOptions};

use super::error::{FileFault, ReadError};
use crate::text::excerpt;

/// Maximum number of attributes of a tag. The parser compares all pairs of them.
const MAX_ATTRIBUTES: usize = 1 << 10;

/// Maximum number of name spaces of a file. The parser copies them from tag to tag.
const MAX_NAME_SPACES: usize = 1 << 8;

/// Maximum depth of nested elements.
const MAX_DEPTH: usize = 1 << 8;

/// The beginning of a document type.
const DOCTYPE: &str = "<!DOCTYPE";

/// Replaces a document type that only names an external definition by spaces. Definitions inside of the file remain, and
/// [`parse`] refuses them.
pub(super) fn without_document_type(text: &str) -> Cow<'_, str> {
    let start = prolog(text).find(|&at| text[at..].starts_with(DOCTYPE));
    let end = start.and_then(|start| Some(start + tag_end(&text[start..])?));
    match start.zip(end) {
        Some((start, end)) if !text[start..end].contains('[') => {
            let blank: String = text[start..end].chars().map(|c| if c == '\n' { '\n' } else { ' ' }).collect();
            Cow::Owned([&text[..start], &blank, &text[end..]].concat())
        }
        _ => Cow::Borrowed(text),
    }
}

/// Parses an XML document.
pub(super) fn parse(text: &str) -> Result<Document<'_>, ReadError> {
    check_tags(text)?;
    let parsing = ParsingOptions { allow_dtd: false, ..ParsingOptions::default() };
    Document::parse_with_options(text, parsing).map_err(|error| syntax_error(&error))
}

/// Returns the root element, which has this name.
pub(super) fn root<'a>(
    document: &'a Document<'a>,
    name: &'static str,
    expected: &'static str,
) -> Result<Node<'a, 'a>, ReadError> {
    let root = document.root_element();
    if root.tag_name().name() == name {
        return Ok(root);
    }
    let found = format!("<{}>", excerpt(root.tag_name().name()));
    Err(at(root)(FileFault::Unexpected { found, expected }))
}

/// Returns the name of the first element of a text, without parsing the text.
pub(super) fn first_element(text: &str) -> Option<&str> {
    let start = 1 + prolog(text).last()?;
    let rest = text[start..].split(|c: char| c.is_whitespace() || c == '>' || c == '/').next();
    rest.filter(|name| !name.is_empty() && !name.starts_with(['?', '!']))
}

/// Returns the positions of the tags up to the first element, without comments.
fn prolog(text: &str) -> impl Iterator<Item = usize> {
    let (mut at, mut has_ended) = (0, false);
    std::iter::from_fn(move || {
        while !has_ended {
            let start = at + text[at..].find('<')?;
            let tag = &text[start..];
            if tag.starts_with("<!--") {
                at = start + tag.find("-->")?;
                continue;
            }
            has_ended = !tag.starts_with("<?") && !tag.starts_with("<!");
            at = start + 1;
            return Some(start);
        }
        None
    })
}

/// Returns the child elements of this name.
pub(super) fn elements<'a>(parent: Node<'a, 'a>, tag: &'static str) -> impl Iterator<Item = Node<'a, 'a>> {
    parent.children().filter(move |child| child.is_element() && child.tag_name().name() == tag)
}

/// Returns the value of an attribute that an element must have.
pub(super) fn required<'a>(
    element: Node<'a, '_>,
    attribute: &str,
    expected: &'static str,
) -> Result<&'a str, FileFault> {
    element.attribute(attribute).ok_or_else(|| {
        let found = format!("<{}> without '{attribute}'", excerpt(element.tag_name().name()));
        FileFault::Unexpected { found, expected }
    })
}

/// Returns the text of an element.
pub(super) fn text_of<'a>(element: Node<'a, 'a>) -> &'a str {
    element.text().unwrap_or_default().trim()
}

/// Returns the function that adds the place of an element to a fault.
pub(super) fn at<'a>(element: Node<'a, 'a>) -> impl Fn(FileFault) -> ReadError {
    move |fault| {
        let line = element.document().text_pos_at(element.range().start).row;
        ReadError::line(line as usize, fault)
    }
}

fn syntax_error(error: &roxmltree::Error) -> ReadError {
    let fault = match error {
        roxmltree::Error::DtdDetected => FileFault::Unsupported(
            "a document type is not supported, because it can define text of unlimited length; remove the DOCTYPE",
        ),
        error => {
            let message = error.to_string();
            let place = format!(" at {}", error.pos());
            FileFault::Syntax(one_line(message.strip_suffix(&place).unwrap_or(&message)))
        }
    };
    ReadError::line(error.pos().row as usize, fault)
}

/// Refuses tags on which the parser would take quadratic time, and deep nesting.
fn check_tags(text: &str) -> Result<(), ReadError> {
    let (mut name_spaces, mut depth) = (0, 0usize);
    let mut rest = text;
    while let Some(start) = rest.find('<') {
        rest = &rest[start..];
        let skipped =
            [("<!--", "-->"), ("<![CDATA[", "]]>"), ("<?", "?>")].into_iter().find(|(open, _)| rest.starts_with(open));
        let end = match skipped {
            Some((_, close)) => rest.find(close).map(|at| at + close.len()),
            None => tag_end(rest),
        };
        // The parser reports an unclosed tag.
        let Some(end) = end else { break };
        let tag = &rest[..end];
        if skipped.is_none() {
            name_spaces += tag.matches("xmlns").count();
            if tag.starts_with("</") {
                depth = depth.saturating_sub(1);
            } else if !tag.ends_with("/>") && !tag.starts_with("<!") {
                depth += 1;
            }
            let has_too_many = tag.matches('=').count() > MAX_ATTRIBUTES || name_spaces > MAX_NAME_SPACES;
            let limit = match (has_too_many, depth > MAX_DEPTH) {
                (true, _) => "more than 1024 attributes in a tag or 256 name spaces; remove some",
                (_, true) => "elements are nested more than 256 deep; flatten them",
                _ => "",
            };
            if !limit.is_empty() {
                let line = 1 + text[..text.len() - rest.len()].bytes().filter(|&byte| byte == b'\n').count();
                return Err(ReadError::line(line, FileFault::Unsupported(limit)));
            }
        }
        rest = &rest[end..];
    }
    Ok(())
}

/// Returns the end of a tag: the position after the first `>` outside quotes.
fn tag_end(tag: &str) -> Option<usize> {
    let mut quote = None;
    let is_end = |&(_, byte): &(usize, u8)| {
        match (quote, byte) {
            (Some(open), byte) if open == byte => quote = None,
            (None, b'"' | b'\'') => quote = Some(byte),
            (None, b'>') => return true,
            _ => {}
        }
        false
    };
    tag.bytes().enumerate().find(is_end).map(|(at, _)| at + 1)
}
