//! Tests of the lower bounds through the public interface: tables, properties and an exhaustive oracle.

#![allow(clippy::unwrap_used, reason = "a test fails where its helpers do")]

mod any_certificate;
mod arc_forwarding;
mod capacities;
mod certificates;
mod documents;
mod flows;
mod fractional_routing;
mod networks;
mod oracle;
mod symmetric;
mod tables;
mod throughput;
mod timed_entries;
mod validity;
