//! The reader of graph files. It is stricter than NCCL, which ignores most mistakes without a message.

use std::collections::BTreeMap;

use super::scanner::{Piece, Scanner, Tag};
use super::{GraphId, MAX_CHANNELS, MAX_CHILDREN, MAX_ELEMENTS, NcclGraph, NcclGraphs, PathType};
use crate::format::error::{FormatError, FormatFault};
use crate::format::order::{Order, check_distinct, check_same};

/// The attributes of a graph.
const GRAPH: [&str; 10] = [
    "id",
    "pattern",
    "crossnic",
    "nchannels",
    "speedintra",
    "speedinter",
    "latencyinter",
    "typeintra",
    "typeinter",
    "samechannels",
];

/// The maximum number of a device in this reader. NCCL also packs the number of a system above 2^56.
const MAX_DEVICE: u32 = 1 << 20;

/// The effect of an absent attribute.
const REFUSED: &str = "NCCL stops with an internal error";

/// Reads a graph file, and returns it with notes on what NCCL does with it.
///
/// The number of a GPU is its `dev`. Time and memory are linear in the length of the text.
///
/// # Errors
///
/// If NCCL refuses the file, ignores a part of it, or reads it differently in different releases.
pub fn read(text: &str) -> Result<(NcclGraphs, Vec<String>), FormatError> {
    let mut reader = Reader { scanner: Scanner::new(text), elements: 0, ranks: BTreeMap::new(), has_ranks: None };
    let graphs = reader.file()?;
    let notes = notes(&graphs, reader.has_ranks == Some(true));
    Ok((graphs, notes))
}

struct Reader<'a> {
    scanner: Scanner<'a>,
    elements: usize,
    /// The `rank` of each device.
    ranks: BTreeMap<u32, u32>,
    /// Whether the elements `<gpu>` have a `rank`; `None` before the first one.
    has_ranks: Option<bool>,
}

impl<'a> Reader<'a> {
    fn file(&mut self) -> Result<NcclGraphs, FormatError> {
        let root = match self.scanner.next()? {
            Piece::Open(tag) if tag.name == "graphs" => tag,
            Piece::Open(tag) => {
                let expected = "<graphs>; NCCL ignores a file with another root element";
                return Err(FormatError::unexpected(tag.line, &tag.shown(), expected));
            }
            Piece::Close(name) => return Err(self.unexpected_close(name, "<graphs>")),
            Piece::End => {
                let expected = "<graphs version=\"1\">; NCCL ignores an empty file";
                return Err(FormatError::unexpected(1, "", expected));
            }
        };
        root.check_names(&["version", "name"])?;
        let effect = "NCCL refuses the file";
        let version = root.get("version").ok_or_else(|| missing(&root, "graphs", "version", effect))?;
        if version != "1" {
            return Err(FormatError::attribute(root.line, ("graphs", "version"), version, "1"));
        }
        let mut graphs: Vec<NcclGraph> = Vec::new();
        while let Some(tag) = self.child(&root, &["graph"], graphs.len())? {
            let (line, graph) = (tag.line, self.graph(&tag)?);
            if graphs.iter().any(|earlier| earlier.id == graph.id) {
                let expected = "each id once; NCCL mixes graphs of the same id";
                let id = graph.id.number().to_string();
                return Err(FormatError::attribute(line, ("graph", "id"), &id, expected));
            }
            graphs.push(graph);
        }
        self.check_end()?;
        if graphs.is_empty() {
            let expected = "<graph>; NCCL ignores a file without graphs";
            return Err(FormatError::unexpected(root.line, "<graphs> without content", expected));
        }
        Ok(NcclGraphs { graphs })
    }

    /// Verifies that nothing follows the root element.
    fn check_end(&mut self) -> Result<(), FormatError> {
        match self.scanner.next()? {
            Piece::End => Ok(()),
            Piece::Open(tag) => Err(FormatError::unexpected(
                tag.line,
                &tag.shown(),
                "the end of the file; NCCL ignores what follows </graphs>",
            )),
            Piece::Close(name) => Err(self.unexpected_close(name, "the end of the file")),
        }
    }

    fn unexpected_close(&self, name: &str, expected: &str) -> FormatError {
        FormatError::unexpected(self.scanner.line(), &format!("</{name}>"), expected)
    }

    /// Returns the next element inside of another one, which already has a number of elements; `None` at its end.
    fn child(&mut self, parent: &Tag<'_>, names: &[&str], count: usize) -> Result<Option<Tag<'a>>, FormatError> {
        if parent.is_closed {
            return Ok(None);
        }
        let tag = match self.scanner.next()? {
            Piece::Open(tag) => tag,
            Piece::Close(name) if name == parent.name => return Ok(None),
            Piece::Close(name) => return Err(self.unexpected_close(name, &format!("</{}>", parent.name))),
            Piece::End => {
                let expected = format!("</{}>: the file is cut", parent.name);
                return Err(FormatError::unexpected(self.scanner.line(), "", expected));
            }
        };
        if !names.contains(&tag.name) {
            let close = format!("</{}>", parent.name);
            let allowed = names.iter().map(|name| format!("<{name}>")).chain([close]).collect::<Vec<_>>().join(" or ");
            let expected = format!("{allowed}; NCCL ignores other elements: remove it");
            return Err(FormatError::unexpected(tag.line, &tag.shown(), expected));
        }
        self.elements += 1;
        let limit = |what, count, limit| {
            let remedy = "remove some";
            Err(FormatError::new(tag.line, FormatFault::Limit { what, count, library: "NCCL", limit, remedy }))
        };
        if count == MAX_CHILDREN {
            return limit("elements in one element", count + 1, MAX_CHILDREN);
        }
        if self.elements > MAX_ELEMENTS {
            return limit("elements", self.elements, MAX_ELEMENTS);
        }
        Ok(Some(tag))
    }

    fn graph(&mut self, tag: &Tag<'a>) -> Result<NcclGraph, FormatError> {
        tag.check_names(&GRAPH)?;
        let id = number(tag, "graph", "id", "0 rings, 1 trees, 2 CollNet chains, 3 NVLS, 4 CollNet direct", 4)?;
        let id = GraphId::ALL[id as usize];
        let pattern = number(tag, "graph", "pattern", "a number from 1 to 6", 6)? as u8;
        if !id.patterns().contains(&pattern) {
            let patterns: Vec<String> = id.patterns().iter().map(u8::to_string).collect();
            let expected = format!("{} in {id}; NCCL uses it as written", patterns.join(" or "));
            return Err(FormatError::attribute(tag.line, ("graph", "pattern"), &pattern.to_string(), expected));
        }
        let stated = number(tag, "graph", "nchannels", "the number of <channel>", u32::MAX)?;
        let mut graph = NcclGraph {
            id,
            pattern,
            cross_nic: number(tag, "graph", "crossnic", "0, 1 or 2", 2)? as u8,
            speed_intra: speed(tag, "speedintra")?,
            speed_inter: speed(tag, "speedinter")?,
            latency_inter: tag.get("latencyinter").map_or(Ok(0.0), |_| speed(tag, "latencyinter"))?,
            type_intra: path_type(tag, "typeintra")?,
            type_inter: path_type(tag, "typeinter")?,
            same_channels: number(tag, "graph", "samechannels", "0 or 1", 1)? == 1,
            channels: Vec::new(),
        };
        while let Some(channel) = self.child(tag, &["channel"], graph.channels.len())? {
            graph.channels.push(self.channel(&channel, id)?);
        }
        check_channels(tag.line, &graph, stated)?;
        Ok(graph)
    }

    fn channel(&mut self, tag: &Tag<'a>, id: GraphId) -> Result<Order, FormatError> {
        tag.check_names(&[])?;
        let mut order = Order::inside([]);
        let mut nics = Vec::new();
        let mut count = 0;
        let mut is_after_exit = false;
        while let Some(child) = self.child(tag, &["net", "gpu"], count)? {
            count += 1;
            if is_after_exit {
                let expected = "</channel> after the <net> of the exit; each channel has two <net>, the first and the last element";
                return Err(FormatError::unexpected(child.line, &child.shown(), expected));
            }
            if child.name == "net" {
                child.check_names(&["dev"])?;
                nics.push(device(&child, "net")?);
                is_after_exit = !order.gpus.is_empty();
            } else {
                child.check_names(&["dev", "rank"])?;
                let gpu = device(&child, "gpu")?;
                self.note_rank(&child, gpu)?;
                order.gpus.push(gpu);
            }
            // The element is empty.
            self.child(&child, &[], 0)?;
        }
        order.nics = match nics[..] {
            [] => None,
            [entry, exit] if is_after_exit => Some([entry, exit]),
            _ => {
                let found = format!("a channel with {} <net>", nics.len());
                let expected = "no <net>, or two: the first element is the entry of the server, the last one its exit";
                return Err(FormatError::unexpected(tag.line, &found, expected));
            }
        };
        if order.gpus.is_empty() {
            return Err(FormatError::unexpected(tag.line, "<channel> without <gpu>", format!("the GPUs of {id}")));
        }
        Ok(order)
    }

    /// Verifies that all or no devices have ranks, and that devices and ranks correspond.
    fn note_rank(&mut self, tag: &Tag<'a>, gpu: u32) -> Result<(), FormatError> {
        let rank = tag.get("rank");
        let expected = "a 'rank' at all <gpu> or at none; remove all: with ranks, a file fits one communicator only";
        if *self.has_ranks.get_or_insert(rank.is_some()) != rank.is_some() {
            let found = format!("{} {} 'rank'", tag.shown(), if rank.is_some() { "with" } else { "without" });
            return Err(FormatError::unexpected(tag.line, &found, expected));
        }
        let Some(text) = rank else { return Ok(()) };
        let rank =
            text.parse().map_err(|_| FormatError::attribute(tag.line, ("gpu", "rank"), text, "a whole number"))?;
        let first = *self.ranks.entry(gpu).or_insert(rank);
        if first != rank {
            let expected =
                format!("{first}, its rank so far; NCCL ignores 'dev' if there is a 'rank': remove all ranks");
            return Err(FormatError::attribute(tag.line, ("gpu", "rank"), text, expected));
        }
        Ok(())
    }
}

/// Verifies the number of channels, and the GPUs of each.
fn check_channels(line: usize, graph: &NcclGraph, stated: u32) -> Result<(), FormatError> {
    let found = graph.channels.len();
    if stated as usize != found {
        let effect = if (stated as usize) < found {
            "NCCL ignores the other channels"
        } else {
            "NCCL uses channels without GPUs"
        };
        return Err(FormatError::new(line, FormatFault::ChannelCount { stated: stated.into(), found, effect }));
    }
    if found > MAX_CHANNELS {
        let (what, limit) = ("channels", MAX_CHANNELS);
        let remedy = "remove some from graphs 0 and 1";
        return Err(FormatError::new(line, FormatFault::Limit { what, count: found, library: "NCCL", limit, remedy }));
    }
    if !graph.id.has_all_gpus() {
        return Ok(());
    }
    if found == 0 {
        let expected = "at least 1; NCCL searches a graph without channels itself";
        return Err(FormatError::attribute(line, ("graph", "nchannels"), "0", expected));
    }
    let name = |channel: usize| format!("channel {channel} of {}", graph.id);
    let mut first = None;
    for (channel, order) in graph.channels.iter().enumerate() {
        let gpus = check_distinct(line, || name(channel), order.gpus.iter().copied())?;
        check_same(line, (&name(channel), &gpus), (&name(0), first.get_or_insert_with(|| gpus.clone())))?;
        if order.nics.is_some() != graph.channels[0].nics.is_some() {
            let found = format!("{} and {}, one with <net> and one without", name(0), name(channel));
            let expected = "<net> in all channels, between servers, or in none, in one server";
            return Err(FormatError::unexpected(line, &found, expected));
        }
    }
    Ok(())
}

fn missing(tag: &Tag<'_>, element: &'static str, attribute: &'static str, effect: &'static str) -> FormatError {
    FormatError::new(tag.line, FormatFault::Missing { element, attribute, effect })
}

/// Reads a whole number. NCCL takes `0x10` and `010` for 16 and 8, so they are refused.
fn number(
    tag: &Tag<'_>,
    element: &'static str,
    attribute: &'static str,
    expected: &str,
    most: u32,
) -> Result<u32, FormatError> {
    let text = tag.get(attribute).ok_or_else(|| missing(tag, element, attribute, REFUSED))?;
    let is_decimal = text == "0" || (!text.starts_with('0') && text.bytes().all(|byte| byte.is_ascii_digit()));
    let number = text.parse().ok().filter(|&number| is_decimal && number <= most);
    number.ok_or_else(|| FormatError::attribute(tag.line, (element, attribute), text, expected))
}

/// Reads a bandwidth or a latency.
fn speed(tag: &Tag<'_>, attribute: &'static str) -> Result<f32, FormatError> {
    let text = tag.get(attribute).ok_or_else(|| missing(tag, "graph", attribute, REFUSED))?;
    let is_number =
        !text.is_empty() && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'.' | b'e' | b'+' | b'-'));
    let number = text.parse().ok().filter(|number: &f32| is_number && number.is_finite() && *number >= 0.0);
    number.ok_or_else(|| {
        let unit = if attribute == "latencyinter" { "µs" } else { "GB/s" };
        FormatError::attribute(tag.line, ("graph", attribute), text, format!("a number of {unit} from 0 on"))
    })
}

fn path_type(tag: &Tag<'_>, attribute: &'static str) -> Result<PathType, FormatError> {
    let text = tag.get(attribute).ok_or_else(|| missing(tag, "graph", attribute, "NCCL crashes"))?;
    PathType::ALL.into_iter().find(|kind| kind.word() == text).ok_or_else(|| {
        let words = PathType::ALL.map(PathType::word).join(", ");
        let expected = format!("one of {words}; NCCL takes other words for LOC, the fastest path");
        FormatError::attribute(tag.line, ("graph", attribute), text, expected)
    })
}

/// Reads the number of a device.
fn device(tag: &Tag<'_>, element: &'static str) -> Result<u32, FormatError> {
    let text = tag.get("dev").ok_or_else(|| missing(tag, element, "dev", REFUSED))?;
    let wrong = |expected: String| FormatError::attribute(tag.line, (element, "dev"), text, expected);
    let (digits, is_hexadecimal) = match text.strip_prefix("0x").or(text.strip_prefix("0X")) {
        Some(digits) => (digits, true),
        None => (text, false),
    };
    let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    let value = u64::from_str_radix(digits, 16).ok().filter(|_| is_number);
    let value = value.ok_or_else(|| wrong("a number of a device such as 0x0".to_owned()))?;
    if !is_hexadecimal && digits.len() > 1 {
        let decimal = digits.parse::<u32>().map_or(String::new(), |number| format!("{number:#x} or "));
        let hexadecimal = format!("{value:#x}");
        return Err(wrong(format!(
            "{decimal}{hexadecimal}; without 0x, it is decimal before NCCL 2.27 and hexadecimal since"
        )));
    }
    u32::try_from(value).ok().filter(|&device| device <= MAX_DEVICE).ok_or_else(|| {
        wrong(format!("at most {MAX_DEVICE:#x}; devices of several systems in one file are not supported"))
    })
}

/// Returns what NCCL does with the file.
fn notes(graphs: &NcclGraphs, has_ranks: bool) -> Vec<String> {
    let mut notes = Vec::new();
    let count = |id| graphs.graph(id).map(|graph| graph.channels.len());
    match (count(GraphId::Ring), count(GraphId::Tree)) {
        (Some(rings), None) => notes.push(format!(
            "no graph 1 (trees): NCCL searches trees in exactly {rings} channels, and if it finds fewer, it uses only that number of rings"
        )),
        (None, Some(trees)) => {
            notes.push(format!("no graph 0 (rings): NCCL searches rings, and uses at most {trees} of them"));
        }
        (Some(rings), Some(trees)) if rings != trees => notes.push(format!(
            "rings in graph 0: {rings}, chains in graph 1: {trees}; NCCL uses {} of each",
            rings.min(trees)
        )),
        _ => {}
    }
    if has_ranks {
        notes.push(
            "the file has 'rank': it fits one communicator only, because NCCL then ignores 'dev'; remove all ranks"
                .to_owned(),
        );
    }
    if graphs.graphs.iter().any(|graph| graph.cross_nic == 1) {
        notes.push("crossnic is 1: NCCL ignores the graph if NCCL_CROSS_NIC is 0".to_owned());
    }
    let longest = graphs.graphs.iter().flat_map(|graph| &graph.channels).map(|order| order.gpus.len() + 2).max();
    if let Some(longest) = longest.filter(|&longest| longest > 130) {
        notes.push(format!("channels of {longest} elements need NCCL 2.29 or later"));
    }
    notes
}
