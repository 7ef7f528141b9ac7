//! Recovery books: plans for faults, computed in advance.

use lockstep_faults::Faults;
use lockstep_schedule::Schedule;
use lockstep_topology::Topology;
use rayon::prelude::*;

use super::book_error::BookError;
use super::book_format::{PackedPlan, Page, Piece, Pieces, title};
use super::consequence::Consequence;
use super::degradation::Degradation;
use crate::plan::PlanFile;

/// A plan for each of many sets of faults.
///
/// A checksum finds accidental changes of the file. Every plan is verified again when it is [looked up](Self::look_up), and its
/// figures follow from it, so no edit of the file makes a verdict that its plan does not have. Memory: about 4 bytes per
/// transfer, and 300 bytes per plan. A [`SweepLog`](crate::SweepLog) writes a book.
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
/// # let identity = SweepIdentity { before: &before, options, evaluations, sets: "every link" };
/// # let mut bytes = Vec::new();
/// # let mut log = SweepLog::begin(&identity, &mut bytes)?;
/// # let links = FaultSpace::new(&ring, FaultKind::Link, 1);
/// # sweep(&before, links.iter(), options, &budget, |one| log.add(&one).expect("memory takes all bytes"))?;
/// # log.end()?;
/// let book = RecoveryBook::read(&bytes)?;
/// let faults = FaultSet::new().link("3", "4").of(book.topology())?;
/// let recovery = book.look_up(&faults)?.ok_or("no plan for these faults")?;
/// let plan = recovery.plan.ok_or("the ring is disconnected")?;
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

impl RecoveryBook {
    /// Reads a book. Checks the checksums, but no plan.
    ///
    /// # Errors
    ///
    /// [`BookError`] if the file is not a book, truncated, altered, or without schedules.
    pub fn read(bytes: &[u8]) -> Result<Self, BookError> {
        let (title, rest) = title(bytes)?;
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
        pages.sort_by(|one, other| one.faults.cmp(&other.faults));
        Ok(Self { before, sets: title.sets, pages })
    }

    /// Returns the plan of the network without faults. It is not checked.
    pub fn before(&self) -> &PlanFile {
        &self.before
    }

    /// Returns the network without faults.
    pub fn topology(&self) -> &Topology {
        self.before.schedule.topology()
    }

    /// Returns the sets of faults of the book, in the words of its writer.
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

    /// Returns all sets of faults, ascending.
    pub fn faults(&self) -> impl Iterator<Item = &Faults> {
        self.pages.iter().map(|page| &page.faults)
    }

    /// Checks all pages in parallel. Returns their figures, ascending by faults.
    ///
    /// # Errors
    ///
    /// The first [`BookError`] of a page.
    pub fn rows(&self) -> Result<Vec<Degradation>, BookError> {
        let row = |page: &Page| Ok(page.check(&self.before.schedule)?.degradation);
        let rows: Vec<_> = self.pages.par_iter().map(row).collect();
        rows.into_iter().collect()
    }

    /// Returns the schedule after these faults, in microseconds, without a check; `None` if the book does not have the
    /// faults, or if the collective is impossible after them.
    ///
    /// Channels have their numbers in the network without faults. Messages are numbered by the collective on the faulty
    /// network, where a failed terminal has none.
    ///
    /// # Errors
    ///
    /// [`BookError::Schedule`] if the schedule cannot be read.
    pub fn schedule(&self, faults: &Faults) -> Result<Option<Schedule>, BookError> {
        let plan = self.page(faults).and_then(|page| page.plan.as_ref());
        plan.map(PackedPlan::schedule).transpose()
    }

    /// Verifies the plan after these faults, and returns it with its figures; `None` if the book does not have the faults.
    ///
    /// # Errors
    ///
    /// [`BookError`] if the plan is refused.
    pub fn look_up(&self, faults: &Faults) -> Result<Option<Consequence>, BookError> {
        self.page(faults).map(|page| page.check(&self.before.schedule)).transpose()
    }

    fn page(&self, faults: &Faults) -> Option<&Page> {
        let place = self.pages.binary_search_by(|page| page.faults.cmp(faults)).ok()?;
        self.pages.get(place)
    }
}
