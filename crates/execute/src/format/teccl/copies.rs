//! Results with demands: flows of whole chunks.

use std::collections::BTreeMap;

use serde::de::IgnoredAny;

use super::flow::{Flow, flow};
use super::program::{Flows, Goal, Item, Transfer};
use crate::error::LoadError;
use crate::program::ParallelProgram;

/// By source, receiver and chunk: the time of arrival.
#[expect(clippy::zero_sized_map_values, reason = "the values of a JSON object that are not read")]
pub(super) type DemandJson = BTreeMap<String, BTreeMap<String, BTreeMap<String, IgnoredAny>>>;

/// Returns the program of a result with demands.
pub(super) fn load(demand: &DemandJson, texts: &[String]) -> Result<ParallelProgram, LoadError> {
    let mut flows = Vec::with_capacity(texts.len());
    for (index, text) in texts.iter().enumerate() {
        let Some((flow, None)) = flow(text) else {
            let expected = "`Chunk C from GPU traveled over GPU->GPU in epoch E`, and optionally `via switches …`";
            return Err(LoadError::syntax(format!("7-Flows[{index}]"), expected, text));
        };
        flows.push(flow);
    }
    let demands = demands(demand)?;
    let mut numbers: BTreeMap<(u32, u32), u32> = BTreeMap::new();
    let mut items = Vec::new();
    let mut item = |source, chunk| {
        *numbers.entry((source, chunk)).or_insert_with(|| {
            items.push(Item { source, number: chunk });
            items.len() as u32 - 1
        })
    };
    let goals = demands.iter().map(|&(source, receiver, chunk)| Goal { item: item(source, chunk), receiver }).collect();
    let mut transfer = |&Flow { epoch, source, chunk, from, to }: &Flow| Transfer {
        epoch,
        from,
        to,
        first: item(source, chunk),
        count: 1,
    };
    let transfers = flows.iter().map(&mut transfer).collect();
    let title = format!("{} demands of TE-CCL", demands.len());
    Ok(Flows { title, items, goals, transfers }.program())
}

/// Returns source, receiver and chunk of all demands.
fn demands(demand: &DemandJson) -> Result<Vec<(u32, u32, u32)>, LoadError> {
    let number = |text: &str, word: &str| {
        let number = text.strip_prefix(word).and_then(|text| text.trim_start().parse::<u32>().ok());
        number.ok_or_else(|| LoadError::syntax("6-Demand_Met".to_owned(), format!("`{word} N`"), text))
    };
    let mut demands = Vec::new();
    for (source, receivers) in demand {
        for (receiver, chunks) in receivers {
            for chunk in chunks.keys() {
                demands.push((number(source, "GPU")?, number(receiver, "GPU")?, number(chunk, "Chunk")?));
            }
        }
    }
    Ok(demands)
}
