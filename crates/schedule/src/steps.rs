//! Reads lists of steps from JSON, transfer by transfer.

use std::fmt;
use std::marker::PhantomData;

use serde::de::{self, DeserializeOwned, DeserializeSeed, Deserializer, SeqAccess, Visitor};

/// A schedule into which a list of steps is read.
pub(crate) trait StepList: Default {
    /// The serialized form of a transfer.
    type Transfer: DeserializeOwned;

    /// Begins the next step.
    fn begin_step(&mut self);

    /// Adds a transfer to the last step; returns `false` if there would be too many.
    fn try_push(&mut self, transfer: Self::Transfer) -> bool;
}

/// Reads the steps of a list of lists of transfers.
pub(crate) fn read_steps<'de, L: StepList, D: Deserializer<'de>>(deserializer: D) -> Result<L, D::Error> {
    deserializer.deserialize_seq(Steps(PhantomData))
}

struct Steps<L>(PhantomData<L>);

impl<'de, L: StepList> Visitor<'de> for Steps<L> {
    type Value = L;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of steps")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut steps: A) -> Result<L, A::Error> {
        let mut list = L::default();
        while steps.next_element_seed(NextStep(&mut list))?.is_some() {}
        Ok(list)
    }
}

/// Reads one step into the list.
struct NextStep<'a, L>(&'a mut L);

impl<'de, L: StepList> DeserializeSeed<'de> for NextStep<'_, L> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de, L: StepList> Visitor<'de> for NextStep<'_, L> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of transfers")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut transfers: A) -> Result<(), A::Error> {
        let Self(list) = self;
        list.begin_step();
        while let Some(transfer) = transfers.next_element()? {
            if !list.try_push(transfer) {
                return Err(de::Error::custom("more than 2^32 - 1 transfers or channel uses; split the schedule"));
            }
        }
        Ok(())
    }
}
