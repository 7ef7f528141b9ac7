//! The threads that share the work of all functions.

use std::error::Error;
use std::io;

use rayon::ThreadPoolBuilder;

/// Starts the threads that share the work of all functions, unless they run already: one per processor, or the number in
/// the environment variable `RAYON_NUM_THREADS`.
///
/// Without this call, the first function that needs the threads starts them, and panics if the system refuses one. The
/// number of threads changes no result.
///
/// ```
/// lockstep::start_threads()?;
/// # Ok::<(), std::io::Error>(())
/// ```
///
/// # Errors
///
/// The error of the operating system if it refuses a thread. The message names the limits to raise.
pub fn start_threads() -> io::Result<()> {
    let Err(error) = ThreadPoolBuilder::new().build_global() else { return Ok(()) };
    // Threads that run already are an error without a source.
    match error.source().and_then(|source| source.downcast_ref::<io::Error>()) {
        Some(error) => Err(io::Error::new(error.kind(), refused_thread(error))),
        None => Ok(()),
    }
}

/// Returns the number of threads that share the work. Starts them if they do not run yet, see [`start_threads`].
pub fn thread_count() -> usize {
    rayon::current_num_threads()
}

/// Returns the message for an error of the operating system that refuses a thread.
pub fn refused_thread(error: &io::Error) -> String {
    format!(
        "the system refuses a thread: {error}; raise the limits of processes and memory (ulimit -u, ulimit -v), or set \
         RAYON_NUM_THREADS=1"
    )
}
