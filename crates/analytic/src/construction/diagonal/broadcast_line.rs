//! Broadcasts on a line whose points reach two others on each side per round.

/// The interval of a line that one of its points must reach.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct LineInterval {
    /// The point that holds the message.
    pub(super) at: i64,
    /// Number of points below the holder.
    below: i64,
    /// Number of points above the holder.
    above: i64,
}

/// The parts of an interval after a round.
#[derive(Clone, Copy, Debug)]
pub(super) struct IntervalSplit {
    kept: LineInterval,
    /// The cells below that are handed over, the nearest first, each with its new holder.
    pub(super) below: [Option<LineInterval>; 2],
    /// The cells above that are handed over, the nearest first, each with its new holder.
    pub(super) above: [Option<LineInterval>; 2],
}

/// The points `-(points - 1) / 2` to `points / 2`, of which 0 holds the message.
///
/// In a round, every holder keeps the nearest points on each side, hands over the rest in up to two cells, and sends to
/// their centres. The cells are as large as the remaining rounds allow. Cells do not overlap, so transfers in different
/// intervals share no channel.
#[derive(Clone, Copy, Debug)]
pub(super) struct BroadcastLine {
    pub(super) points: i64,
    pub(super) rounds: usize,
}

impl BroadcastLine {
    /// Creates a line that takes `ceil(log5 points)` rounds.
    pub(super) fn new(points: u32) -> Self {
        let rounds = (0..=14).find(|&rounds| 5u64.pow(rounds) >= u64::from(points)).expect("5^14 is above every u32");
        Self { points: points.into(), rounds: rounds as usize }
    }

    /// Returns the points, ascending.
    pub(super) fn points(&self) -> impl Iterator<Item = i64> + use<> {
        -(self.points - 1) / 2..self.points / 2 + 1
    }

    /// Returns the point that is congruent to a number modulo the number of points.
    pub(super) fn point(&self, number: i64) -> i64 {
        let number = number.rem_euclid(self.points);
        if number > self.points / 2 { number - self.points } else { number }
    }

    /// Returns the interval of the holder that reaches a point, or of the point itself, at the beginning of a round.
    pub(super) fn interval(&self, point: i64, round: usize) -> LineInterval {
        self.intervals(point).nth(round).expect("a round, or the end of the last one")
    }

    /// Returns the number of rounds after which a point holds the message.
    pub(super) fn arrival(&self, point: i64) -> usize {
        self.intervals(point).position(|interval| interval.at == point).expect("the line reaches all its points")
    }

    /// Returns the intervals that contain a point: the whole line, and one after each round.
    fn intervals(&self, point: i64) -> impl Iterator<Item = LineInterval> {
        let whole = LineInterval { at: 0, below: (self.points - 1) / 2, above: self.points / 2 };
        (0..=self.rounds).scan(whole, move |interval, round| {
            let here = *interval;
            if round < self.rounds {
                *interval = self.split(here, round).part_of(point);
            }
            Some(here)
        })
    }

    /// Returns the parts of an interval after a round.
    pub(super) fn split(&self, interval: LineInterval, round: usize) -> IntervalSplit {
        let cell = 5i64.pow((self.rounds - 1 - round) as u32);
        let kept = |points: i64| points.min((cell - 1) / 2);
        // The distance of the centre of each cell on one side, with the number of points before and behind it.
        let cells = |points: i64| {
            let first = (points - kept(points)).min(cell);
            let second = (points - kept(points) - first).min(cell);
            [(kept(points), first), (kept(points) + first, second)]
                .map(|(before, size)| (size > 0).then(|| (before + 1 + (size - 1) / 2, (size - 1) / 2, size / 2)))
        };
        let LineInterval { at, below, above } = interval;
        IntervalSplit {
            kept: LineInterval { at, below: kept(below), above: kept(above) },
            below: cells(below).map(|cell| {
                cell.map(|(far, before, behind)| LineInterval { at: at - far, below: behind, above: before })
            }),
            above: cells(above).map(|cell| {
                cell.map(|(far, before, behind)| LineInterval { at: at + far, below: before, above: behind })
            }),
        }
    }
}

impl IntervalSplit {
    fn part_of(self, point: i64) -> LineInterval {
        let handed = [self.below, self.above].into_iter().flatten().flatten();
        let contains = |part: &LineInterval| (part.at - part.below..=part.at + part.above).contains(&point);
        handed.chain([self.kept]).find(contains).unwrap_or(self.kept)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_point_is_reached_once_and_in_time() {
        for points in (1..400).chain([624, 625, 626, 3125, 3126]) {
            let line = BroadcastLine::new(points);
            assert!(
                5u64.pow(line.rounds as u32) >= u64::from(points)
                    && (line.rounds == 0 || 5u64.pow(line.rounds as u32 - 1) < u64::from(points))
            );
            let mut holders = vec![line.interval(0, 0)];
            for round in 0..line.rounds {
                holders = holders
                    .iter()
                    .flat_map(|&interval| {
                        let IntervalSplit { kept, below, above } = line.split(interval, round);
                        [kept].into_iter().chain(below.into_iter().chain(above).flatten()).collect::<Vec<_>>()
                    })
                    .collect();
                for holder in &holders {
                    assert_eq!(line.interval(holder.at, round + 1), *holder);
                    assert!(line.arrival(holder.at) <= round + 1);
                }
            }
            assert!(holders.iter().all(|interval| (interval.below, interval.above) == (0, 0)));
            let mut reached: Vec<i64> = holders.iter().map(|interval| interval.at).collect();
            reached.sort_unstable();
            assert!(reached.into_iter().eq(line.points()), "{points}");
        }
    }
}
