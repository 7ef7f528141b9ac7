//! The statements of a DOT text.

use std::borrow::Cow;
use std::collections::BTreeSet;

use super::lexer::{Lexer, Token};
use crate::format::error::{FileFault, ReadError};
use crate::format::parsed_graph::{Direction, Draft, Label, NodeAttributes};
use crate::text::excerpt;
use crate::{NodeId, Topology};

/// How deep subgraphs may stand in each other. Their nodes are collected at every level, and the parser recurses.
const MAX_DEPTH: usize = 64;

/// How many edges a file may write with subgraphs: `{n} -> {n}` is the one place where few words make many channels.
const MAX_SUBGRAPH_EDGES: usize = 1 << 18;

const KEYWORDS: [&str; 6] = ["node", "edge", "graph", "digraph", "subgraph", "strict"];

/// The values that hold for nodes and edges from here to the end of the subgraph.
#[derive(Clone, Copy, Default)]
struct Scope {
    node: NodeAttributes,
    edge: EdgeAttributes,
}

#[derive(Clone, Copy, Default)]
struct EdgeAttributes {
    direction: Option<Direction>,
    resource: Option<Label>,
}

/// A name and its value, as `[name=value]` lists them.
type Attribute<'a> = (Cow<'a, str>, Cow<'a, str>);

pub(super) struct Parser<'a> {
    lexer: Lexer<'a>,
    token: Token<'a>,
    /// The line of `token`.
    line: usize,
    is_directed: bool,
    /// The edges so far if the graph keeps the first of equal ones.
    strict: Option<BTreeSet<(NodeId, NodeId)>>,
    subgraph_edges: usize,
    draft: Draft<'a>,
}

impl<'a> Parser<'a> {
    pub(super) fn new(text: &'a str) -> Result<Self, ReadError> {
        let mut parser = Self {
            lexer: Lexer::new(text),
            token: Token::End,
            line: 1,
            is_directed: false,
            strict: None,
            subgraph_edges: 0,
            draft: Draft::default(),
        };
        parser.advance()?;
        Ok(parser)
    }

    /// `strict`? (`graph` | `digraph`) id? `{` statements `}`
    pub(super) fn graph(mut self, name: &str) -> Result<Topology, ReadError> {
        if self.token.is("strict") {
            self.strict = Some(BTreeSet::new());
            self.advance()?;
        }
        self.is_directed = self.token.is("digraph");
        if !self.is_directed && !self.token.is("graph") {
            return Err(self.expected("'graph' or 'digraph'"));
        }
        self.advance()?;
        let own_name = if self.token == Token::Sign('{') { None } else { Some(self.id("a name or '{'")?) };
        self.expect('{')?;
        self.statements(Scope::default(), 0)?;
        if self.token != Token::End {
            return Err(self.expected("the end of the file behind the graph"));
        }
        let name = own_name.as_deref().filter(|name| !name.is_empty()).unwrap_or(name);
        self.draft.finish(name)
    }

    /// Statements up to and with `}`; the nodes they name, each once and ascending.
    fn statements(&mut self, mut scope: Scope, depth: usize) -> Result<Vec<NodeId>, ReadError> {
        let mut named = Vec::new();
        while self.token != Token::Sign('}') {
            if self.token == Token::Sign(';') {
                self.advance()?;
            } else if let Some(keyword) = ["node", "edge", "graph"].into_iter().find(|word| self.token.is(word)) {
                self.defaults(keyword, &mut scope)?;
            } else {
                self.nodes_or_edges(scope, depth, &mut named)?;
            }
        }
        self.advance()?;
        named.sort_unstable();
        named.dedup();
        Ok(named)
    }

    /// (`node` | `edge` | `graph`) attributes
    fn defaults(&mut self, keyword: &str, scope: &mut Scope) -> Result<(), ReadError> {
        self.advance()?;
        if self.token != Token::Sign('[') {
            return Err(self.expected("'[' behind 'node', 'edge' or 'graph'; quote a name like that"));
        }
        let line = self.line;
        let attributes = self.attributes()?;
        match keyword {
            "node" => set_node(&mut scope.node, &attributes),
            "edge" => self.edge_attributes(scope.edge, attributes).map(|edge| scope.edge = edge),
            _ => Ok(()),
        }
        .map_err(|fault| ReadError::line(line, fault))
    }

    /// id `=` id, a node with its attributes, or a chain of edges with theirs.
    fn nodes_or_edges(&mut self, scope: Scope, depth: usize, named: &mut Vec<NodeId>) -> Result<(), ReadError> {
        let line = self.line;
        let at_line = |fault| ReadError::line(line, fault);
        let Some(End { mut nodes, is_subgraph }) = self.end(scope, depth)? else { return Ok(()) };
        if !matches!(self.token, Token::EdgeOperator(_)) {
            if !is_subgraph {
                let mut attributes = NodeAttributes::default();
                set_node(&mut attributes, &self.attributes()?).map_err(at_line)?;
                self.draft.describe(nodes[0], attributes).map_err(at_line)?;
            }
            named.append(&mut nodes);
            return Ok(());
        }
        let mut chain = vec![nodes];
        while let Token::EdgeOperator(is_arrow) = self.token {
            if is_arrow != self.is_directed {
                let expected =
                    if self.is_directed { "'->', or 'graph' at the top" } else { "'--', or 'digraph' at the top" };
                return Err(self.expected(expected));
            }
            self.advance()?;
            let Some(end) = self.end(scope, depth)? else { return Err(self.expected("the other end of an edge")) };
            chain.push(end.nodes);
        }
        let attributes = self.attributes()?;
        let edge = self.edge_attributes(scope.edge, attributes).map_err(at_line)?;
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
                return Err(FileFault::Unsupported("subgraphs make more than 2^18 edges here; write them one by one"));
            }
        }
        let usual = if self.is_directed { Direction::Forward } else { Direction::Both };
        for &u in tails {
            for &v in heads {
                let ends = if self.is_directed { (u, v) } else { (u.min(v), u.max(v)) };
                if self.strict.as_mut().is_none_or(|edges| edges.insert(ends)) {
                    self.draft.join(u, v, edge.direction.unwrap_or(usual), edge.resource)?;
                }
            }
        }
        Ok(())
    }

    /// A node with its port, or a subgraph; `None` for `id = id`, which is neither.
    fn end(&mut self, scope: Scope, depth: usize) -> Result<Option<End>, ReadError> {
        if self.token.is("subgraph") {
            self.advance()?;
            if self.token != Token::Sign('{') {
                self.id("a name or '{'")?;
            }
            return Ok(Some(self.subgraph(scope, depth)?));
        }
        if self.token == Token::Sign('{') {
            return Ok(Some(self.subgraph(scope, depth)?));
        }
        let line = self.line;
        let name = self.id("a node, an edge, a subgraph or '}'")?;
        if self.token == Token::Sign('=') {
            self.advance()?;
            self.value()?;
            return Ok(None);
        }
        for _ in 0..2 {
            if self.token == Token::Sign(':') {
                self.advance()?;
                self.id("a port")?;
            }
        }
        let (node, is_new) = self.draft.mention(name);
        if is_new {
            self.draft.describe(node, scope.node).map_err(|fault| ReadError::line(line, fault))?;
        }
        Ok(Some(End { nodes: vec![node], is_subgraph: false }))
    }

    fn subgraph(&mut self, scope: Scope, depth: usize) -> Result<End, ReadError> {
        if depth == MAX_DEPTH {
            let fault = FileFault::Unsupported("subgraphs are nested more than 64 deep; flatten them");
            return Err(ReadError::line(self.line, fault));
        }
        self.expect('{')?;
        let nodes = self.statements(scope, depth + 1)?;
        Ok(End { nodes, is_subgraph: true })
    }

    /// Any number of lists `[name=value, …]`.
    fn attributes(&mut self) -> Result<Vec<Attribute<'a>>, ReadError> {
        let mut attributes = Vec::new();
        while self.token == Token::Sign('[') {
            self.advance()?;
            while self.token != Token::Sign(']') {
                let name = self.value()?;
                self.expect('=')?;
                attributes.push((name, self.value()?));
                if matches!(self.token, Token::Sign(',' | ';')) {
                    self.advance()?;
                }
            }
            self.advance()?;
        }
        Ok(attributes)
    }

    /// What edges are by default, with these attributes instead.
    fn edge_attributes(
        &mut self,
        mut edge: EdgeAttributes,
        attributes: Vec<Attribute<'a>>,
    ) -> Result<EdgeAttributes, FileFault> {
        for (name, value) in attributes {
            match name.as_ref() {
                "resource" => edge.resource = Some(self.draft.resource(value)),
                "dir" => edge.direction = Some(direction(&value)?),
                _ => {}
            }
        }
        Ok(edge)
    }

    /// An id that is no keyword.
    fn id(&mut self, expected: &'static str) -> Result<Cow<'a, str>, ReadError> {
        if KEYWORDS.into_iter().any(|keyword| self.token.is(keyword)) {
            return Err(self.expected(expected));
        }
        self.value_or(expected)
    }

    fn value(&mut self) -> Result<Cow<'a, str>, ReadError> {
        self.value_or("an attribute 'name=value'")
    }

    /// A word or id; quoted strings may be joined by `+`.
    fn value_or(&mut self, expected: &'static str) -> Result<Cow<'a, str>, ReadError> {
        let mut value = match &mut self.token {
            Token::Word(word) => Cow::Borrowed(*word),
            Token::Id(id) => std::mem::take(id),
            _ => return Err(self.expected(expected)),
        };
        self.advance()?;
        while self.token == Token::Sign('+') {
            self.advance()?;
            let Token::Id(more) = &self.token else { return Err(self.expected("a quoted string behind '+'")) };
            value.to_mut().push_str(more);
            self.advance()?;
        }
        Ok(value)
    }

    fn expect(&mut self, sign: char) -> Result<(), ReadError> {
        if self.token == Token::Sign(sign) {
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
struct End {
    nodes: Vec<NodeId>,
    is_subgraph: bool,
}

fn set_node(node: &mut NodeAttributes, attributes: &[Attribute<'_>]) -> Result<(), FileFault> {
    for (name, value) in attributes {
        match name.as_ref() {
            "pos" => (node.x, node.y) = point(value).unzip(),
            // Not ours here: Graphviz has `pos`.
            "x" | "y" => {}
            name => node.set(name, value)?,
        }
    }
    Ok(())
}

/// Which channels an edge with these arrow heads stands for.
fn direction(value: &str) -> Result<Direction, FileFault> {
    match value {
        "forward" => Ok(Direction::Forward),
        "back" => Ok(Direction::Backward),
        "both" | "none" => Ok(Direction::Both),
        _ => Err(FileFault::Value { attribute: "dir", found: excerpt(value), expected: "forward, back, both or none" }),
    }
}

/// The first two coordinates of `x,y`, `x,y!` or `x,y,z`.
fn point(text: &str) -> Option<(f64, f64)> {
    let mut coordinates = text.trim().trim_end_matches('!').split(',').map(|x| x.trim().parse().ok());
    coordinates.next().flatten().zip(coordinates.next().flatten())
}
