//! The log of a sweep: a recovery book that grows by one page per set of faults.

use std::io::{self, Write};

use lockstep_files::HEADER_BYTES;

use super::book_error::BookError;
use super::book_format::{BOOK_KIND, PackedPlan, Page, Piece, Pieces, Title, title};
use super::consequence::Consequence;
use super::degradation::Degradation;
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
    /// Whether the log keeps schedules, and not only their figures.
    pub keeps_plans: bool,
}

impl SweepIdentity<'_> {
    /// Returns a checksum of the identity, for the names of files.
    pub fn digest(&self) -> u64 {
        let sealed = BOOK_KIND.seal(&self.title());
        // The last bytes of the header are those of a checksum.
        sealed[HEADER_BYTES - 8..HEADER_BYTES].iter().fold(0, |digest, &byte| digest << 8 | u64::from(byte))
    }

    fn title(&self) -> Title {
        let Self { before, options, evaluations, sets, keeps_plans } = *self;
        let options = options.into();
        Title { before: before.to_file(None).to_bytes(), options, evaluations, sets: sets.to_owned(), keeps_plans }
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
/// let identity = SweepIdentity { before: &before, options, evaluations, sets: "every link", keeps_plans: true };
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
    keeps_plans: bool,
}

/// A page of a log: the consequence of one set of faults.
#[derive(Clone, PartialEq, Debug)]
pub struct SweepPage {
    /// The figures.
    pub degradation: Degradation,
    /// The page in the log.
    bytes: Vec<u8>,
}

impl SweepPage {
    /// Returns the page of this number, from 0, with or without its plan.
    pub(super) fn new(number: u64, consequence: &Consequence, keeps_plan: bool) -> Self {
        let plan = consequence.plan.as_ref().filter(|_| keeps_plan).map(PackedPlan::new);
        let degradation = consequence.degradation.clone();
        let piece = Piece::Page(Page { number, degradation: degradation.clone(), plan });
        Self { degradation, bytes: BOOK_KIND.seal(&piece) }
    }

    /// Returns the page as bytes.
    pub(super) fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }

    /// Reads pages, one behind the other. The number of the first one is `first`.
    ///
    /// # Errors
    ///
    /// [`BookError`] if the bytes are not such pages.
    pub(super) fn read_all(first: u64, mut bytes: &[u8]) -> Result<Vec<Self>, BookError> {
        let mut pages = Vec::new();
        for piece in Pieces::behind(first, bytes) {
            let (piece, length) = match piece {
                Err(BookError::Unfinished) if bytes.is_empty() => break,
                piece => piece?,
            };
            let Piece::Page(page) = piece else { return Err(BookError::Order) };
            let (own, rest) = bytes.split_at(length);
            pages.push(Self { degradation: page.degradation, bytes: own.to_vec() });
            bytes = rest;
        }
        Ok(pages)
    }
}

/// The contents of an unfinished log.
#[derive(Clone, PartialEq, Debug)]
pub struct InterruptedSweep {
    /// The complete rows, in order.
    pub rows: Vec<Degradation>,
    /// Number of complete bytes of the file. The bytes behind them are an incomplete page, or the end of the book.
    pub length: usize,
    /// Whether the sweep was complete.
    pub is_ended: bool,
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
        Ok(Self { out, pages: 0, keeps_plans: identity.keeps_plans })
    }

    /// Resumes a log behind the pages of [`SweepIdentity::interrupted`]. The writer must be at the end of these pages.
    pub fn resume(identity: &SweepIdentity<'_>, interrupted: &InterruptedSweep, out: W) -> Self {
        Self { out, pages: interrupted.rows.len() as u64, keeps_plans: identity.keeps_plans }
    }

    /// Writes the next consequence, and flushes the writer.
    ///
    /// # Errors
    ///
    /// The errors of the writer.
    pub fn add(&mut self, consequence: &Consequence) -> io::Result<()> {
        self.add_page(&SweepPage::new(self.pages, consequence, self.keeps_plans))
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
    /// Reads the log of an interrupted sweep with this identity. An incomplete last page is not an error.
    ///
    /// # Errors
    ///
    /// [`BookError`] if the bytes are not a book, or belong to another sweep, or are damaged.
    pub fn interrupted(&self, bytes: &[u8]) -> Result<InterruptedSweep, BookError> {
        let (title, pages) = title(bytes)?;
        if title != self.title() {
            return Err(BookError::OtherSweep);
        }
        let mut interrupted = InterruptedSweep { rows: Vec::new(), length: bytes.len() - pages.len(), is_ended: false };
        for piece in Pieces::new(pages) {
            match piece {
                Ok((Piece::Page(page), length)) => {
                    interrupted.rows.push(page.degradation);
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
