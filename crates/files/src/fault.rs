//! Faults on request, for tests: a full disk or a signal at any write.
//!
//! With the feature `fault-injection`, the environment variable `LOCKSTEP_FAULT` has the form `KIND:N`. At write number `N`,
//! from 1, the program meets the fault `KIND`: `full` (the disk is full from then on), or a signal `INT`, `TERM` or `KILL`.
//! Without the feature, a point is nothing.

use std::io;

/// A point at which tests inject a fault.
#[cfg(not(feature = "fault-injection"))]
#[expect(clippy::unnecessary_wraps, reason = "with the feature, it can fail")]
#[inline]
pub(crate) fn point() -> io::Result<()> {
    Ok(())
}

/// A point at which tests inject a fault.
#[cfg(feature = "fault-injection")]
pub(crate) fn point() -> io::Result<()> {
    use std::process::{Command, id};
    use std::sync::LazyLock;
    use std::sync::atomic::{AtomicU64, Ordering};

    static FAULT: LazyLock<Option<(String, u64)>> = LazyLock::new(|| {
        let text = std::env::var("LOCKSTEP_FAULT").ok()?;
        let (kind, number) = text.split_once(':')?;
        Some((kind.to_owned(), number.parse().ok()?))
    });
    static POINTS: AtomicU64 = AtomicU64::new(0);

    let Some((kind, number)) = &*FAULT else { return Ok(()) };
    let point = POINTS.fetch_add(1, Ordering::Relaxed) + 1;
    if kind == "full" {
        return if point < *number { Ok(()) } else { Err(io::ErrorKind::StorageFull.into()) };
    }
    if point == *number {
        Command::new("kill").args(["-s", kind, &id().to_string()]).status()?;
    }
    Ok(())
}
