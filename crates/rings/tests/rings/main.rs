//! Tests of searches for rings, and of their bounds.

#![allow(clippy::print_stdout, reason = "`--nocapture` shows the tables of bandwidths and times")]
#![allow(clippy::unwrap_used, reason = "a test fails where its helpers do")]

mod brute_force;
mod cases;
mod large;
mod laws;
mod spoiled;
