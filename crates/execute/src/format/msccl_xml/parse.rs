//! The reader of the algorithm of a file.

use super::algorithm::{Algorithm, Block, Gpu, KINDS, Step};
use super::elements::{Element, Elements, Part};
use super::limits::{Limits, MAX_CHILDREN, MAX_COUNT};
use crate::error::{LoadError, LoadProblem};
use crate::program::BufferName;

const COLLECTIVES: [&str; 11] = [
    "allgather",
    "allreduce",
    "alltoall",
    "alltoallv",
    "broadcast",
    "gather",
    "recv",
    "reduce",
    "reducescatter",
    "scatter",
    "send",
];

/// The greatest number of the parser.
const MAX_NUMBER: u32 = i32::MAX.cast_unsigned();

/// Reads the algorithm of a file.
pub(super) fn parse(text: &str, limits: &Limits) -> Result<Algorithm, LoadError> {
    let mut elements = Elements::new(text);
    let Some(Part::Start(algo)) = elements.next()? else {
        return Err(LoadError::syntax(elements.line(), "`<algo …>`", text.trim_start()));
    };
    if algo.name != "algo" {
        return Err(LoadError::syntax(algo.line, "element `algo`", algo.name));
    }
    let mut algorithm = algorithm(&algo, limits)?;
    let gpu_count = algo.number("algo", "ngpus", 1..=MAX_CHILDREN as u32)?;
    if !algo.is_empty {
        while let Some(element) = child(&mut elements, "algo", "gpu")? {
            algorithm.gpus.push(gpu(&mut elements, &element, algorithm.gpus.len() as u32, gpu_count, limits)?);
        }
    }
    if algorithm.gpus.len() != gpu_count as usize {
        let expected = format!("the number of elements `gpu`: {}", algorithm.gpus.len());
        return Err(LoadError::field(algo.line, "algo", "ngpus", gpu_count, expected));
    }
    match elements.next()? {
        None => {}
        Some(Part::Start(element)) => {
            return Err(LoadError::syntax(element.line, "the end of the file", element.name));
        }
        Some(Part::End { name, line }) => return Err(LoadError::syntax(line, "the end of the file", name)),
    }
    for gpu in &algorithm.gpus {
        limits.check_gpu(gpu, algorithm.gpus.len())?;
    }
    Ok(algorithm)
}

/// Reads the attributes of `algo`.
fn algorithm(algo: &Element<'_>, limits: &Limits) -> Result<Algorithm, LoadError> {
    let flag = |field| Ok(algo.number("algo", field, 0..=1_u32)? == 1);
    word(algo, "algo", "proto", &["Simple", "LL", "LL128"])?;
    algo.number("algo", "nchannels", 1..=limits.last_channel() + 1)?;
    for field in ["minBytes", "maxBytes"] {
        if is_given(algo, field, limits)? {
            algo.number("algo", field, 0..=i64::MAX.cast_unsigned())?;
        }
    }
    let in_place = flag("inplace")?;
    // For MSCCL, an algorithm has one placement.
    let out_of_place = if is_given(algo, "outofplace", limits)? { flag("outofplace")? } else { !in_place };
    Ok(Algorithm {
        collective: word(algo, "algo", "coll", &COLLECTIVES)?.to_owned(),
        line: algo.line,
        chunks_per_loop: algo.number("algo", "nchunksperloop", 1..=MAX_NUMBER)?,
        in_place,
        out_of_place,
        gpus: Vec::new(),
    })
}

/// Returns whether `algo` has an attribute that only some runtimes need.
fn is_given(algo: &Element<'_>, field: &'static str, limits: &Limits) -> Result<bool, LoadError> {
    let is_given = algo.has(field);
    if !is_given && limits.has_sizes_and_placements {
        let problem = LoadProblem::MissingForRccl { element: "algo", field };
        return Err(LoadError { place: algo.line.into(), problem });
    }
    Ok(is_given)
}

/// Reads `gpu`, the element of a rank.
fn gpu(
    elements: &mut Elements<'_>,
    element: &Element<'_>,
    rank: u32,
    gpu_count: u32,
    limits: &Limits,
) -> Result<Gpu, LoadError> {
    let id = element.number("gpu", "id", 0..=MAX_NUMBER)?;
    if id != rank {
        return Err(LoadError::field(element.line, "gpu", "id", id, format!("{rank}, the next number")));
    }
    element.number("gpu", "i_chunks", 0..=MAX_NUMBER)?;
    element.number("gpu", "o_chunks", 0..=MAX_NUMBER)?;
    let scratch = element.number("gpu", "s_chunks", 0..=MAX_NUMBER)?;
    let mut blocks = Vec::new();
    if !element.is_empty {
        while let Some(of_block) = child(elements, "gpu", "tb")? {
            blocks.push(block(elements, &of_block, [rank, blocks.len() as u32, gpu_count], limits)?);
            limits.check(element.line, "elements in a `gpu`", blocks.len(), MAX_CHILDREN)?;
        }
    }
    Ok(Gpu { line: element.line, scratch, blocks })
}

/// Reads `tb`. `expected` has the rank, the number of the thread block and the number of GPUs.
fn block(
    elements: &mut Elements<'_>,
    element: &Element<'_>,
    [rank, number, gpu_count]: [u32; 3],
    limits: &Limits,
) -> Result<Block, LoadError> {
    let id = element.number("tb", "id", 0..=MAX_NUMBER)?;
    if id != number {
        return Err(LoadError::field(element.line, "tb", "id", id, format!("{number}, the next number")));
    }
    let peer = |field| match optional(element, "tb", field, gpu_count - 1)? {
        Some(peer) if peer == rank => Err(LoadError::field(element.line, "tb", field, peer, "another GPU, or -1")),
        peer => Ok(peer),
    };
    let (send, receive) = (peer("send")?, peer("recv")?);
    let channel = element.number("tb", "chan", 0..=limits.last_channel())?;
    let mut steps = Vec::new();
    if !element.is_empty {
        while let Some(of_step) = child(elements, "tb", "step")? {
            steps.push(step(&of_step, steps.len() as u32)?);
            limits.check(element.line, "steps of a thread block", steps.len(), limits.steps_per_block)?;
            if !of_step.is_empty && child(elements, "step", "no element")?.is_some() {
                return Err(LoadError::syntax(of_step.line, "`</step>`", "an element"));
            }
        }
    }
    let block = Block { line: element.line, send, receive, channel, steps };
    for step in &block.steps {
        if step.kind.sends && block.send.is_none() {
            return Err(LoadError::field(step.line, "step", "type", step.kind.word, "no send, because `send` is -1"));
        }
        if step.kind.receives && block.receive.is_none() {
            return Err(LoadError::field(
                step.line,
                "step",
                "type",
                step.kind.word,
                "no receive, because `recv` is -1",
            ));
        }
    }
    Ok(block)
}

/// Reads `step`.
fn step(element: &Element<'_>, number: u32) -> Result<Step, LoadError> {
    let id = element.number("step", "s", 0..=MAX_NUMBER)?;
    if id != number {
        return Err(LoadError::field(element.line, "step", "s", id, format!("{number}, the next number")));
    }
    let text = element.text("step", "type")?;
    let Some(kind) = KINDS.iter().find(|kind| kind.word == text) else {
        let words = KINDS.iter().map(|kind| kind.word).collect::<Vec<_>>().join(", ");
        return Err(LoadError::field(element.line, "step", "type", text, words));
    };
    let buffer = |field| {
        Ok(match word(element, "step", field, &["i", "o", "s"])? {
            "i" => BufferName::Input,
            "o" => BufferName::Output,
            _ => BufferName::Scratch,
        })
    };
    let least = u32::from(kind.word != "nop");
    let dependency = match optional(element, "step", "depid", MAX_NUMBER)? {
        None => None,
        Some(block) => Some((block, element.number("step", "deps", 0..=MAX_NUMBER)?)),
    };
    optional(element, "step", "deps", MAX_NUMBER)?;
    Ok(Step {
        line: element.line,
        kind,
        source: (buffer("srcbuf")?, optional(element, "step", "srcoff", MAX_NUMBER)?),
        destination: (buffer("dstbuf")?, optional(element, "step", "dstoff", MAX_NUMBER)?),
        count: element.number("step", "cnt", least..=MAX_COUNT)?,
        dependency,
        has_dependants: element.number("step", "hasdep", 0..=1_u32)? == 1,
    })
}

/// Returns the next element inside an open one; `None` at the end of the open one.
fn child<'a>(elements: &mut Elements<'a>, open: &str, name: &str) -> Result<Option<Element<'a>>, LoadError> {
    match elements.next()? {
        Some(Part::Start(element)) if element.name == name => Ok(Some(element)),
        Some(Part::End { name: end, .. }) if end == open => Ok(None),
        Some(Part::Start(Element { name: found, line, .. }) | Part::End { name: found, line }) => {
            Err(LoadError::syntax(line, format!("`{name}` or the end of `{open}`"), found))
        }
        None => Err(LoadError::syntax(elements.line(), format!("`</{open}>`"), "")),
    }
}

/// Returns the value of an attribute as a number from 0 to `most`; `None` for -1.
fn optional(
    element: &Element<'_>,
    name: &'static str,
    field: &'static str,
    most: u32,
) -> Result<Option<u32>, LoadError> {
    Ok(u32::try_from(element.number(name, field, -1..=i64::from(most))?).ok())
}

/// Returns an attribute that is one of several words.
fn word<'a>(
    element: &Element<'a>,
    name: &'static str,
    field: &'static str,
    words: &[&str],
) -> Result<&'a str, LoadError> {
    let value = element.text(name, field)?;
    if words.contains(&value) {
        return Ok(value);
    }
    Err(LoadError::field(element.line, name, field, value, format!("one of {}", words.join(", "))))
}
