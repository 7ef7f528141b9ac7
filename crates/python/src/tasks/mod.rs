//! The tasks of the library: one file each.

pub(crate) mod design;
pub(crate) mod faults;
pub(crate) mod front;
pub(crate) mod judge;
pub(crate) mod measure;
pub(crate) mod plan;
pub(crate) mod recovery_book;
pub(crate) mod simulate;
