//! Certificates of lower bounds on the steps of a collective: what they state, how they read, and an independent check.
//!
//! A [`LowerBound`] is a number of steps that no schedule can beat, with a [`Certificate`]: the facts that prove it.
//! [`LowerBound::check`] computes every fact again from the network and the messages. This crate contains no code that
//! searches for bounds or schedules, and it uses only the definitions of networks and collectives. An error in a search
//! cannot hide in it.
//!
//! ```
//! use lockstep_certificate::LowerBound;
//! use lockstep_schedule::{Collective, CommunicationModel, Problem};
//! use lockstep_topology::Topology;
//!
//! let mesh: Topology = "mesh:4x4".parse()?;
//! let all_to_all = Collective::all_to_all();
//! let problem = Problem::new(&mesh, &all_to_all, CommunicationModel::wormhole())?;
//!
//! // The left half sends 64 messages to the right half, over 4 channels.
//! let bound: LowerBound = serde_json::from_str(
//!     r#"{"steps":16,"rule":"cut","certificate":{"kind":"cut","nodes":[0,1,4,5,8,9,12,13],
//!         "direction":"in","messages":64,"per_step":4}}"#,
//! )?;
//! bound.check(&problem)?;
//! println!("{}", bound.certificate.explain(&mesh));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Concepts
//!
//! - A [`Rule`] is an argument that proves bounds. Each rule has one kind of certificate.
//! - Facts concern distributions: phases that send messages from sources to receivers. A collecting phase is
//!   time-reversed, and its certificate is [`Certificate::Reversed`]. Some facts concern all-reduces as a whole.
//! - A check accepts exact numbers only. A smaller number that proves the same bound is refused.
//!
//! # Entry points
//!
//! - [`LowerBound::check`] verifies a bound for a problem, [`LowerBound::check_symmetric`] for a Cayley graph.
//! - [`Certificate::explain`] returns a certificate in words.
//! - [`Certificate::quotient`] returns the bound before it is rounded up.
//! - [`LowerBound::to_bytes`] and [`LowerBound::from_bytes`] write and read the binary form. The JSON form is that of
//!   serde.

mod binary;
mod certificate;
mod check;
mod error;
mod explain;
mod quotient;
mod rule;

pub use binary::DecodeError;
pub use certificate::{Certificate, Direction, LowerBound};
pub use error::CertificateError;
pub use rule::Rule;
