//! Things that threads borrow from each other.

use std::ops::{Deref, DerefMut};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Things that are lent and come back: as many as were ever lent at once.
#[derive(Debug)]
pub(crate) struct Pool<T> {
    free: Mutex<Vec<T>>,
}

impl<T> Pool<T> {
    pub(crate) fn new() -> Self {
        Self { free: Mutex::new(Vec::new()) }
    }

    /// A free thing, or a new one.
    pub(crate) fn borrow(&self, make: impl FnOnce() -> T) -> Lent<'_, T> {
        let free = self.free().pop();
        Lent { pool: self, thing: Some(free.unwrap_or_else(make)) }
    }

    fn free(&self) -> MutexGuard<'_, Vec<T>> {
        // A thing is taken or given back whole, so a panic elsewhere leaves the list right.
        self.free.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A thing of a [`Pool`], which it goes back to.
#[derive(Debug)]
pub(crate) struct Lent<'a, T> {
    pool: &'a Pool<T>,
    /// There until it goes back.
    thing: Option<T>,
}

impl<T> Deref for Lent<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        self.thing.as_ref().expect("it goes back when it is dropped")
    }
}

impl<T> DerefMut for Lent<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        self.thing.as_mut().expect("it goes back when it is dropped")
    }
}

impl<T> Drop for Lent<'_, T> {
    fn drop(&mut self) {
        self.pool.free().extend(self.thing.take());
    }
}
