//! The text that `lockstep plan` and `lockstep bound` print.

/// The figures of a plan or a bound.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Summary {
    /// `None` for a bound.
    pub(super) steps: Option<u32>,
    pub(super) bound: u32,
    /// The engine with its method, or the rule of the bound.
    pub(super) by: String,
    /// True if the time limit ended the search.
    pub(super) is_cut_short: bool,
}

impl Summary {
    /// Reads the text of `lockstep plan`, or returns `None` for another text.
    pub(super) fn of_plan(text: &str) -> Option<Self> {
        let by = field(text, "found by ")?;
        Some(Self {
            steps: Some(first_number(field(text, "schedule ")?)?),
            bound: first_number(field(text, "lower bound ")?)?,
            by: by.split_once(", seed").map_or(by, |(engine, _)| engine).to_owned(),
            is_cut_short: by.contains("stopped by the time limit"),
        })
    }

    /// Reads the table of `lockstep bound`: the best bound is first.
    pub(super) fn of_bound(text: &str) -> Option<Self> {
        let best = text.lines().skip_while(|line| !line.starts_with("steps ")).nth(1)?;
        let by = best.split_whitespace().nth(1)?.to_owned();
        Some(Self { steps: None, bound: first_number(best)?, by, is_cut_short: false })
    }

    /// Returns the gap of the schedule in percent of the bound.
    pub(super) fn gap_percent(&self) -> Option<f64> {
        let bound = f64::from(self.bound);
        self.steps.map(|steps| super::amounts::percent(f64::from(steps) - bound, bound))
    }
}

fn field<'t>(text: &'t str, name: &str) -> Option<&'t str> {
    text.lines().find_map(|line| line.strip_prefix(name)).map(str::trim)
}

fn first_number(text: &str) -> Option<u32> {
    text.split_whitespace().next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAN: &str = "network      torus:256x256: 65536 terminals\n\
        schedule     8 steps, gap 1: at most 1 above the least number\n\
        lower bound  7 steps (growth): after 0 to 7 steps\n\
        found by     analytic (chain), seed 1, stopped by the time limit\n";

    #[test]
    fn a_plan_is_read_from_its_summary() {
        let summary = Summary::of_plan(PLAN).unwrap();
        let by = "analytic (chain)".to_owned();
        assert_eq!(summary, Summary { steps: Some(8), bound: 7, by, is_cut_short: true });
        assert!((summary.gap_percent().unwrap() - 14.29).abs() < 0.01);
        assert_eq!(Summary::of_plan("error: no plan\n"), None);
    }

    #[test]
    fn the_best_bound_is_the_first() {
        let text = "network  a ring\n\nsteps  rule          reason\n 1405  distance-sum  all\n  580  cut  7 nodes\n";
        let by = "distance-sum".to_owned();
        assert_eq!(Summary::of_bound(text), Some(Summary { steps: None, bound: 1405, by, is_cut_short: false }));
        assert_eq!(Summary::of_bound(""), None);
    }
}
