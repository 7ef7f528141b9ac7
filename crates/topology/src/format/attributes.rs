//! The attributes of nodes and edges in the formats `dot`, `graphml` and `node-link`, and of edges in `edges`.

use std::ops::RangeInclusive;

use super::error::FileFault;
use crate::quantity::{Quantity, QuantityError};
use crate::text::excerpt;

/// The attributes of a node in a file, or the defaults for nodes.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct NodeAttributes {
    pub(super) terminal: Option<bool>,
    pub(super) switch: Option<bool>,
    pub(super) routes: Option<bool>,
    pub(super) failed: Option<bool>,
    pub(super) host: Option<Label>,
    /// Coordinate to the right.
    pub(super) x: Option<f64>,
    /// Coordinate upwards, as in Graphviz and networkx.
    pub(super) y: Option<f64>,
}

impl NodeAttributes {
    /// Sets an attribute other than `host`. Returns false if it is not understood.
    pub(super) fn set(&mut self, key: &str, value: &str) -> Result<bool, FileFault> {
        match key {
            "terminal" => self.terminal = Some(boolean("terminal", value)?),
            "switch" => self.switch = Some(boolean("switch", value)?),
            "routes" => self.routes = Some(boolean("routes", value)?),
            "failed" => self.failed = Some(boolean("failed", value)?),
            "x" => self.x = value.trim().parse().ok(),
            "y" => self.y = value.trim().parse().ok(),
            "type" | "kind" | "role" => match value.trim().to_ascii_lowercase().as_str() {
                "switch" => self.switch = Some(true),
                "terminal" => self.terminal = Some(true),
                _ => return Ok(false),
            },
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// Returns these attributes, overridden by those that are set in `other`.
    pub(super) fn overridden_by(self, other: Self) -> Self {
        Self {
            terminal: other.terminal.or(self.terminal),
            switch: other.switch.or(self.switch),
            routes: other.routes.or(self.routes),
            failed: other.failed.or(self.failed),
            host: other.host.or(self.host),
            x: other.x.or(self.x),
            y: other.y.or(self.y),
        }
    }

    pub(super) fn is_terminal(self) -> bool {
        self.terminal.or(self.switch.map(|switch| !switch)).unwrap_or(true)
    }

    /// Returns the position, y downwards.
    pub(super) fn position(self) -> Option<[f64; 2]> {
        let (x, y) = (self.x?, self.y?);
        (x.is_finite() && y.is_finite()).then_some([x, flip_y(y)])
    }
}

/// The channels that an edge represents.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum EdgeDirection {
    Forward,
    Backward,
    Both,
}

/// The attributes of an edge in a file, or the defaults for edges.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct EdgeAttributes {
    pub(super) direction: Option<EdgeDirection>,
    pub(super) resource: Option<Label>,
    pub(super) capacity: Option<u64>,
    /// Bytes per second.
    pub(super) bandwidth: Option<u64>,
    /// Bytes per second, by an attribute of other programs. It is a bandwidth if every edge has one.
    pub(super) speed: Option<u64>,
    pub(super) latency_ps: Option<u64>,
}

/// The attribute of an edge that holds its bandwidth in bit/s in the Internet Topology Zoo.
pub(super) const LINK_SPEED: &str = "LinkSpeedRaw";

/// Words in the names of attributes that may be a bandwidth, a number of links or a latency.
const RATE_WORDS: [&str; 16] = [
    "bandwidth",
    "bandwidths",
    "bps",
    "bw",
    "capacity",
    "delay",
    "gbps",
    "kbps",
    "latency",
    "mbps",
    "multiplicity",
    "rate",
    "speed",
    "throughput",
    "value",
    "weight",
];

/// Returns true if the name of an attribute has a word that may mean a bandwidth, a number of links or a latency.
pub(super) fn may_be_rate(key: &str) -> bool {
    let mut words = vec![String::new()];
    let mut was_lower = false;
    for c in key.chars() {
        if !c.is_alphanumeric() || (was_lower && c.is_uppercase()) {
            words.push(String::new());
        }
        if let Some(word) = words.last_mut().filter(|_| c.is_alphanumeric()) {
            word.extend(c.to_lowercase());
        }
        was_lower = c.is_lowercase();
    }
    words.iter().any(|word| RATE_WORDS.contains(&word.as_str()))
}

impl EdgeAttributes {
    /// Sets a capacity, bandwidth or latency. Returns false if the attribute is not one of them.
    pub(super) fn set(&mut self, key: &str, value: &str) -> Result<bool, FileFault> {
        match key {
            "capacity" => self.capacity = Some(capacity(value)?),
            "bandwidth" => self.bandwidth = Some(quantity("bandwidth", Quantity::Bandwidth, value)?),
            "latency" => self.latency_ps = Some(quantity("latency", Quantity::Time, value)?),
            LINK_SPEED => self.speed = Some(bytes_per_second(value)?),
            _ => return Ok(false),
        }
        Ok(true)
    }
}

/// A name in a file, replaced by a number to save memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Label(pub(super) usize);

/// Negates a y coordinate without producing `-0`.
pub(super) fn flip_y(y: f64) -> f64 {
    0.0 - y
}

/// Parses a Boolean value of XML, Python or Graphviz.
pub(super) fn boolean(attribute: &'static str, value: &str) -> Result<bool, FileFault> {
    match value.trim().to_ascii_lowercase().as_str() {
        "true" | "1" => Ok(true),
        "false" | "0" => Ok(false),
        _ => Err(FileFault::Value { attribute, found: excerpt(value), expected: "true or false" }),
    }
}

/// Parses a bandwidth or a latency.
pub(super) fn quantity(attribute: &'static str, quantity: Quantity, value: &str) -> Result<u64, FileFault> {
    quantity.parse(value).map_err(|error: QuantityError| FileFault::Quantity { attribute, error })
}

/// Parses a whole number in a range.
pub(super) fn whole_number(
    attribute: &'static str,
    value: &str,
    range: RangeInclusive<u64>,
    expected: &'static str,
) -> Result<u64, FileFault> {
    let number = value.trim().parse().ok().filter(|number| range.contains(number));
    number.ok_or_else(|| FileFault::Value { attribute, found: excerpt(value), expected })
}

/// Parses a whole number of transfers per step.
fn capacity(value: &str) -> Result<u64, FileFault> {
    let fault =
        || FileFault::Value { attribute: "capacity", found: excerpt(value), expected: "a whole number from 1 on" };
    parse_whole(value).ok_or_else(fault)
}

/// Parses a whole number. Programs that know only floating-point numbers write `4.0` or `4.000e+00`.
#[expect(clippy::cast_sign_loss, reason = "negative numbers are not in the range")]
pub(super) fn parse_whole(value: &str) -> Option<u64> {
    const EXACT: f64 = (1u64 << f64::MANTISSA_DIGITS) as f64;
    let number = value.trim();
    let whole = || number.parse::<f64>().ok().filter(|x| (0.0..EXACT).contains(x) && x.fract() == 0.0);
    number.parse().ok().or_else(|| Some(whole()? as u64))
}

/// Parses a number of bit/s, and returns it in bytes per second.
#[expect(clippy::cast_sign_loss, reason = "negative numbers are not in the range")]
fn bytes_per_second(value: &str) -> Result<u64, FileFault> {
    let bits = value.trim().parse::<f64>().ok().filter(|bits| (8.0..1e18).contains(bits));
    let expected = "a number of bit/s from 8 on";
    let fault = || FileFault::Value { attribute: LINK_SPEED, found: excerpt(value), expected };
    Ok((bits.ok_or_else(fault)? / 8.0).round() as u64)
}
