//! The text of a flow.

/// A chunk on a link: the numbers of the GPUs.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Flow {
    pub(super) epoch: u32,
    pub(super) source: u32,
    pub(super) chunk: u32,
    pub(super) from: u32,
    pub(super) to: u32,
}

/// Reads `Chunk 0 from 14 traveled over 14->13 with volume 0.5 in epoch 0 via switches 0`. The volume and the switches are
/// optional. A volume is a part of a chunk, so it is more than 0 and at most 1.
pub(super) fn flow(text: &str) -> Option<(Flow, Option<f64>)> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let ["Chunk", chunk, "from", source, "traveled", "over", link, ref rest @ ..] = words[..] else { return None };
    let (volume, rest) = match rest {
        ["with", "volume", volume, rest @ ..] => (Some(volume.parse::<f64>().ok()?), rest),
        _ => (None, rest),
    };
    let ["in", "epoch", epoch, rest @ ..] = rest else { return None };
    let (from, to) = link.split_once("->")?;
    let has_end = rest.is_empty() || rest.starts_with(&["via", "switches"]);
    let is_part = volume.is_none_or(|volume| volume > 0.0 && volume <= 1.0);
    let number = |text: &str| text.parse::<u32>().ok();
    let flow = Flow {
        epoch: number(epoch)?,
        source: number(source)?,
        chunk: number(chunk)?,
        from: number(from)?,
        to: number(to)?,
    };
    (has_end && is_part && flow.from != flow.to).then_some((flow, volume))
}
