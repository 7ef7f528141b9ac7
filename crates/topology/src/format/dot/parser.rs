//! The parser of DOT: recursive descent.

use std::borrow::Cow;
use std::collections::BTreeSet;

use super::lexer::{DotLexer, DotToken};
use crate::NodeId;
use crate::format::attributes::{EdgeAttributes, EdgeDirection, NodeAttributes};
use crate::format::error::{FileFault, ReadError};
use crate::format::graph_file::{GraphFile, ReadOptions};
use crate::format::parsed_graph::ParsedGraph;
use crate::text::excerpt;

/// Maximum nesting depth of subgraphs. It limits the recursion of the parser.
const MAX_DEPTH: usize = 64;

/// Maximum number of edges from and to subgraphs, because `{n} -> {n}` makes many channels of a short text.
const MAX_SUBGRAPH_EDGES: usize = 1 << 18;

const KEYWORDS: [&str; 6] = ["node", "edge", "graph", "digraph", "subgraph", "strict"];

/// The default attributes of nodes and edges up to the end of the subgraph.
#[derive(Clone, Copy, Default)]
struct DefaultAttributes {
    node: NodeAttributes,
    edge: EdgeAttributes,
}

/// A name and its value in a list `[name=value, …]`.
type Attribute<'a> = (Cow<'a, str>, Cow<'a, str>);

/// The parser state.
pub(super) struct DotParser<'a> {
    lexer: DotLexer<'a>,
    token: DotToken<'a>,
    /// The line of `token`.
    line: usize,
    is_directed: bool,
    /// The ends of the edges so far, if the graph is strict.
    strict: Option<BTreeSet<(NodeId, NodeId)>>,
    subgraph_edges: usize,
    parsed: ParsedGraph<'a>,
}

impl<'a> DotParser<'a> {
    pub(super) fn new(text: &'a str) -> Result<Self, ReadError> {
        let mut parser = Self {
            lexer: DotLexer::new(text),
            token: DotToken::End,
            line: 1,
            is_directed: false,
            strict: None,
            subgraph_edges: 0,
            parsed: ParsedGraph::default(),
        };
        parser.advance()?;
        Ok(parser)
    }

    /// `strict`? (`graph` | `digraph`) id? `{` statements `}`
    pub(super) fn graph(mut self, name: &str, options: &ReadOptions) -> Result<GraphFile, ReadError> {
        if self.token.is("strict") {
            self.strict = Some(BTreeSet::new());
            self.advance()?;
        }
        self.is_directed = self.token.is("digraph");
        if !self.is_directed && !self.token.is("graph") {
            return Err(self.expected("'graph' or 'digraph'"));
        }
        self.advance()?;
        let own_name = if self.token == DotToken::Sign('{') { None } else { Some(self.id("a name or '{'")?) };
        self.expect('{')?;
        self.statements(DefaultAttributes::default(), 0)?;
        if self.token != DotToken::End {
            return Err(self.expected("the end of the file after the graph"));
        }
        let name = own_name.as_deref().filter(|name| !name.is_empty()).unwrap_or(name);
        self.parsed.finish(name, options)
    }

    /// Statements up to and including `}`. Returns the nodes that they name, distinct and ascending.
    fn statements(&mut self, mut defaults: DefaultAttributes, depth: usize) -> Result<Vec<NodeId>, ReadError> {
        let mut named = Vec::new();
        while self.token != DotToken::Sign('}') {
            if self.token == DotToken::Sign(';') {
                self.advance()?;
            } else if let Some(keyword) = ["node", "edge", "graph"].into_iter().find(|word| self.token.is(word)) {
                self.defaults(keyword, &mut defaults)?;
            } else {
                self.nodes_or_edges(defaults, depth, &mut named)?;
            }
        }
        self.advance()?;
        named.sort_unstable();
        named.dedup();
        Ok(named)
    }

    /// (`node` | `edge` | `graph`) attributes
    fn defaults(&mut self, keyword: &str, defaults: &mut DefaultAttributes) -> Result<(), ReadError> {
        self.advance()?;
        if self.token != DotToken::Sign('[') {
            return Err(self.expected("'[' after 'node', 'edge' or 'graph'; put a node of that name in quotes"));
        }
        let line = self.line;
        let attributes = self.attributes()?;
        match keyword {
            "node" => self.node_attributes(defaults.node, attributes).map(|node| defaults.node = node),
            "edge" => self.edge_attributes(defaults.edge, attributes).map(|edge| defaults.edge = edge),
            _ => self.graph_attributes(attributes),
        }
        .map_err(|fault| ReadError::line(line, fault))
    }

    /// Returns an assignment `id = id`, a node with its attributes, or a chain of edges with its attributes.
    fn nodes_or_edges(
        &mut self,
        defaults: DefaultAttributes,
        depth: usize,
        named: &mut Vec<NodeId>,
    ) -> Result<(), ReadError> {
        let line = self.line;
        let at_line = |fault| ReadError::line(line, fault);
        let Some(EdgeEnd { mut nodes, is_subgraph }) = self.end(defaults, depth)? else { return Ok(()) };
        if !matches!(self.token, DotToken::EdgeOperator(_)) {
            if !is_subgraph {
                let attributes = self.attributes()?;
                let attributes = self.node_attributes(NodeAttributes::default(), attributes).map_err(at_line)?;
                self.parsed.set_attributes(nodes[0], attributes).map_err(at_line)?;
            }
            named.append(&mut nodes);
            return Ok(());
        }
        let mut chain = vec![nodes];
        while let DotToken::EdgeOperator(is_arrow) = self.token {
            if is_arrow != self.is_directed {
                let expected = if self.is_directed {
                    "'->', or 'graph' in the first line"
                } else {
                    "'--', or 'digraph' in the first line"
                };
                return Err(self.expected(expected));
            }
            self.advance()?;
            let Some(end) = self.end(defaults, depth)? else { return Err(self.expected("the other end of an edge")) };
            chain.push(end.nodes);
        }
        let attributes = self.attributes()?;
        let edge = self.edge_attributes(defaults.edge, attributes).map_err(at_line)?;
        for pair in chain.windows(2) {
            self.join(&pair[0], &pair[1], edge).map_err(at_line)?;
        }
        named.extend(chain.into_iter().flatten());
        Ok(())
    }

    fn join(&mut self, tails: &[NodeId], heads: &[NodeId], edge: EdgeAttributes) -> Result<(), FileFault> {
        if tails.len() > 1 || heads.len() > 1 {
            self.subgraph_edges = self.subgraph_edges.saturating_add(tails.len().saturating_mul(heads.len()));
            if self.subgraph_edges > MAX_SUBGRAPH_EDGES {
                return Err(FileFault::Unsupported("subgraphs make more than 2^18 edges; write the edges one by one"));
            }
        }
        let usual = if self.is_directed { EdgeDirection::Forward } else { EdgeDirection::Both };
        for &u in tails {
            for &v in heads {
                let ends = if self.is_directed { (u, v) } else { (u.min(v), u.max(v)) };
                if self.strict.as_mut().is_none_or(|edges| edges.insert(ends)) {
                    self.parsed.add_edge(u, v, usual, edge);
                }
            }
        }
        Ok(())
    }

    /// Returns a node with its port, or a subgraph. Returns `None` for an assignment `id = id`.
    fn end(&mut self, defaults: DefaultAttributes, depth: usize) -> Result<Option<EdgeEnd>, ReadError> {
        if self.token.is("subgraph") {
            self.advance()?;
            if self.token != DotToken::Sign('{') {
                self.id("a name or '{'")?;
            }
            return Ok(Some(self.subgraph(defaults, depth)?));
        }
        if self.token == DotToken::Sign('{') {
            return Ok(Some(self.subgraph(defaults, depth)?));
        }
        let line = self.line;
        let name = self.id("a node, an edge, a subgraph or '}'")?;
        if self.token == DotToken::Sign('=') {
            self.advance()?;
            let value = self.value()?;
            self.graph_attributes(vec![(name, value)]).map_err(|fault| ReadError::line(line, fault))?;
            return Ok(None);
        }
        for _ in 0..2 {
            if self.token == DotToken::Sign(':') {
                self.advance()?;
                self.id("a port")?;
            }
        }
        let (node, is_new) = self.parsed.node(name);
        if is_new {
            self.parsed.set_attributes(node, defaults.node).map_err(|fault| ReadError::line(line, fault))?;
        }
        Ok(Some(EdgeEnd { nodes: vec![node], is_subgraph: false }))
    }

    fn subgraph(&mut self, defaults: DefaultAttributes, depth: usize) -> Result<EdgeEnd, ReadError> {
        if depth == MAX_DEPTH {
            let fault = FileFault::Unsupported("subgraphs are nested more than 64 deep; flatten them");
            return Err(ReadError::line(self.line, fault));
        }
        self.expect('{')?;
        let nodes = self.statements(defaults, depth + 1)?;
        Ok(EdgeEnd { nodes, is_subgraph: true })
    }

    /// Any number of lists `[name=value, …]`.
    fn attributes(&mut self) -> Result<Vec<Attribute<'a>>, ReadError> {
        let mut attributes = Vec::new();
        while self.token == DotToken::Sign('[') {
            self.advance()?;
            while self.token != DotToken::Sign(']') {
                let name = self.value()?;
                self.expect('=')?;
                attributes.push((name, self.value()?));
                if matches!(self.token, DotToken::Sign(',' | ';')) {
                    self.advance()?;
                }
            }
            self.advance()?;
        }
        Ok(attributes)
    }

    /// Returns the edge defaults, overridden by these attributes.
    fn edge_attributes(
        &mut self,
        mut edge: EdgeAttributes,
        attributes: Vec<Attribute<'a>>,
    ) -> Result<EdgeAttributes, FileFault> {
        for (name, value) in attributes {
            match name.as_ref() {
                "dir" => edge.direction = Some(direction(&value)?),
                name => self.parsed.set_edge_attribute(&mut edge, name, value)?,
            }
        }
        Ok(edge)
    }

    /// Returns the node defaults, overridden by these attributes.
    fn node_attributes(
        &mut self,
        mut node: NodeAttributes,
        attributes: Vec<Attribute<'a>>,
    ) -> Result<NodeAttributes, FileFault> {
        for (name, value) in attributes {
            match name.as_ref() {
                "pos" => (node.x, node.y) = point(&value).unzip(),
                // In DOT only `pos` is a position.
                "x" | "y" => self.parsed.ignore("node", &name),
                name => self.parsed.set_node_attribute(&mut node, name, value)?,
            }
        }
        Ok(node)
    }

    fn graph_attributes(&mut self, attributes: Vec<Attribute<'a>>) -> Result<(), FileFault> {
        for (name, value) in attributes {
            if !self.parsed.set_graph_attribute(&name, &value)? {
                self.parsed.ignore("graph", &name);
            }
        }
        Ok(())
    }

    /// Returns an id that is not a keyword.
    fn id(&mut self, expected: &'static str) -> Result<Cow<'a, str>, ReadError> {
        if KEYWORDS.into_iter().any(|keyword| self.token.is(keyword)) {
            return Err(self.expected(expected));
        }
        self.value_or(expected)
    }

    fn value(&mut self) -> Result<Cow<'a, str>, ReadError> {
        self.value_or("an attribute 'name=value'")
    }

    /// Returns a word or id. Quoted strings can be concatenated by `+`.
    fn value_or(&mut self, expected: &'static str) -> Result<Cow<'a, str>, ReadError> {
        let mut value = match &mut self.token {
            DotToken::Word(word) => Cow::Borrowed(*word),
            DotToken::Id(id) => std::mem::take(id),
            _ => return Err(self.expected(expected)),
        };
        self.advance()?;
        while self.token == DotToken::Sign('+') {
            self.advance()?;
            let DotToken::Id(more) = &self.token else { return Err(self.expected("a quoted string after '+'")) };
            value.to_mut().push_str(more);
            self.advance()?;
        }
        Ok(value)
    }

    fn expect(&mut self, sign: char) -> Result<(), ReadError> {
        if self.token == DotToken::Sign(sign) {
            return self.advance();
        }
        Err(self.expected(match sign {
            '{' => "'{'",
            _ => "'=' and a value",
        }))
    }

    fn expected(&self, expected: &'static str) -> ReadError {
        ReadError::line(self.line, FileFault::Unexpected { found: self.token.quoted(), expected })
    }

    fn advance(&mut self) -> Result<(), ReadError> {
        self.token = self.lexer.next()?;
        self.line = self.lexer.line();
        Ok(())
    }
}

/// One end of an edge.
struct EdgeEnd {
    nodes: Vec<NodeId>,
    is_subgraph: bool,
}

/// Returns the direction of an edge with this value of `dir`.
fn direction(value: &str) -> Result<EdgeDirection, FileFault> {
    match value {
        "forward" => Ok(EdgeDirection::Forward),
        "back" => Ok(EdgeDirection::Backward),
        "both" | "none" => Ok(EdgeDirection::Both),
        _ => Err(FileFault::Value { attribute: "dir", found: excerpt(value), expected: "forward, back, both or none" }),
    }
}

/// Parses the first two coordinates of `x,y`, `x,y!` or `x,y,z`.
fn point(text: &str) -> Option<(f64, f64)> {
    let mut coordinates = text.trim().trim_end_matches('!').split(',').map(|x| x.trim().parse().ok());
    coordinates.next().flatten().zip(coordinates.next().flatten())
}
