//! The lines of a log that concern rings and trees.

use crate::format::error::FormatError;

/// The mark of a line of NCCL.
pub(super) const MARK: &str = "NCCL INFO ";

/// What Ray writes behind a line that it shows once for several processes.
pub(super) const REPEATED: &str = "x across cluster]";

/// The largest number of a rank or channel that this reader supports.
const MAX_NUMBER: u32 = 1 << 20;

/// The children of a rank in a tree, and its parent.
pub(super) type TreePlace = ([Option<u32>; 3], Option<u32>);

/// The place of a rank in the tree of a channel.
#[derive(Clone, Copy, Debug)]
pub(super) struct TreeEntry {
    pub(super) channel: u32,
    pub(super) rank: u32,
    pub(super) place: TreePlace,
}

/// A line of NCCL, without its prefix.
#[derive(Debug)]
pub(super) enum Line<'a> {
    /// The creation of a communicator.
    Start { id: Option<&'a str>, ranks: u32 },
    /// A ring from rank 0 on, and the number of channels if the line has it. The last rank of a cut line is left out, because it may
    /// be cut itself.
    Channel { channel: u32, count: Option<u32>, ranks: Vec<u32>, is_cut: bool },
    /// Previous rank, own rank and next rank.
    Ring { channel: u32, ranks: [u32; 3] },
    /// The places of the own rank in some trees.
    Trees { entries: Vec<TreeEntry> },
    /// Rings or trees from a file.
    GraphFile { graph: u32 },
    /// A search without result.
    Fallback,
}

impl Line<'_> {
    /// Returns the number of the kind of a line of channel 0, which each rank prints once per communicator.
    pub(super) fn kind_of_first(&self) -> Option<usize> {
        match self {
            Self::Channel { channel: 0, .. } => Some(0),
            Self::Ring { channel: 0, .. } => Some(1),
            Self::Trees { entries } if entries.first().is_some_and(|entry| entry.channel == 0) => Some(2),
            _ => None,
        }
    }
}

/// The process and device of a line.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place<'a> {
    /// Host and process.
    process: &'a str,
    device: &'a str,
}

impl Place<'_> {
    pub(super) fn key(self) -> String {
        format!("{} {}", self.process, self.device)
    }
}

/// Parses a line. `None` if it does not concern rings and trees.
pub(super) fn parse(content: &str, number: usize) -> Result<Option<(Place<'_>, Line<'_>)>, FormatError> {
    let Some((prefix, text)) = content.split_once(MARK) else { return Ok(None) };
    let text = message(text);
    let line = if let Some(rest) = text.strip_prefix("Channel ") {
        channel(rest)
    } else if let Some(rest) = text.strip_prefix("Ring ") {
        ring(rest)
    } else if let Some(rest) = text.strip_prefix("Trees ") {
        Some(trees(rest, number)?)
    } else if let Some(rest) = text.strip_prefix("Tree ") {
        tree(rest)
    } else if let Some(rest) = text.strip_prefix("Search ") {
        graph_file(rest)
    } else if text.starts_with("Could not find a path for pattern") {
        Some(Line::Fallback)
    } else if text.contains("Init START") {
        start(text)
    } else {
        None
    };
    Ok(line.map(|line| (place(prefix), line)))
}

/// Returns the text of a line without what Ray adds: colours, which may have lost their escape character, and `[repeated 3x across cluster]`.
fn message(text: &str) -> &str {
    let text = text.split_once("[repeated ").map_or(text, |(text, _)| text.trim_end());
    let text = text.strip_suffix("[32m").unwrap_or(text);
    text.split('\u{1b}').next().unwrap_or(text).trim()
}

/// Returns the process of a line: the last word that ends with `host:pid:tid` or `host:pid`, and the device in brackets after it.
fn place(prefix: &str) -> Place<'_> {
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let mut place = Place { process: "", device: "" };
    for word in prefix.split_whitespace() {
        match word.rsplit_once(':') {
            Some((process, last)) if is_number(last) => {
                let has_thread = process.rsplit_once(':').is_some_and(|(_, process)| is_number(process));
                place = Place { process: if has_thread { process } else { word }, device: "" };
            }
            _ if word.starts_with('[') && word.ends_with(']') => place.device = word,
            _ => {}
        }
    }
    place
}

fn small_number(text: &str) -> Option<u32> {
    text.parse().ok().filter(|&number| number < MAX_NUMBER && text.bytes().all(|byte| byte.is_ascii_digit()))
}

/// Reads `CC/NN : R R R`, or `CC : R R R` of old releases.
fn channel(rest: &str) -> Option<Line<'_>> {
    let (numbers, ranks) = rest.split_once(':')?;
    let (channel, count) = match numbers.trim().split_once('/') {
        Some((channel, count)) => (small_number(channel)?, Some(small_number(count)?)),
        None => (small_number(numbers.trim())?, None),
    };
    let is_cut = ranks.trim_end().ends_with("...");
    let mut words: Vec<&str> = ranks.split_whitespace().collect();
    if is_cut {
        words.pop();
    }
    // A connection has other words than numbers.
    let ranks = words.into_iter().map(small_number).collect::<Option<Vec<u32>>>()?;
    let is_ring = is_cut || ranks.len() > 1;
    (is_ring && count.is_none_or(|count| channel < count)).then_some(Line::Channel { channel, count, ranks, is_cut })
}

/// Reads `CC : R -> R -> R`. The lines of old releases name connections: `CC : 3[c0] -> 0[80] via P2P/IPC`.
fn ring(rest: &str) -> Option<Line<'_>> {
    let (channel, ranks) = rest.split_once(" : ")?;
    let mut ranks = ranks.split("->").map(|rank| small_number(rank.trim()));
    let ranks = [ranks.next()??, ranks.next()??, ranks.next()??];
    Some(Line::Ring { channel: small_number(channel)?, ranks })
}

/// Reads `[C] D/D/D->R->U` for each channel. Releases before 2.6 write `U->R->D/D/D`. Releases 2.6 and 2.7 write `D/D/D->R->U|U->R->D/D/D`, with
/// the same tree twice.
fn trees(rest: &str, number: usize) -> Result<Line<'_>, FormatError> {
    let mut words = rest.split_whitespace().peekable();
    let mut entries = Vec::new();
    while let Some(word) = words.next() {
        let channel = word.strip_prefix('[').and_then(|word| word.strip_suffix(']')).and_then(small_number);
        let entry = channel.zip(words.next()).and_then(|(channel, place)| {
            let mut parts = place.split('|').next()?.split("->");
            let (first, rank, last) = (parts.next()?, parts.next()?, parts.next()?);
            let (children, parent) = if first.contains('/') { (first, last) } else { (last, first) };
            let place = (children_of(children)?, rank_or_none(parent).ok()?);
            Some(TreeEntry { channel, rank: small_number(rank)?, place })
        });
        match entry {
            Some(entry) => entries.push(entry),
            None if entries.is_empty() => {
                let expected = "'Trees [0] 1/-1/-1->0->-1', as NCCL prints it";
                return Err(FormatError::unexpected(number, rest, expected));
            }
            // NCCL cuts long lines.
            None => break,
        }
    }
    Ok(Line::Trees { entries })
}

/// Reads `C : U -> R -> D/D/D`.
fn tree(rest: &str) -> Option<Line<'_>> {
    let (channel, place) = rest.split_once(" : ")?;
    let mut parts = place.split("->").map(str::trim);
    let (parent, rank, children) = (parts.next()?, parts.next()?, parts.next()?);
    let place = (children_of(children)?, rank_or_none(parent).ok()?);
    let entry = TreeEntry { channel: small_number(channel.trim())?, rank: small_number(rank)?, place };
    Some(Line::Trees { entries: vec![entry] })
}

/// A text that is neither a rank nor -1.
struct NoRank;

/// Reads a rank, or -1 for none.
fn rank_or_none(text: &str) -> Result<Option<u32>, NoRank> {
    if text == "-1" { Ok(None) } else { small_number(text).map(Some).ok_or(NoRank) }
}

fn children_of(text: &str) -> Option<[Option<u32>; 3]> {
    let children: Result<Vec<Option<u32>>, NoRank> = text.split('/').map(rank_or_none).collect();
    children.ok()?.try_into().ok()
}

/// Reads `i : k channels loaded from XML graph`.
fn graph_file(rest: &str) -> Option<Line<'_>> {
    let (graph, rest) = rest.split_once(" : ")?;
    rest.contains("loaded from XML graph").then_some(Line::GraphFile { graph: small_number(graph)? })
}

/// Reads `… rank R nranks N … commId X - Init START`.
fn start(text: &str) -> Option<Line<'_>> {
    let after = |name: &str| text.split_whitespace().skip_while(|&word| word != name).nth(1);
    Some(Line::Start { id: after("commId"), ranks: small_number(after("nranks")?)? })
}
