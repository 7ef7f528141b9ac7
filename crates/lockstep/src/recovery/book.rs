//! Recovery books: plans for faults, made before they happen.

use lockstep_envelope::EnvelopeError;
use lockstep_faults::{FaultError, Faults};
use lockstep_schedule::{Problem, ProblemError, Schedule, ScheduleFile, ScheduleFileError};
use lockstep_topology::Topology;

use super::degradation::Degradation;
use super::replan::remaining;
use super::sweep_log::{PackedPlan, Page, Piece, Pieces, title};
use crate::plan::parse;
use crate::plan::{PlanFile, PlanFileError};

/// A plan for each of many sets of faults.
///
/// What is in it went through the judge when it was made, and the file's checksums say that nothing has changed since then;
/// [`PlanFile::check`] says it again. Memory: some 4 bytes a transfer and some 300 bytes a plan.
#[derive(Clone, PartialEq, Debug)]
pub struct RecoveryBook {
    before: PlanFile,
    sets: String,
    /// Ascending by faults.
    pages: Vec<Page>,
}

/// What a book says about some faults.
#[derive(Clone, PartialEq, Debug)]
pub struct Recovery {
    /// The figures.
    pub degradation: Degradation,
    /// The plan on the faulty network, unless the collective cannot go on.
    pub plan: Option<PlanFile>,
}

impl RecoveryBook {
    /// The book that a file holds. Reads every byte.
    ///
    /// # Errors
    ///
    /// [`BookError`], if the file is no book, truncated, altered, or has the figures alone.
    pub fn read(bytes: &[u8]) -> Result<Self, BookError> {
        let (title, rest) = title(bytes)?;
        if !title.keeps_plans {
            return Err(BookError::NoPlans);
        }
        let before = PlanFile::from_bytes(&title.before)?;
        let mut pages = Vec::new();
        let mut is_ended = false;
        for piece in Pieces::new(rest) {
            match piece?.0 {
                Piece::Page(page) => pages.push(page),
                Piece::End(_) => is_ended = true,
            }
        }
        if !is_ended {
            return Err(BookError::Unfinished);
        }
        pages.sort_by(|one, other| one.degradation.faults.cmp(&other.degradation.faults));
        Ok(Self { before, sets: title.sets, pages })
    }

    /// The plan of the whole network.
    pub fn before(&self) -> &PlanFile {
        &self.before
    }

    /// The whole network.
    pub fn topology(&self) -> &Topology {
        self.before.schedule.topology()
    }

    /// Which sets of faults it knows, in words.
    pub fn sets(&self) -> &str {
        &self.sets
    }

    /// Number of sets of faults.
    pub fn len(&self) -> usize {
        self.pages.len()
    }

    /// Whether it knows no set of faults.
    pub fn is_empty(&self) -> bool {
        self.pages.is_empty()
    }

    /// The schedule after these faults, by the numbers of the whole network, in microseconds; `None` if the book does not know
    /// them, or if the collective cannot go on.
    ///
    /// Message numbers are those of the collective on the faulty network: a failed terminal has none.
    ///
    /// # Errors
    ///
    /// [`BookError::Schedule`], if the page holds no schedule.
    pub fn schedule(&self, faults: &Faults) -> Result<Option<Schedule>, BookError> {
        let plan = self.page(faults).and_then(|page| page.plan.as_ref());
        plan.map(|plan| Schedule::unpack(&plan.schedule).map_err(BookError::Schedule)).transpose()
    }

    /// What the book says about these faults, with the plan as a file on the faulty network; `None` if it does not know them.
    ///
    /// # Errors
    ///
    /// [`BookError`], if the page contradicts itself.
    pub fn look_up(&self, faults: &Faults) -> Result<Option<Recovery>, BookError> {
        let Some(page) = self.page(faults) else { return Ok(None) };
        let plan = page.plan.as_ref().map(|plan| self.unpacked(faults, plan)).transpose()?;
        Ok(Some(Recovery { degradation: page.degradation.clone(), plan }))
    }

    fn page(&self, faults: &Faults) -> Option<&Page> {
        let place = self.pages.binary_search_by(|page| page.degradation.faults.cmp(faults)).ok()?;
        self.pages.get(place)
    }

    fn unpacked(&self, faults: &Faults, plan: &PackedPlan) -> Result<PlanFile, BookError> {
        let network = faults.apply_to(self.topology())?;
        let before = self.before.schedule.problem();
        let collective = remaining(before.collective(), &network);
        let problem = Problem::new(&network, &collective, before.model())?;
        let schedule = Schedule::unpack(&plan.schedule).map_err(BookError::Schedule)?;
        let file = ScheduleFile::new(&problem, schedule);
        Ok(parse::<()>(&plan.claims)?.into_file(|()| Ok::<_, PlanFileError>(file))?)
    }
}

/// Why there is no recovery book, or no plan in it.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BookError {
    /// No book, or one that is altered.
    #[error(transparent)]
    Envelope(#[from] EnvelopeError),
    /// A book that ends too early.
    #[error("the book has no end: it is truncated, or still being made; fetch it again, or run its sweep to the end")]
    Unfinished,
    /// Pages that are not in their order.
    #[error("the pages are not in their order; the file is altered, fetch or write it again")]
    Order,
    /// The log of a sweep that kept no schedules.
    #[error("the file has the figures of a sweep and no plans; make it with --book")]
    NoPlans,
    /// The log of another sweep.
    #[error("it belongs to another sweep")]
    OtherSweep,
    /// A plan file that cannot be read.
    #[error("the plan of the whole network: {0}")]
    Plan(#[from] PlanFileError),
    /// Steps that cannot be read.
    #[error("a schedule of the book: {0}")]
    Schedule(ScheduleFileError),
    /// Faults that are none of the network.
    #[error(transparent)]
    Faults(#[from] FaultError),
    /// A page with a plan where there can be none.
    #[error("the book contradicts itself: {0}")]
    Problem(#[from] ProblemError),
}
