//! Buffers that threads share.

use std::ops::{Deref, DerefMut};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// A pool of reusable buffers. It holds at most one buffer per borrower at the time of the most borrowers.
#[derive(Debug)]
pub(crate) struct BufferPool<T> {
    free: Mutex<Vec<T>>,
}

impl<T> BufferPool<T> {
    pub(crate) fn new() -> Self {
        Self { free: Mutex::new(Vec::new()) }
    }

    /// Returns a free buffer, or a new one.
    pub(crate) fn borrow(&self, make: impl FnOnce() -> T) -> BorrowedBuffer<'_, T> {
        let free = self.free().pop();
        BorrowedBuffer { pool: self, buffer: Some(free.unwrap_or_else(make)) }
    }

    fn free(&self) -> MutexGuard<'_, Vec<T>> {
        // No operation leaves the list half changed, so a panic of another thread does not matter.
        self.free.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A buffer that returns to its [`BufferPool`] when dropped.
#[derive(Debug)]
pub(crate) struct BorrowedBuffer<'a, T> {
    pool: &'a BufferPool<T>,
    /// `None` only during the drop.
    buffer: Option<T>,
}

impl<T> Deref for BorrowedBuffer<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        self.buffer.as_ref().expect("the buffer is taken only by the drop")
    }
}

impl<T> DerefMut for BorrowedBuffer<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        self.buffer.as_mut().expect("the buffer is taken only by the drop")
    }
}

impl<T> Drop for BorrowedBuffer<'_, T> {
    fn drop(&mut self) {
        self.pool.free().extend(self.buffer.take());
    }
}
