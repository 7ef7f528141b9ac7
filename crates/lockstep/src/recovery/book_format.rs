//! The format of recovery books: sealed pieces, one behind the other.
//!
//! The first piece describes the sweep. Each further piece has the consequence of one set of faults, and the last one
//! the number of sets. An interrupted sweep therefore loses nothing, and an unfinished book is not read as a complete
//! one.

use lockstep_files::{FileError, FileKind, SealError};
use serde::{Deserialize, Serialize};

use super::book_error::BookError;
use super::degradation::Degradation;
use crate::plan::{Claims, Plan, PlanFileError};
use crate::planner::StoredOptions;

/// The file kind of recovery books and of the logs of sweeps.
pub const BOOK_KIND: FileKind =
    FileKind { format: "lockstep-book", noun: "recovery book", magic: *b"lockbook", version: 2, remedies: &[] };

/// Version 1, in which the claims of a plan are one JSON text.
const KIND_V1: FileKind = FileKind { version: 1, ..BOOK_KIND };

/// The first piece: everything that decides the results of the sweep.
#[derive(PartialEq, Serialize, Deserialize)]
pub(super) struct Title {
    /// The binary plan file of the network without faults.
    pub(super) before: Vec<u8>,
    pub(super) options: StoredOptions,
    pub(super) evaluations: u64,
    /// The sets of faults in words.
    pub(super) sets: String,
    /// Whether the book has schedules, and not only their figures.
    pub(super) keeps_plans: bool,
}

/// A further piece.
#[derive(Serialize, Deserialize)]
pub(super) enum Piece {
    /// The consequence of one set of faults.
    Page(Page),
    /// The end, with the number of pages.
    End(u64),
}

/// The consequence of one set of faults.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(super) struct Page {
    /// The number of the page, from 0.
    pub(super) number: u64,
    pub(super) degradation: Degradation,
    pub(super) plan: Option<PackedPlan>,
}

/// A plan without its problem.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(super) struct PackedPlan {
    /// Everything of a plan file but its problem and schedule.
    pub(super) claims: Claims,
    pub(super) schedule: Vec<u8>,
}

impl PackedPlan {
    pub(super) fn new(plan: &Plan) -> Self {
        Self { claims: Claims::of(&plan.to_file(None)), schedule: plan.schedule().pack() }
    }
}

/// A further piece of version 1.
#[derive(Deserialize)]
enum PieceV1 {
    Page(PageV1),
    End(u64),
}

#[derive(Deserialize)]
struct PageV1 {
    number: u64,
    degradation: Degradation,
    plan: Option<PackedPlanV1>,
}

#[derive(Deserialize)]
struct PackedPlanV1 {
    claims: String,
    schedule: Vec<u8>,
}

impl TryFrom<PieceV1> for Piece {
    type Error = PlanFileError;

    fn try_from(piece: PieceV1) -> Result<Self, PlanFileError> {
        let plan = |PackedPlanV1 { claims, schedule }| {
            Claims::from_version_1(&claims).map(|claims| PackedPlan { claims, schedule })
        };
        Ok(match piece {
            PieceV1::Page(PageV1 { number, degradation, plan: packed }) => {
                Self::Page(Page { number, degradation, plan: packed.map(plan).transpose()? })
            }
            PieceV1::End(pages) => Self::End(pages),
        })
    }
}

/// Reads the first piece. Returns it with the bytes behind it.
pub(super) fn title(bytes: &[u8]) -> Result<(Title, &[u8]), BookError> {
    match BOOK_KIND.open_first(bytes) {
        Err(FileError::Sealed(SealError::Version { found: 1, .. })) => Ok(KIND_V1.open_first(bytes)?),
        opened => Ok(opened?),
    }
}

/// Reads the pieces behind the first one, each with its length in bytes, up to the end of the book.
pub(super) struct Pieces<'a> {
    rest: &'a [u8],
    pages: u64,
    is_over: bool,
}

impl<'a> Pieces<'a> {
    pub(super) fn new(rest: &'a [u8]) -> Self {
        Self::behind(0, rest)
    }

    /// Reads the pieces behind a number of pages.
    pub(super) fn behind(pages: u64, rest: &'a [u8]) -> Self {
        Self { rest, pages, is_over: false }
    }

    fn piece(&mut self) -> Result<(Piece, usize), BookError> {
        let (piece, rest) = match BOOK_KIND.open_first(self.rest) {
            Err(FileError::Sealed(SealError::Length { .. })) => return Err(BookError::Unfinished),
            Err(FileError::Sealed(SealError::Version { found: 1, .. })) => {
                let (piece, rest): (PieceV1, &[u8]) = KIND_V1.open_first(self.rest)?;
                (piece.try_into()?, rest)
            }
            opened => opened?,
        };
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
