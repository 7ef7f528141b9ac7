//! Messages that pass the ports of one terminal.

/// Returns `ceil(work / per_step)` if there is work and capacity, at most `u32::MAX`.
pub(crate) fn ceil_steps(work: u64, per_step: u64) -> Option<u32> {
    let steps = (work > 0 && per_step > 0).then(|| work.div_ceil(per_step))?;
    Some(u32::try_from(steps).unwrap_or(u32::MAX))
}

/// Messages that pass the ports of one terminal, each with at least the same duration.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Pipeline {
    /// Number of steps until all messages have arrived.
    pub(crate) steps: u32,
    /// Number of messages.
    pub(crate) messages: u64,
    /// The smallest number of steps for which a message is under way.
    pub(crate) duration: u32,
}

/// Returns the longest necessary pipeline among messages of these durations, each split into `chunks`.
///
/// The last of `n` messages starts in step `ceil(n / ports)` or later, and then takes its duration.
pub(crate) fn longest_pipeline(mut durations: Vec<u32>, chunks: u32, ports: u64) -> Option<Pipeline> {
    durations.sort_unstable_by(|a, b| b.cmp(a));
    let mut longer = 0;
    let pipelines = durations.chunk_by(|a, b| a == b).filter_map(|equal| {
        longer += equal.len() as u64;
        let (messages, duration) = (longer * u64::from(chunks), equal[0]);
        let steps = (ports > 0).then(|| messages.div_ceil(ports))? + u64::from(duration.saturating_sub(1));
        Some(Pipeline { steps: u32::try_from(steps).unwrap_or(u32::MAX), messages, duration })
    });
    pipelines.reduce(|best, next| if next.steps > best.steps { next } else { best })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_message_through_the_ports_decides() {
        // Four messages through one port: the last of the three that take 2 steps ends in step 4, the end of all.
        let through = |durations: &[u32], chunks, ports| longest_pipeline(durations.to_vec(), chunks, ports);
        assert_eq!(through(&[1, 2, 2, 2], 1, 1), Some(Pipeline { steps: 4, messages: 3, duration: 2 }));
        assert_eq!(through(&[1, 9, 1], 1, 1), Some(Pipeline { steps: 9, messages: 1, duration: 9 }));
        assert_eq!(through(&[3], 5, 2), Some(Pipeline { steps: 5, messages: 5, duration: 3 }));
        assert_eq!(through(&[], 5, 2), None);
    }

    #[test]
    fn steps_are_rounded_up_and_never_overflow() {
        assert_eq!([ceil_steps(7, 2), ceil_steps(0, 2), ceil_steps(7, 0)], [Some(4), None, None]);
        assert_eq!(ceil_steps(u64::MAX, 1), Some(u32::MAX));
    }
}
