//! The log of a sweep: a recovery book that grows by one page per set of faults.

use std::io::{self, Write};

use lockstep_faults::Faults;
use lockstep_files::HEADER_BYTES;
use lockstep_schedule::{Budget, ScheduleFile, StopReason};
use rayon::prelude::*;

use super::book_error::BookError;
use super::book_format::{BOOK_KIND, PackedPlan, Page, Piece, Pieces, Title, title};
use super::consequence::Consequence;
use super::degradation::{Degradation, FaultOutcome};
use super::sweep::BATCH;
use crate::plan::Plan;
use crate::planner::PlanOptions;

/// Everything that decides the results of a sweep.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct SweepIdentity<'a> {
    /// The plan of the network without faults.
    pub before: &'a Plan,
    /// The options of every plan.
    pub options: PlanOptions<'a>,
    /// Number of evaluations per set of faults.
    pub evaluations: u64,
    /// The sets of faults and their order, in words.
    pub sets: &'a str,
}

impl SweepIdentity<'_> {
    /// Returns a checksum of the identity, for the names of files.
    pub fn digest(&self) -> u64 {
        let sealed = BOOK_KIND.seal(&self.title());
        // The last bytes of the header are those of a checksum.
        sealed[HEADER_BYTES - 8..HEADER_BYTES].iter().fold(0, |digest, &byte| digest << 8 | u64::from(byte))
    }

    fn title(&self) -> Title {
        let Self { before, options, evaluations, sets } = *self;
        Title { before: before.to_file(None).to_bytes(), options: options.into(), evaluations, sets: sets.to_owned() }
    }
}

/// Writes the results of a sweep while it runs.
///
/// ```
/// use lockstep::faults::{FaultKind, FaultSet, FaultSpace};
/// use lockstep::{Budget, Collective, CommunicationModel, PlanOptions, RecoveryBook, SweepIdentity, SweepLog};
/// use lockstep::{Topology, plan, sweep};
///
/// let ring: Topology = "ring:5".parse()?;
/// let budget = Budget::evaluations(1 << 16);
/// let before = plan(&ring, &Collective::all_gather(), &CommunicationModel::wormhole(), &budget)?;
/// let options = PlanOptions::auto(1);
/// let links = FaultSpace::new(&ring, FaultKind::Link, 1);
/// let evaluations = budget.evaluation_limit();
/// let identity = SweepIdentity { before: &before, options, evaluations, sets: "every link" };
/// let mut bytes = Vec::new();
/// let mut log = SweepLog::begin(&identity, &mut bytes)?;
/// sweep(&before, links.iter(), options, &budget, |consequence| log.add(&consequence).expect("memory takes all bytes"))?;
/// log.end()?;
///
/// let book = RecoveryBook::read(&bytes)?;
/// let broken = FaultSet::new().link("3", "4").of(book.topology())?;
/// assert_eq!(book.schedule(&broken)?.map(|schedule| schedule.step_count()), Some(4)); // a line of 5
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct SweepLog<W> {
    out: W,
    pages: u64,
}

/// A page of a log: the plan after one set of faults, which is checked.
#[derive(Clone, PartialEq, Debug)]
pub struct SweepPage {
    /// The figures.
    pub degradation: Degradation,
    /// The page in the log.
    bytes: Vec<u8>,
}

impl SweepPage {
    /// Returns the page of this number, from 0.
    pub(super) fn new(number: u64, consequence: &Consequence) -> Self {
        let degradation = consequence.degradation.clone();
        let changes = match &degradation.outcome {
            FaultOutcome::Planned(figures) => figures.changes,
            FaultOutcome::Lost(_) => None,
        };
        let plan = consequence.plan.as_ref().map(PackedPlan::new);
        let piece = Piece::Page(Page { number, faults: degradation.faults.clone(), changes, plan });
        Self { degradation, bytes: BOOK_KIND.seal(&piece) }
    }

    /// Returns the page as bytes.
    pub(super) fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }

    /// Reads pages, one behind the other, and checks them. The number of the first one is `first`.
    ///
    /// # Errors
    ///
    /// [`BookError`] if the bytes are not such pages, or if a plan is refused.
    pub(super) fn read_all(before: &ScheduleFile, first: u64, mut bytes: &[u8]) -> Result<Vec<Self>, BookError> {
        let mut pages = Vec::new();
        for piece in Pieces::behind(first, bytes) {
            let (piece, length) = match piece {
                Err(BookError::Unfinished) if bytes.is_empty() => break,
                piece => piece?,
            };
            let Piece::Page(page) = piece else { return Err(BookError::Order) };
            let (own, rest) = bytes.split_at(length);
            pages.push((page, own));
            bytes = rest;
        }
        let checked = pages
            .par_iter()
            .map(|(page, bytes)| Ok(Self { degradation: page.check(before)?.degradation, bytes: bytes.to_vec() }));
        checked.collect()
    }
}

/// The contents of an unfinished log, which [`check`](Self::check) verifies.
#[derive(Clone, PartialEq, Debug)]
pub struct InterruptedSweep {
    /// The complete pages, in order.
    pages: Vec<Page>,
    /// Number of complete bytes of the file. The bytes behind them are an incomplete page, or the end of the book.
    pub length: usize,
    /// Whether the sweep was complete.
    pub is_ended: bool,
}

impl InterruptedSweep {
    /// Returns the number of complete pages.
    pub fn page_count(&self) -> usize {
        self.pages.len()
    }

    /// Checks the pages in parallel, and passes their figures to `observe` in order. `before` is the plan of the network without
    /// faults, and `sets` are all fault sets of the sweep.
    ///
    /// Returns why the budget stopped the check before the last page, or `None` if it is complete.
    ///
    /// # Errors
    ///
    /// The first [`BookError`] of a page: its plan is refused, or it belongs to another fault set.
    pub fn check(
        &self,
        before: &Plan,
        sets: impl IntoIterator<Item = Faults>,
        budget: &Budget,
        mut observe: impl FnMut(Degradation),
    ) -> Result<Option<StopReason>, BookError> {
        let mut sets = sets.into_iter();
        for batch in self.pages.chunks(BATCH * rayon::current_num_threads()) {
            if let Some(stopped) = budget.interruption() {
                return Ok(Some(stopped));
            }
            let checked: Vec<_> = batch.par_iter().map(|page| page.check(before.schedule_file())).collect();
            for consequence in checked {
                let degradation = consequence?.degradation;
                if sets.next().as_ref() != Some(&degradation.faults) {
                    return Err(BookError::OtherSweep);
                }
                observe(degradation);
            }
        }
        Ok(None)
    }
}

impl<W: Write> SweepLog<W> {
    /// Begins a log: writes its first piece.
    ///
    /// # Errors
    ///
    /// The errors of the writer.
    pub fn begin(identity: &SweepIdentity<'_>, mut out: W) -> io::Result<Self> {
        out.write_all(&BOOK_KIND.seal(&identity.title()))?;
        out.flush()?;
        Ok(Self { out, pages: 0 })
    }

    /// Resumes a log behind the pages of [`SweepIdentity::interrupted`]. The writer must be at the end of these pages.
    pub fn resume(interrupted: &InterruptedSweep, out: W) -> Self {
        Self { out, pages: interrupted.pages.len() as u64 }
    }

    /// Writes the next consequence, and flushes the writer.
    ///
    /// # Errors
    ///
    /// The errors of the writer.
    pub fn add(&mut self, consequence: &Consequence) -> io::Result<()> {
        self.add_page(&SweepPage::new(self.pages, consequence))
    }

    /// Writes the next page, and flushes the writer.
    ///
    /// # Errors
    ///
    /// The errors of the writer.
    pub fn add_page(&mut self, page: &SweepPage) -> io::Result<()> {
        self.out.write_all(&page.bytes)?;
        self.out.flush()?;
        self.pages += 1;
        Ok(())
    }

    /// Writes the end of the log, and returns its writer.
    ///
    /// # Errors
    ///
    /// The errors of the writer.
    pub fn end(mut self) -> io::Result<W> {
        self.out.write_all(&BOOK_KIND.seal(&Piece::End(self.pages)))?;
        self.out.flush()?;
        Ok(self.out)
    }
}

impl SweepIdentity<'_> {
    /// Reads the log of an interrupted sweep with this identity, without a check of its pages. An incomplete last page is not an
    /// error.
    ///
    /// # Errors
    ///
    /// [`BookError`] if the bytes are not a book, or belong to another sweep, or are damaged.
    pub fn interrupted(&self, bytes: &[u8]) -> Result<InterruptedSweep, BookError> {
        let (title, pages) = title(bytes)?;
        if title != self.title() {
            return Err(BookError::OtherSweep);
        }
        let mut interrupted =
            InterruptedSweep { pages: Vec::new(), length: bytes.len() - pages.len(), is_ended: false };
        for piece in Pieces::new(pages) {
            match piece {
                Ok((Piece::Page(page), length)) => {
                    interrupted.pages.push(page);
                    interrupted.length += length;
                }
                Ok((Piece::End(_), _)) => interrupted.is_ended = true,
                Err(BookError::Unfinished) => break,
                Err(error) => return Err(error),
            }
        }
        Ok(interrupted)
    }
}
