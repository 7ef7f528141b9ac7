//! Readers of tables of choices: which rule fires for which sizes of a communicator, and what the library does not say about the file.

mod csv;
mod mpich;
mod open_mpi;
mod reading;
#[cfg(test)]
mod tests;
mod ucc;

pub use self::reading::{Communicator, ReadCollective, ReadRange, Rule, TableError, TableReading};
use crate::library::Library;

impl TableReading {
    /// Returns the library whose table a text is, if it is one. A table for NCCL's plugin is one for RCCL, too.
    pub fn detect(text: &str) -> Option<Library> {
        let is_json = text.trim_start().starts_with('{');
        if is_json {
            return if mpich::looks_like(text) {
                Some(Library::Mpich)
            } else if open_mpi::looks_like_json(text) {
                Some(Library::OpenMpi6)
            } else {
                None
            };
        }
        if ucc::looks_like(text) {
            return Some(Library::Ucc);
        }
        csv::library_of(text).or_else(|| open_mpi::looks_like(text).then_some(Library::OpenMpi))
    }

    /// Reads the table of a library for a communicator.
    ///
    /// ```
    /// use lockstep_tune::{Communicator, Library, TableReading};
    ///
    /// let table = "allreduce,0,65536,tree,ll,4,1,8\nallreduce,65537,1152921504606846976,ring,simple,16,1,8\n";
    /// let reading = TableReading::read(table, Library::Nccl, Communicator { ranks: 8, hosts: 1 })?;
    /// let [small, large] = &reading.collectives[0].ranges[..] else { panic!("two ranges") };
    /// assert_eq!((small.to, large.rule.as_ref().unwrap().place.as_str()), (65536, "line 2"));
    /// // There is no rule for the other collectives.
    /// assert!(reading.notes[0].contains("one channel"));
    /// # Ok::<(), lockstep_tune::TableError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`TableError`] if the library refuses the table, or drops it without a message.
    pub fn read(text: &str, library: Library, communicator: Communicator) -> Result<Self, TableError> {
        let mut reading = Self { library, collectives: Vec::new(), notes: Vec::new() };
        match library {
            Library::Nccl | Library::Rccl | Library::Torchcomms => csv::read(text, communicator, &mut reading)?,
            Library::OpenMpi => open_mpi::read(text, communicator, &mut reading)?,
            Library::OpenMpi6 => open_mpi::read_json(text, communicator, &mut reading)?,
            Library::Mpich => mpich::read(text, communicator, &mut reading)?,
            Library::Ucc => ucc::read(text, communicator, &mut reading)?,
        }
        Ok(reading)
    }
}
