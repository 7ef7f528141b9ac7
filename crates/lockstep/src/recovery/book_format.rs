//! The format of recovery books: sealed pieces, one behind the other.
//!
//! The first piece describes the sweep. Each further piece has the plan after one set of faults, and the last one the
//! number of sets. An interrupted sweep therefore loses nothing, and an unfinished book is not read as a complete one.
//!
//! A page has no figures: steps, bound and verdict follow from the plan when it is checked.

use lockstep_faults::Faults;
use lockstep_files::{FileError, FileKind, SealError};
use lockstep_schedule::{Problem, Schedule, ScheduleFile};
use serde::{Deserialize, Serialize};

use super::book_error::BookError;
use super::degradation::{Degradation, FaultOutcome};
use crate::plan::{Changes, Claims, Plan, PlanFile, PlanFileError};
use crate::planner::StoredOptions;

/// The file kind of recovery books and of the logs of sweeps.
pub const BOOK_KIND: FileKind =
    FileKind { format: "lockstep-book", noun: "recovery book", magic: *b"lockbook", version: 3, remedies: &[] };

/// Version 2, in which pages have figures beside their plans, or figures only.
const KIND_V2: FileKind = FileKind { version: 2, ..BOOK_KIND };

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
}

/// The first piece of versions 1 and 2.
#[derive(Deserialize)]
#[cfg_attr(test, derive(Serialize))]
struct OldTitle {
    before: Vec<u8>,
    options: StoredOptions,
    evaluations: u64,
    sets: String,
    keeps_plans: bool,
}

impl TryFrom<OldTitle> for Title {
    type Error = BookError;

    fn try_from(OldTitle { before, options, evaluations, sets, keeps_plans }: OldTitle) -> Result<Self, BookError> {
        if keeps_plans { Ok(Self { before, options, evaluations, sets }) } else { Err(BookError::NoPlans) }
    }
}

/// A further piece.
#[derive(Serialize, Deserialize)]
pub(super) enum Piece {
    /// The plan after one set of faults.
    Page(Page),
    /// The end, with the number of pages.
    End(u64),
}

/// The plan after one set of faults, which is not checked.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(super) struct Page {
    /// The number of the page, from 0.
    pub(super) number: u64,
    pub(super) faults: Faults,
    /// The difference from the schedule before the faults; `None` for a fresh schedule.
    pub(super) changes: Option<Changes>,
    /// `None` if the collective is impossible.
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

    /// Returns the schedule, which is not verified.
    pub(super) fn schedule(&self) -> Result<Schedule, BookError> {
        Schedule::unpack(&self.schedule).map_err(BookError::Schedule)
    }

    /// Returns the plan of a problem as a file, which is not checked.
    pub(super) fn file(&self, problem: &Problem<'_>) -> Result<PlanFile, BookError> {
        let file = ScheduleFile::new(problem, self.schedule()?);
        Ok(self.claims.clone().into_file(|| Ok(file))?)
    }
}

/// A further piece of versions 1 and 2.
#[derive(Deserialize)]
#[cfg_attr(test, derive(Serialize))]
enum OldPiece<P> {
    Page(OldPage<P>),
    End(u64),
}

/// The figures of an old page are not used: they follow from its plan.
#[derive(Deserialize)]
#[cfg_attr(test, derive(Serialize))]
struct OldPage<P> {
    number: u64,
    degradation: Degradation,
    plan: Option<P>,
}

#[derive(Deserialize)]
struct PackedPlanV1 {
    claims: String,
    schedule: Vec<u8>,
}

impl TryFrom<PackedPlanV1> for PackedPlan {
    type Error = PlanFileError;

    fn try_from(PackedPlanV1 { claims, schedule }: PackedPlanV1) -> Result<Self, PlanFileError> {
        Ok(Self { claims: Claims::from_version_1(&claims)?, schedule })
    }
}

impl<P: TryInto<PackedPlan>> TryFrom<OldPiece<P>> for Piece {
    type Error = P::Error;

    fn try_from(piece: OldPiece<P>) -> Result<Self, P::Error> {
        Ok(match piece {
            OldPiece::Page(OldPage { number, degradation: Degradation { faults, outcome }, plan }) => {
                let changes = match outcome {
                    FaultOutcome::Planned(figures) => figures.changes,
                    FaultOutcome::Lost(_) => None,
                };
                Self::Page(Page { number, faults, changes, plan: plan.map(P::try_into).transpose()? })
            }
            OldPiece::End(pages) => Self::End(pages),
        })
    }
}

/// Reads the first piece. Returns it with the bytes behind it.
pub(super) fn title(bytes: &[u8]) -> Result<(Title, &[u8]), BookError> {
    let old = match BOOK_KIND.open_first(bytes) {
        Err(FileError::Sealed(SealError::Version { found: 1, .. })) => KIND_V1,
        Err(FileError::Sealed(SealError::Version { found: 2, .. })) => KIND_V2,
        opened => return Ok(opened?),
    };
    let (title, rest): (OldTitle, &[u8]) = old.open_first(bytes)?;
    Ok((title.try_into()?, rest))
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
                let (piece, rest): (OldPiece<PackedPlanV1>, &[u8]) = KIND_V1.open_first(self.rest)?;
                (piece.try_into()?, rest)
            }
            Err(FileError::Sealed(SealError::Version { found: 2, .. })) => {
                let (piece, rest): (OldPiece<PackedPlan>, &[u8]) = KIND_V2.open_first(self.rest)?;
                let Ok(piece) = piece.try_into();
                (piece, rest)
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

#[cfg(test)]
mod tests {
    use lockstep_bounds::Rule;
    use lockstep_faults::{FaultKind, FaultSpace, Survivability};
    use lockstep_schedule::{Budget, Collective, CommunicationModel, Transport};
    use lockstep_topology::NodeId;

    use super::super::consequence::Consequence;
    use super::super::degradation::{Loss, PlanFigures};
    use super::super::sweep_log::SweepIdentity;
    use super::*;
    use crate::plan::Verdict;
    use crate::{PlanOptions, RecoveryBook};

    fn budget() -> Budget {
        Budget::evaluations(1 << 12)
    }

    fn planned(spec: &str) -> Plan {
        let topology = spec.parse().unwrap();
        crate::plan(&topology, &Collective::all_gather(), &CommunicationModel::wormhole(), &budget()).unwrap()
    }

    fn title(before: &Plan, keeps_plans: bool) -> OldTitle {
        let before = before.to_file(None).to_bytes();
        OldTitle {
            before,
            options: PlanOptions::auto(1).into(),
            evaluations: 1 << 12,
            sets: String::new(),
            keeps_plans,
        }
    }

    /// Returns a book of version 2 that claims an outcome for the first link of a mesh, beside its plan of eight steps.
    fn forged(outcome: FaultOutcome, has_plan: bool) -> RecoveryBook {
        let before = planned("mesh:3x3");
        let faults = FaultSpace::new(before.topology(), FaultKind::Link, 1).get(0).unwrap();
        let true_plan = Consequence::of(&faults, &before, PlanOptions::auto(1), &budget()).unwrap().plan.unwrap();
        assert_eq!((true_plan.step_count(), true_plan.lower_bound().steps), (8, 8));
        let plan = has_plan.then(|| PackedPlan::new(&true_plan));
        let page = OldPiece::Page(OldPage { number: 0, degradation: Degradation { faults, outcome }, plan });
        let end = OldPiece::<PackedPlan>::End(1);
        let pieces = [KIND_V2.seal(&title(&before, true)), KIND_V2.seal(&page), KIND_V2.seal(&end)];
        RecoveryBook::read(&pieces.concat()).unwrap()
    }

    fn claimed(steps: u32, bound: u32) -> FaultOutcome {
        let (rule, engine) = (Rule::Ports, "construct".to_owned());
        FaultOutcome::Planned(PlanFigures { steps, bound, rule, verdict: Verdict::Optimal, engine, changes: None })
    }

    #[test]
    fn figures_of_old_pages_are_not_believed() {
        let lost = FaultOutcome::Lost(Loss::Root(NodeId::new(0)));
        for outcome in [claimed(4, 4), claimed(4, 8), lost] {
            let rows = forged(outcome, true).rows().unwrap();
            let FaultOutcome::Planned(figures) = &rows[0].outcome else { panic!("{rows:?}") };
            assert_eq!((figures.steps, figures.bound, figures.verdict), (8, 8, Verdict::Optimal));
        }
    }

    #[test]
    fn a_loss_without_cause_is_refused() {
        let before = planned("mesh:3x3");
        let answer = Survivability::of(before.topology(), Transport::Direct);
        for outcome in [claimed(4, 4), FaultOutcome::Lost(Loss::Terminals(answer)), FaultOutcome::Lost(Loss::Messages)]
        {
            let error = forged(outcome, false).rows().unwrap_err().to_string();
            assert!(error.starts_with("the plan for 00-10 is refused: it is missing, although"), "{error}");
        }
    }

    #[test]
    fn old_figures_without_plans_are_refused() {
        let before = planned("ring:4");
        let bytes = KIND_V2.seal(&title(&before, false));
        assert_eq!(RecoveryBook::read(&bytes), Err(BookError::NoPlans));
        let identity = SweepIdentity { before: &before, options: PlanOptions::auto(1), evaluations: 1 << 12, sets: "" };
        assert_eq!(identity.interrupted(&bytes), Err(BookError::NoPlans));
        // The log of a book is resumed.
        let resumed = identity.interrupted(&KIND_V2.seal(&title(&before, true))).unwrap();
        assert_eq!(resumed.page_count(), 0);
    }
}
