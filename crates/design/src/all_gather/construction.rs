//! Networks as expansions of smaller ones.

use std::fmt;
use std::sync::Arc;

/// A network: a base, or an expansion of one or more smaller ones. It is displayed as its spec.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Construction {
    /// The spec of a network of a family.
    Base(String),
    /// The line graph, this many times.
    Line(u32, Arc<Construction>),
    /// This many copies of each node.
    Expansion(u32, Arc<Construction>),
    /// The Cartesian product of this many copies.
    Power(u32, Arc<Construction>),
    /// The Cartesian product.
    Product(Vec<Arc<Construction>>),
}

impl Construction {
    /// Returns the Cartesian product. Its factors are no products themselves.
    pub(super) fn product(left: &Arc<Self>, right: &Arc<Self>) -> Self {
        let mut factors = Vec::new();
        for operand in [left, right] {
            match &**operand {
                Self::Product(inner) => factors.extend(inner.iter().cloned()),
                _ => factors.push(Arc::clone(operand)),
            }
        }
        Self::Product(factors)
    }

    /// Returns true if the spec of the network contains a product.
    fn contains_product(&self) -> bool {
        match self {
            Self::Base(_) => false,
            Self::Line(_, of) | Self::Expansion(_, of) | Self::Power(_, of) => of.contains_product(),
            Self::Product(_) => true,
        }
    }
}

impl fmt::Display for Construction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Base(spec) => f.write_str(spec),
            Self::Line(power, of) => write!(f, "line:{power},{of}"),
            Self::Expansion(copies, of) => write!(f, "expand:{copies},{of}"),
            Self::Power(exponent, of) => write!(f, "power:{exponent},{of}"),
            Self::Product(factors) => {
                for (place, factor) in factors.iter().enumerate() {
                    f.write_str(if place == 0 { "product:" } else { "*" })?;
                    if factor.contains_product() { write!(f, "({factor})")? } else { write!(f, "{factor}")? }
                }
                Ok(())
            }
        }
    }
}
