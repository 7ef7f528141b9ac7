//! The format `gml`: the Graph Modelling Language.
//!
//! # Grammar
//!
//! `graph [ directed 0 node [ id 0 label "a" ] edge [ source 0 target 1 ] ]`. Keys are words, values are numbers, strings
//! in double quotes, or lists in brackets. A node has the name of its label if all labels differ, otherwise of its id.
//! Strings have the entities of HTML for `&` and `"`. A line that begins with `#` is a comment.
//!
//! # Source
//!
//! Himsolt, GML: a portable graph file format (1997), and `networkx.readwrite.gml`, networkx 3.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use crate::format::attributes::{EdgeAttributes, EdgeDirection, NodeAttributes};
use crate::format::error::{FileFault, ReadError};
use crate::format::graph_file::{GraphFile, ReadOptions};
use crate::format::parsed_graph::ParsedGraph;
use crate::text::excerpt;

/// Maximum depth of nested lists.
const MAX_DEPTH: usize = 64;

/// The entities that GML uses in strings. `&amp;` comes last, because it makes others.
const ENTITIES: [(&str, &str); 4] = [("&quot;", "\""), ("&lt;", "<"), ("&gt;", ">"), ("&amp;", "&")];

/// A value of a key.
#[derive(Debug)]
enum Value<'a> {
    Text(Cow<'a, str>),
    List(Vec<Entry<'a>>),
}

/// A key, its value, and the line of the key.
#[derive(Debug)]
struct Entry<'a> {
    key: &'a str,
    value: Value<'a>,
    line: usize,
}

/// Returns true if a text begins like GML.
pub(super) fn looks_like(text: &str) -> bool {
    let mut lexer = Lexer::new(text);
    while let Ok(Some(token)) = lexer.token() {
        match token {
            Token::Word("graph") => return matches!(lexer.token(), Ok(Some(Token::Open))),
            Token::Word("Creator" | "Version" | "comment") | Token::Text(_) => {}
            Token::Word(word) if word.parse::<f64>().is_ok() => {}
            _ => return false,
        }
    }
    false
}

/// Reads a graph. See [`GraphFormat::Gml`](crate::GraphFormat::Gml).
pub(super) fn read(text: &str, name: &str, options: &ReadOptions) -> Result<GraphFile, ReadError> {
    let entries = Lexer::new(text).list(0)?;
    let mut graphs = entries.into_iter().filter(|entry| entry.key == "graph");
    let Some(Entry { value: Value::List(graph), .. }) = graphs.next() else {
        let expected = "graph [ … ]";
        return Err(ReadError::line(1, FileFault::Unexpected { found: "no graph".to_owned(), expected }));
    };
    if let Some(second) = graphs.next() {
        let fault = FileFault::Unsupported("this is a second graph; write one graph per file");
        return Err(ReadError::line(second.line, fault));
    }
    let mut reader = Reader::default();
    let mut own_name = None;
    for entry in &graph {
        let read = match (entry.key, &entry.value) {
            ("directed", Value::Text(value)) => {
                reader.is_directed = value.trim() == "1";
                Ok(())
            }
            ("name" | "label", Value::Text(value)) => {
                own_name = Some(value.to_string());
                Ok(())
            }
            ("multigraph" | "node" | "edge", _) => Ok(()),
            (key, Value::Text(value)) => match reader.parsed.set_graph_attribute(key, value) {
                Ok(false) => {
                    reader.parsed.ignore("graph", key);
                    Ok(())
                }
                result => result.map(drop),
            },
            (key, Value::List(_)) => {
                reader.parsed.ignore("graph", key);
                Ok(())
            }
        };
        read.map_err(|fault| ReadError::line(entry.line, fault))?;
    }
    let of = |kind| graph.iter().filter(move |entry| entry.key == kind);
    let labels: BTreeSet<&str> = of("node").filter_map(|node| text_of(node, "label")).collect();
    reader.has_labels = labels.len() == of("node").count();
    for node in of("node") {
        reader.node(node).map_err(|fault| ReadError::line(node.line, fault))?;
    }
    for edge in of("edge") {
        reader.edge(edge).map_err(|fault| ReadError::line(edge.line, fault))?;
    }
    let own_name = own_name.filter(|name| !name.is_empty());
    reader.parsed.finish(own_name.as_deref().unwrap_or(name), options)
}

#[derive(Default)]
struct Reader<'a> {
    parsed: ParsedGraph<'a>,
    is_directed: bool,
    /// True if every node has a label of its own.
    has_labels: bool,
    /// The name of each node by its id.
    names: BTreeMap<&'a str, Cow<'a, str>>,
}

impl<'a> Reader<'a> {
    fn node(&mut self, node: &'a Entry<'a>) -> Result<(), FileFault> {
        let id = required(node, "id", "node [ id 0 ]")?;
        let name = text_of(node, "label").filter(|_| self.has_labels).unwrap_or(id);
        if self.names.insert(id, Cow::Borrowed(name)).is_some() {
            return Err(FileFault::DuplicateNode { name: excerpt(id) });
        }
        let mut attributes = NodeAttributes::default();
        for (key, value) in scalars(node, &mut self.parsed, "node").filter(|&(key, _)| !matches!(key, "id" | "label")) {
            self.parsed.set_node_attribute(&mut attributes, key, Cow::Borrowed(value))?;
        }
        self.parsed.declare(Cow::Borrowed(name), attributes)
    }

    fn edge(&mut self, edge: &'a Entry<'a>) -> Result<(), FileFault> {
        let mut ends = [None; 2];
        for (end, key) in ends.iter_mut().zip(["source", "target"]) {
            let id = required(edge, key, "edge [ source 0 target 1 ]")?;
            let name = self.names.get(id).ok_or_else(|| FileFault::UnknownNode { name: excerpt(id) })?;
            *end = Some(self.parsed.find(name)?);
        }
        let mut attributes = EdgeAttributes::default();
        let others = |&(key, _): &(&str, &str)| !matches!(key, "source" | "target" | "key");
        for (key, value) in scalars(edge, &mut self.parsed, "edge").filter(others) {
            self.parsed.set_edge_attribute(&mut attributes, key, Cow::Borrowed(value))?;
        }
        let direction = if self.is_directed { EdgeDirection::Forward } else { EdgeDirection::Both };
        let [Some(u), Some(v)] = ends else { return Ok(()) };
        self.parsed.add_edge(u, v, direction, attributes);
        Ok(())
    }
}

/// Returns the entries of a node or an edge whose values are texts. Lists are ignored.
fn scalars<'a>(
    entry: &'a Entry<'a>,
    parsed: &mut ParsedGraph<'a>,
    of: &str,
) -> impl Iterator<Item = (&'a str, &'a str)> + use<'a> {
    let Value::List(inner) = &entry.value else { return Vec::new().into_iter() };
    let mut scalars = Vec::new();
    for Entry { key, value, .. } in inner {
        match value {
            Value::Text(text) => scalars.push((*key, &**text)),
            Value::List(_) => parsed.ignore(of, key),
        }
    }
    scalars.into_iter()
}

fn text_of<'a>(entry: &'a Entry<'a>, key: &str) -> Option<&'a str> {
    let Value::List(inner) = &entry.value else { return None };
    inner.iter().find(|entry| entry.key == key).and_then(|entry| match &entry.value {
        Value::Text(text) => Some(&**text),
        Value::List(_) => None,
    })
}

fn required<'a>(entry: &'a Entry<'a>, key: &str, expected: &'static str) -> Result<&'a str, FileFault> {
    text_of(entry, key).ok_or_else(|| {
        let found = format!("{} without '{key}'", excerpt(entry.key));
        FileFault::Unexpected { found, expected }
    })
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Token<'a> {
    Open,
    Close,
    Word(&'a str),
    /// A string without its quotes.
    Text(&'a str),
}

struct Lexer<'a> {
    rest: &'a str,
    line: usize,
}

impl<'a> Lexer<'a> {
    fn new(text: &'a str) -> Self {
        Self { rest: text, line: 1 }
    }

    fn advance(&mut self, length: usize) -> &'a str {
        let (taken, rest) = self.rest.split_at(length);
        self.line += taken.matches('\n').count();
        self.rest = rest;
        taken
    }

    fn token(&mut self) -> Result<Option<Token<'a>>, ReadError> {
        loop {
            self.advance(self.rest.len() - self.rest.trim_start().len());
            if !self.rest.starts_with('#') {
                break;
            }
            self.advance(self.rest.find('\n').unwrap_or(self.rest.len()));
        }
        let Some(first) = self.rest.chars().next() else { return Ok(None) };
        let token = match first {
            '[' => Token::Open,
            ']' => Token::Close,
            '"' => {
                let line = self.line;
                self.advance(1);
                let end = self.rest.find('"').ok_or_else(|| {
                    let fault = FileFault::Unsupported("the string that starts here is not closed; close it with '\"'");
                    ReadError::line(line, fault)
                })?;
                let text = self.advance(end);
                self.advance(1);
                return Ok(Some(Token::Text(text)));
            }
            _ => {
                let is_end = |c: char| c.is_whitespace() || matches!(c, '[' | ']' | '"');
                let end = self.rest.find(is_end).unwrap_or(self.rest.len());
                return Ok(Some(Token::Word(self.advance(end))));
            }
        };
        self.advance(1);
        Ok(Some(token))
    }

    /// Reads the entries up to the end of a list, or of the file if `depth` is 0.
    fn list(&mut self, depth: usize) -> Result<Vec<Entry<'a>>, ReadError> {
        let unexpected = |line, found: &str, expected| {
            Err(ReadError::line(line, FileFault::Unexpected { found: found.to_owned(), expected }))
        };
        let mut entries = Vec::new();
        loop {
            let token = self.token()?;
            let line = self.line;
            let key = match token {
                Some(Token::Word(key)) => key,
                Some(Token::Close) if depth > 0 => return Ok(entries),
                None if depth == 0 => return Ok(entries),
                None => return unexpected(line, "the end of the file", "']'"),
                Some(Token::Text(text)) => {
                    return unexpected(line, &format!("'\"{}'", excerpt(text)), "a key such as node or edge");
                }
                Some(Token::Open) => return unexpected(line, "'['", "a key such as node or edge"),
                Some(Token::Close) => return unexpected(line, "']'", "a key such as graph"),
            };
            let value = match self.token()? {
                Some(Token::Word(word)) => Value::Text(Cow::Borrowed(word)),
                Some(Token::Text(text)) => Value::Text(unescaped(text)),
                Some(Token::Open) if depth < MAX_DEPTH => Value::List(self.list(depth + 1)?),
                Some(Token::Open) => {
                    let fault = FileFault::Unsupported("lists are nested more than 64 deep; flatten them");
                    return Err(ReadError::line(line, fault));
                }
                Some(Token::Close) | None => {
                    return unexpected(line, &format!("'{}' without a value", excerpt(key)), "a key and a value");
                }
            };
            entries.push(Entry { key, value, line });
        }
    }
}

fn unescaped(text: &str) -> Cow<'_, str> {
    if !text.contains('&') {
        return Cow::Borrowed(text);
    }
    let mut text = text.to_owned();
    for (entity, c) in ENTITIES {
        text = text.replace(entity, c);
    }
    Cow::Owned(text)
}
