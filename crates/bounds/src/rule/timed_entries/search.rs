//! The local search for the resources and ports whose classes prove the most steps.

use fixedbitset::FixedBitSet;

use super::cover::Cover;
use super::packet_network::{PacketNetwork, Terminals};
use super::spread::Spread;
use super::window::{ClassNeeds, Window, entries, separated};
use crate::request::BoundRequest;

/// Visits of terminals and channels for one search: about a tenth of a second.
const MAX_VISITS: u64 = 1 << 24;

/// The number of choices that the local search improves.
const IMPROVED: usize = 8;

/// Chosen resources and ports, and what they prove.
#[derive(Clone)]
pub(super) struct Choice {
    /// The places of the resources and ports.
    pub(super) chosen: FixedBitSet,
    /// The transfers that messages need, each with the steps in which some message needs it.
    pub(super) windows: Vec<Window>,
    /// The number of steps that is proved, not rounded.
    quotient: f64,
    /// The number of steps that is proved.
    pub(super) steps: u32,
}

/// Transfers of which some messages need one.
struct Need {
    /// Number of messages.
    count: u64,
    /// The messages, and the class if the need vanishes where the class is complete first.
    first: Option<(usize, usize)>,
    windows: Vec<Window>,
}

impl Need {
    /// Returns the least number of steps before the transfers, and after them.
    fn least(&self) -> [u32; 2] {
        let least = |steps: fn(&Window) -> u32| self.windows.iter().map(steps).min().unwrap_or(0);
        [least(|window| window.before), least(|window| window.after)]
    }
}

/// The search in one network.
pub(super) struct Search<'a> {
    network: &'a PacketNetwork,
    spreads: &'a [Spread],
    is_gossip: bool,
    request: &'a BoundRequest<'a>,
    visits: u64,
    cover: Cover,
}

impl<'a> Search<'a> {
    pub(super) fn new(
        network: &'a PacketNetwork,
        spreads: &'a [Spread],
        is_gossip: bool,
        request: &'a BoundRequest<'a>,
    ) -> Self {
        Self { network, spreads, is_gossip, request, visits: 0, cover: Cover::default() }
    }

    /// Returns the best choice that proves more than `proved` steps.
    pub(super) fn best(&mut self, proved: u32) -> Option<Choice> {
        let mut choices: Vec<Choice> = Vec::new();
        for start in self.starts() {
            choices.extend(self.evaluated(&start));
        }
        choices.sort_by(|a, b| b.quotient.total_cmp(&a.quotient).then_with(|| a.chosen.cmp(&b.chosen)));
        choices.dedup_by(|a, b| a.chosen == b.chosen);
        choices.truncate(IMPROVED);
        for choice in &mut choices {
            while let Some(better) = self.improved(choice) {
                *choice = better;
            }
        }
        choices
            .into_iter()
            .filter(|choice| choice.steps > proved)
            .reduce(|best, next| if next.steps > best.steps { next } else { best })
    }

    /// Returns the first choices: each place alone, and the resources into and out of each terminal.
    fn starts(&self) -> Vec<FixedBitSet> {
        let network = self.network;
        let limited = |places: &mut dyn Iterator<Item = usize>| {
            let mut chosen = FixedBitSet::with_capacity(network.capacity.len());
            chosen.extend(places.filter(|&place| network.capacity[place] > 0));
            chosen
        };
        let mut starts: Vec<FixedBitSet> =
            (0..network.capacity.len()).map(|place| limited(&mut [place].into_iter())).collect();
        for rank in 0..network.terminals {
            let resource = |hop: usize| network.hops[hop].places[0];
            let into = || network.into(1 << rank).map(resource);
            let out_of = || network.out_of(1 << rank).map(resource);
            starts.push(limited(&mut into()));
            starts.push(limited(&mut out_of()));
            starts.push(limited(&mut into().chain(out_of())));
        }
        starts.retain(|chosen| !chosen.is_clear());
        starts
    }

    /// Returns the best choice that differs by one place, if it proves more.
    fn improved(&mut self, choice: &Choice) -> Option<Choice> {
        let mut best: Option<Choice> = None;
        for place in (0..self.network.capacity.len()).filter(|&place| self.network.capacity[place] > 0) {
            let mut chosen = choice.chosen.clone();
            chosen.toggle(place);
            let least = best.as_ref().unwrap_or(choice).quotient;
            best = self.evaluated(&chosen).filter(|next| next.quotient > least + 1e-9).or(best);
        }
        best
    }

    /// Returns what a choice proves; `None` if it proves nothing, or if the work or the time is over.
    fn evaluated(&mut self, chosen: &FixedBitSet) -> Option<Choice> {
        let network = self.network;
        if self.visits > MAX_VISITS || self.request.is_over() {
            return None;
        }
        self.visits += (network.terminals * network.hops.len()) as u64;
        let is_chosen = |hop: usize| network.hops[hop].places.iter().any(|&place| chosen.contains(place));
        let classes = network.classes(|hop| hop.places.iter().all(|&place| !chosen.contains(place)));
        if classes.len() == 1 {
            return None;
        }
        let entries = self.entries(&classes, &is_chosen);
        let mut best = self.proved_by(chosen, &entries);
        if self.is_gossip {
            let gossips = self.gossips(&classes, &is_chosen);
            let of_gossip = self.proved_by(chosen, &gossips);
            best = best.into_iter().chain(of_gossip).reduce(|a, b| if b.quotient > a.quotient { b } else { a });
        }
        best
    }

    /// Returns the entries that messages need into classes that only chosen resources and ports lead into.
    fn entries(&mut self, classes: &[Terminals], is_chosen: &dyn Fn(usize) -> bool) -> Vec<Need> {
        let network = self.network;
        let mut needs = Vec::new();
        for &class in classes.iter().filter(|&&class| network.into(class).all(is_chosen)) {
            for spread in self.spreads {
                let steps = |&(source, receiver): &(usize, usize)| {
                    let windows = || entries(network, class, [source, receiver]);
                    let least =
                        [windows().map(|window| window.before).min(), windows().map(|window| window.after).min()];
                    least.into_iter().flatten().sum::<u32>()
                };
                let [sources, receivers] = [spread.sources, spread.receivers].map(|set| u64::from(set.count_ones()));
                self.visits += sources * ((network.terminals + network.hops.len()) as u64 + receivers);
                let Some((source, receiver)) = separated(network, spread, class).max_by_key(steps) else { continue };
                let windows: Vec<Window> = entries(network, class, [source, receiver]).collect();
                needs.extend((!windows.is_empty()).then_some(Need { count: spread.count, first: None, windows }));
            }
        }
        needs
    }

    /// Returns what all-reduces need of classes where only chosen resources and ports lead into them, or out of them.
    fn gossips(&self, classes: &[Terminals], is_chosen: &dyn Fn(usize) -> bool) -> Vec<Need> {
        let mut needs = Vec::new();
        for (place, spread) in self.spreads.iter().enumerate() {
            for (class, of_class) in ClassNeeds::all(self.network, classes, spread.sources).into_iter().enumerate() {
                for windows in [of_class.departures, of_class.completions] {
                    if windows.iter().all(|window| is_chosen(window.hop)) {
                        needs.push(Need { count: spread.count, first: Some((place, class)), windows });
                    }
                }
            }
        }
        needs
    }

    /// Returns the most steps that some of these needs prove: those that have at least some numbers of steps before and after.
    fn proved_by(&mut self, chosen: &FixedBitSet, needs: &[Need]) -> Option<Choice> {
        let least: Vec<[u32; 2]> = needs.iter().map(Need::least).collect();
        let distinct = |side: usize| {
            let mut steps: Vec<u32> = least.iter().map(|least| least[side]).collect();
            steps.sort_unstable();
            steps.dedup();
            steps
        };
        let mut best: Option<Choice> = None;
        for before in distinct(0) {
            for after in distinct(1) {
                let is_kept = |place: &usize| least[*place][0] >= before && least[*place][1] >= after;
                let kept: Vec<&Need> = (0..needs.len()).filter(is_kept).map(|place| &needs[place]).collect();
                let choice = self.with(chosen, &kept);
                best = best.into_iter().chain(choice).reduce(|a, b| if b.quotient > a.quotient { b } else { a });
            }
        }
        best
    }

    /// Returns what these needs prove together.
    fn with(&mut self, chosen: &FixedBitSet, needs: &[&Need]) -> Option<Choice> {
        let transfers = needed(needs);
        let mut windows: Vec<Window> = needs.iter().flat_map(|need| &need.windows).copied().collect();
        windows.sort_unstable_by_key(|window| window.hop);
        windows.dedup_by(|next, first| {
            let is_same = next.hop == first.hop;
            if is_same {
                (first.before, first.after) = (first.before.min(next.before), first.after.min(next.after));
            }
            is_same
        });
        let [before, after] = [|window: &Window| window.before, |window: &Window| window.after]
            .map(|steps| windows.iter().map(steps).max().unwrap_or(0));
        if transfers == 0 || before == u32::MAX || after == u32::MAX {
            return None;
        }
        // The steps at both ends, and one between them.
        let ends = (before + after) as usize;
        self.visits += (windows.len() * (ends + 1)) as u64;
        let mut room = |steps: usize, step: usize| {
            let open = windows.iter().filter(|window| window.steps(steps).contains(&step));
            self.cover.choose(self.network, chosen, open.map(|window| window.hop));
            self.cover.capacity
        };
        let with_one_between: Vec<u64> = (0..=ends).map(|step| room(ends + 1, step)).collect();
        let between = with_one_between[before as usize];
        let at_ends = with_one_between.iter().sum::<u64>() - between;
        let quotient = if transfers > at_ends {
            ends as f64 + (transfers - at_ends) as f64 / between as f64
        } else {
            let fits = |steps: &usize| (0..*steps).map(|step| room(*steps, step)).sum::<u64>() >= transfers;
            (0..=ends).find(fits).unwrap_or(ends) as f64
        };
        #[expect(clippy::cast_sign_loss, reason = "it is a number of steps")]
        let steps = (quotient - 1e-9).ceil() as u32;
        (steps > 1).then(|| Choice { chosen: chosen.clone(), windows, quotient, steps })
    }
}

/// Returns the number of transfers that these needs require.
fn needed(needs: &[&Need]) -> u64 {
    let all: u64 = needs.iter().map(|need| need.count).sum();
    // For each message, the needs of one class vanish.
    let mut of_classes: Vec<((usize, usize), u64)> =
        needs.iter().filter_map(|need| Some((need.first?, need.count))).collect();
    of_classes.sort_unstable();
    let mut most: Vec<(usize, u64)> = Vec::new();
    for of_class in of_classes.chunk_by(|a, b| a.0 == b.0) {
        let ((spread, _), count) = (of_class[0].0, of_class.iter().map(|&(_, count)| count).sum());
        match most.last_mut() {
            Some((last, most)) if *last == spread => *most = (*most).max(count),
            _ => most.push((spread, count)),
        }
    }
    all - most.iter().map(|&(_, count)| count).sum::<u64>()
}
