//! Sweeps over faults as files that grow.
//!
//! Sealed pieces stand one behind the other: the first says what the sweep is about, each further one holds the consequence
//! of one set of faults, and the last one says how many they are. So a sweep that is killed loses nothing, and a
//! [book](crate::RecoveryBook) without its end is not taken for a whole one.

use std::io::{self, Write};

use lockstep_envelope::{EnvelopeError, HEADER_BYTES, decode, encode, open_first, seal};
use lockstep_schedule::FileKind;
use serde::{Deserialize, Serialize};

use super::book::BookError;
use super::degradation::{Consequence, Degradation};
use crate::plan::Plan;
use crate::planner::PlanOptions;

const KIND: FileKind = FileKind { format: "lockstep-book", noun: "recovery book", magic: *b"lockbook", version: 1 };

/// The first piece.
#[derive(PartialEq, Serialize, Deserialize)]
pub(crate) struct Title {
    /// The binary plan file of the whole network.
    pub(crate) before: Vec<u8>,
    options: PlanOptions,
    evaluations: u64,
    /// Which sets of faults there are, in words.
    pub(crate) sets: String,
    /// Whether the schedules are kept, and not their figures alone.
    pub(crate) keeps_plans: bool,
}

/// Every further piece.
#[derive(Serialize, Deserialize)]
pub(crate) enum Piece {
    Page(Page),
    /// The number of pages.
    End(u64),
}

#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(crate) struct Page {
    /// From 0.
    number: u64,
    pub(crate) degradation: Degradation,
    pub(crate) plan: Option<PackedPlan>,
}

/// A plan without its problem.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(crate) struct PackedPlan {
    /// All that a plan file says beside its schedule, as JSON.
    pub(crate) claims: String,
    pub(crate) schedule: Vec<u8>,
}

impl PackedPlan {
    fn new(plan: &Plan) -> Self {
        Self { claims: plan.to_file(None).claims(), schedule: plan.schedule().pack() }
    }
}

/// What a sweep is about: with the same plan, options and sets of faults its results are the same.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct SweepIdentity<'a> {
    /// The plan of the whole network.
    pub before: &'a Plan,
    /// How plans are made.
    pub options: PlanOptions,
    /// Evaluations for every set of faults.
    pub evaluations: u64,
    /// Which sets of faults there are and in which order, in words.
    pub sets: &'a str,
    /// Whether the schedules are kept, and not their figures alone.
    pub keeps_plans: bool,
}

impl SweepIdentity<'_> {
    /// A number that hardly any two sweeps have in common.
    pub fn digest(&self) -> u64 {
        let sealed = KIND.seal(&self.title());
        // The last bytes of the header are those of a checksum.
        sealed[HEADER_BYTES - 8..HEADER_BYTES].iter().fold(0, |digest, &byte| digest << 8 | u64::from(byte))
    }

    fn title(&self) -> Title {
        let Self { before, options, evaluations, sets, keeps_plans } = *self;
        Title { before: before.to_file(None).to_bytes(), options, evaluations, sets: sets.to_owned(), keeps_plans }
    }
}

/// A sweep written down as it goes.
///
/// ```
/// use lockstep::faults::{FaultKind, FaultSet, FaultSpace};
/// use lockstep::{Budget, Collective, CommunicationModel, PlanOptions, RecoveryBook, SweepIdentity, SweepLog};
/// use lockstep::{Topology, plan, sweep};
///
/// let ring: Topology = "ring:5".parse()?;
/// let budget = Budget::evaluations(1 << 16);
/// let before = plan(&ring, &Collective::all_to_all_broadcast(), &CommunicationModel::wormhole(), &budget)?;
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

/// What an interrupted sweep has written.
#[derive(Clone, PartialEq, Debug)]
pub struct Interrupted {
    /// The rows that are there, in their order.
    pub rows: Vec<Degradation>,
    /// How many bytes of the file are good. What is behind them is the beginning of the next page, or the end of the book.
    pub length: usize,
    /// Whether the sweep had come to its end.
    pub is_ended: bool,
}

impl<W: Write> SweepLog<W> {
    /// Begins a log.
    ///
    /// # Errors
    ///
    /// Those of the writer.
    pub fn begin(identity: &SweepIdentity<'_>, mut out: W) -> io::Result<Self> {
        out.write_all(&KIND.seal(&identity.title()))?;
        out.flush()?;
        Ok(Self { out, pages: 0, keeps_plans: identity.keeps_plans })
    }

    /// Goes on behind the pages that [`SweepIdentity::interrupted`] has found; the writer stands behind them.
    pub fn go_on(identity: &SweepIdentity<'_>, interrupted: &Interrupted, out: W) -> Self {
        Self { out, pages: interrupted.rows.len() as u64, keeps_plans: identity.keeps_plans }
    }

    /// Adds the next consequence.
    ///
    /// # Errors
    ///
    /// Those of the writer.
    pub fn add(&mut self, consequence: &Consequence) -> io::Result<()> {
        let plan = consequence.plan.as_ref().filter(|_| self.keeps_plans).map(PackedPlan::new);
        let page = Page { number: self.pages, degradation: consequence.degradation.clone(), plan };
        self.write(&Piece::Page(page))?;
        self.pages += 1;
        Ok(())
    }

    /// Writes that these are all.
    ///
    /// # Errors
    ///
    /// Those of the writer.
    pub fn end(mut self) -> io::Result<()> {
        self.write(&Piece::End(self.pages))
    }

    fn write(&mut self, piece: &Piece) -> io::Result<()> {
        self.out.write_all(&seal(KIND.magic, KIND.version, &encode(piece)))?;
        self.out.flush()
    }
}

impl SweepIdentity<'_> {
    /// What an interrupted sweep of this identity has left in a file.
    ///
    /// # Errors
    ///
    /// [`BookError`]: no book, that of another sweep, or a damaged one. That the last page is cut off is no damage.
    pub fn interrupted(&self, bytes: &[u8]) -> Result<Interrupted, BookError> {
        let (title, pages) = title(bytes)?;
        if title != self.title() {
            return Err(BookError::OtherSweep);
        }
        let mut interrupted = Interrupted { rows: Vec::new(), length: bytes.len() - pages.len(), is_ended: false };
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

/// The first piece, and the bytes behind it.
pub(crate) fn title(bytes: &[u8]) -> Result<(Title, &[u8]), BookError> {
    let (payload, rest) = open_first(KIND.magic, KIND.version, bytes)?;
    Ok((decode(payload)?, rest))
}

/// The pieces behind the first one, each with its length in bytes, up to the end of the book.
pub(crate) struct Pieces<'a> {
    rest: &'a [u8],
    pages: u64,
    is_over: bool,
}

impl<'a> Pieces<'a> {
    pub(crate) fn new(rest: &'a [u8]) -> Self {
        Self { rest, pages: 0, is_over: false }
    }

    fn piece(&mut self) -> Result<(Piece, usize), BookError> {
        let opened = match open_first(KIND.magic, KIND.version, self.rest) {
            Err(EnvelopeError::Length { .. }) => Err(BookError::Unfinished),
            opened => opened.map_err(BookError::from),
        };
        let (payload, rest) = opened?;
        let piece: Piece = decode(payload)?;
        match &piece {
            Piece::Page(page) if page.number == self.pages => self.pages += 1,
            Piece::End(pages) if *pages == self.pages && rest.is_empty() => self.is_over = true,
            Piece::Page(_) | Piece::End(_) => return Err(BookError::Order),
        }
        let length = self.rest.len() - rest.len();
        self.rest = rest;
        Ok((piece, length))
    }
}

impl Iterator for Pieces<'_> {
    type Item = Result<(Piece, usize), BookError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.is_over {
            return None;
        }
        let piece = self.piece();
        self.is_over |= piece.is_err();
        Some(piece)
    }
}
