//! Tests of searches for rings, and of their bounds.

#![allow(clippy::unwrap_used, reason = "a test fails where its helpers do")]

mod brute_force;
mod cases;
mod large;
mod laws;
mod spoiled;
