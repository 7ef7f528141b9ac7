//! Recovery books: plans for faults, computed in advance.

use lockstep_faults::Faults;
use lockstep_schedule::{Problem, Schedule, ScheduleFile};
use lockstep_topology::Topology;

use super::book_error::BookError;
use super::book_format::{PackedPlan, Page, Piece, Pieces, title};
use super::degradation::Degradation;
use crate::plan::PlanFile;

/// A plan for each of many sets of faults.
///
/// Every plan was verified when the book was written, and checksums protect it since then. [`PlanFile::check`] verifies
/// it again. Memory: about 4 bytes per transfer, and 300 bytes per plan. A [`SweepLog`](crate::SweepLog) writes a book.
///
/// ```
/// use lockstep::faults::{FaultKind, FaultSet, FaultSpace};
/// use lockstep::{Budget, Collective, CommunicationModel, PlanOptions, RecoveryBook, SweepIdentity, SweepLog};
/// # use lockstep::{plan, sweep};
///
/// # let ring = "ring:5".parse()?;
/// # let budget = Budget::evaluations(1 << 16);
/// # let before = plan(&ring, &Collective::all_gather(), &CommunicationModel::wormhole(), &budget)?;
/// # let (options, evaluations) = (PlanOptions::auto(1), 1 << 16);
/// # let identity = SweepIdentity { before: &before, options, evaluations, sets: "every link", keeps_plans: true };
/// # let mut bytes = Vec::new();
/// # let mut log = SweepLog::begin(&identity, &mut bytes)?;
/// # let links = FaultSpace::new(&ring, FaultKind::Link, 1);
/// # sweep(&before, links.iter(), options, &budget, |one| log.add(&one).expect("memory takes all bytes"))?;
/// # log.end()?;
/// let book = RecoveryBook::read(&bytes)?;
/// let faults = FaultSet::new().link("3", "4").of(book.topology())?;
/// let recovery = book.look_up(&faults)?.ok_or("no plan for these faults")?;
/// let plan = recovery.plan.ok_or("the ring is disconnected")?.check()?;
/// assert_eq!(plan.step_count(), 4); // the ring without a link is a line of 5 nodes
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, PartialEq, Debug)]
pub struct RecoveryBook {
    before: PlanFile,
    sets: String,
    /// Ascending by faults.
    pages: Vec<Page>,
}

/// The contents of a book for one set of faults.
#[derive(Clone, PartialEq, Debug)]
pub struct Recovery {
    /// The figures.
    pub degradation: Degradation,
    /// The plan on the faulty network, unless the collective is impossible there.
    pub plan: Option<PlanFile>,
}

impl RecoveryBook {
    /// Reads a book. Checks every byte.
    ///
    /// # Errors
    ///
    /// [`BookError`] if the file is not a book, truncated, altered, or without schedules.
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

    /// Returns the plan of the network without faults.
    pub fn before(&self) -> &PlanFile {
        &self.before
    }

    /// Returns the network without faults.
    pub fn topology(&self) -> &Topology {
        self.before.schedule.topology()
    }

    /// Returns the sets of faults of the book, in words.
    pub fn sets(&self) -> &str {
        &self.sets
    }

    /// Returns the number of sets of faults.
    pub fn len(&self) -> usize {
        self.pages.len()
    }

    /// Returns true if the book has no set of faults.
    pub fn is_empty(&self) -> bool {
        self.pages.is_empty()
    }

    /// Returns the figures of all sets of faults, ascending by faults.
    pub fn rows(&self) -> impl Iterator<Item = &Degradation> {
        self.pages.iter().map(|page| &page.degradation)
    }

    /// Returns the schedule after these faults, in microseconds; `None` if the book does not have the faults, or if the
    /// collective is impossible after them.
    ///
    /// Channels have their numbers in the network without faults. Messages are numbered by the collective on the faulty
    /// network, where a failed terminal has none.
    ///
    /// # Errors
    ///
    /// [`BookError::Schedule`] if the schedule cannot be read.
    pub fn schedule(&self, faults: &Faults) -> Result<Option<Schedule>, BookError> {
        let plan = self.page(faults).and_then(|page| page.plan.as_ref());
        plan.map(|plan| Schedule::unpack(&plan.schedule).map_err(BookError::Schedule)).transpose()
    }

    /// Returns the figures for these faults, and the plan as a file on the faulty network; `None` if the book does not
    /// have the faults.
    ///
    /// # Errors
    ///
    /// [`BookError`] if the page contradicts itself.
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
        let collective = before.collective().remaining(&network);
        let problem = Problem::new(&network, &collective, before.model())?;
        let schedule = Schedule::unpack(&plan.schedule).map_err(BookError::Schedule)?;
        let file = ScheduleFile::new(&problem, schedule);
        Ok(plan.claims.clone().into_file(|| Ok(file))?)
    }
}
