//! The communication model: four choices that determine what a network can do in one step.

use std::fmt;
use std::num::NonZeroU32;

use lockstep_topology::Topology;
use serde::{Deserialize, Serialize};

/// The switching technique: how a message crosses inner nodes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Switching {
    /// A transfer occupies all channels of its path for one step, independent of the length of the path.
    Wormhole,
    /// A transfer goes from one terminal to the next one: over one channel, or over switches, in one step.
    ///
    /// In a network with switches this is wormhole switching with [relayed](ScatterRule::Relay) scatter messages, and a
    /// [`Problem`](crate::Problem) has that model, unless a terminal routes: then a transfer crosses exactly one channel.
    StoreAndForward,
}

impl fmt::Display for Switching {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Wormhole => "wormhole",
            Self::StoreAndForward => "store-and-forward",
        })
    }
}

/// The number of transfers that a terminal may send, and may receive, per step.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ports {
    /// One per channel.
    All,
    /// At most this number of each.
    Limit(NonZeroU32),
}

impl Ports {
    /// Allows at most `ports` sends and `ports` receptions per step; `None` for 0, which allows no communication.
    pub fn limit(ports: u32) -> Option<Self> {
        NonZeroU32::new(ports).map(Self::Limit)
    }

    /// Returns the maximum number of transfers per step of a terminal with `degree` channels in that direction.
    pub fn of_degree(self, degree: usize) -> usize {
        match self {
            Self::All => degree,
            Self::Limit(limit) => degree.min(limit.get() as usize),
        }
    }
}

impl fmt::Display for Ports {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::All => f.write_str("all"),
            Self::Limit(limit) => limit.fmt(f),
        }
    }
}

impl Serialize for Ports {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::All => serializer.serialize_str("all"),
            Self::Limit(limit) => serializer.serialize_u32(limit.get()),
        }
    }
}

impl<'de> Deserialize<'de> for Ports {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged, expecting = "expected \"all\" or a number of ports from 1 on")]
        enum Written {
            Word(String),
            Number(NonZeroU32),
        }
        match Written::deserialize(deserializer)? {
            Written::Word(word) if word == "all" => Ok(Self::All),
            Written::Word(word) => {
                Err(serde::de::Error::custom(format!("ports '{word}', expected \"all\" or a number")))
            }
            Written::Number(limit) => Ok(Self::Limit(limit)),
        }
    }
}

/// The paths that a transfer may take.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Routing {
    /// The shortest legal paths of the network.
    Minimal,
    /// Any simple path.
    Any,
}

/// The rule for scatter messages, which have one receiver each.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum ScatterRule {
    /// In one transfer from its source to its receiver.
    Direct,
    /// Other terminals may forward it in later steps.
    Relay,
}

/// The rules of the network. They are always explicit, because they change the optimum.
///
/// ```
/// use lockstep_schedule::{CommunicationModel, Ports, Routing};
///
/// let one_port = CommunicationModel { ports: Ports::limit(1).unwrap(), ..CommunicationModel::wormhole() };
/// assert_eq!(one_port.to_string(), "wormhole, 1-port, minimal routing, direct scatter");
/// let detours = CommunicationModel { routing: Routing::Any, ..one_port };
/// assert!(detours.is_direct());
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "Model"))]
#[serde(deny_unknown_fields)]
pub struct CommunicationModel {
    /// The switching technique.
    pub switching: Switching,
    /// Number of transfers that a terminal sends and receives per step.
    pub ports: Ports,
    /// The allowed paths.
    pub routing: Routing,
    /// The rule for scatter messages. Store-and-forward switching always relays them.
    pub scatter: ScatterRule,
}

impl CommunicationModel {
    /// Wormhole switching, all ports, minimal routing, direct scatter.
    pub const fn wormhole() -> Self {
        Self {
            switching: Switching::Wormhole,
            ports: Ports::All,
            routing: Routing::Minimal,
            scatter: ScatterRule::Direct,
        }
    }

    /// Store-and-forward switching, all ports, minimal routing, relayed scatter.
    pub const fn store_and_forward() -> Self {
        Self {
            switching: Switching::StoreAndForward,
            ports: Ports::All,
            routing: Routing::Minimal,
            scatter: ScatterRule::Relay,
        }
    }

    /// Returns the model of a [`Problem`](crate::Problem) on this network: store-and-forward switching
    /// [over switches](Switching::StoreAndForward) is wormhole switching with relayed scatter messages.
    #[must_use]
    pub fn on(self, topology: &Topology) -> Self {
        let is_stored = self.switching == Switching::StoreAndForward && !topology.is_direct();
        if is_stored && !topology.terminals().iter().any(|&terminal| topology.routes(terminal)) {
            Self { switching: Switching::Wormhole, scatter: ScatterRule::Relay, ..self }
        } else {
            self
        }
    }

    /// Returns true if a scatter message must go from source to receiver in one transfer.
    pub fn is_direct(self) -> bool {
        self.switching == Switching::Wormhole && self.scatter == ScatterRule::Direct
    }
}

impl fmt::Display for CommunicationModel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let routing = match self.routing {
            Routing::Minimal => "minimal",
            Routing::Any => "any",
        };
        let scatter = if self.is_direct() { "direct" } else { "relay" };
        write!(f, "{}, {}-port, {routing} routing, {scatter} scatter", self.switching, self.ports)
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for Ports {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Ports".into()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        let limit = generator.subschema_for::<NonZeroU32>();
        schemars::json_schema!({ "anyOf": [{ "const": "all" }, limit] })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<CommunicationModel, String> {
        serde_json::from_str(text).map_err(|error| error.to_string())
    }

    #[test]
    fn models_are_written_and_read_in_words() {
        let text = r#"{"switching":"wormhole","ports":"all","routing":"minimal","scatter":"direct"}"#;
        assert_eq!(serde_json::to_string(&CommunicationModel::wormhole()).unwrap(), text);
        assert_eq!(read(text), Ok(CommunicationModel::wormhole()));
        let two = CommunicationModel { ports: Ports::limit(2).unwrap(), ..CommunicationModel::store_and_forward() };
        assert_eq!(read(&serde_json::to_string(&two).unwrap()), Ok(two));
        assert_eq!(two.to_string(), "store-and-forward, 2-port, minimal routing, relay scatter");
    }

    #[test]
    fn impossible_ports_are_refused() {
        for ports in ["0", "-1", "\"some\"", "4294967296", "1.5", "[1]"] {
            let text = format!(r#"{{"switching":"wormhole","ports":{ports},"routing":"any","scatter":"relay"}}"#);
            assert!(read(&text).unwrap_err().contains("expected \"all\" or a number"), "{ports}");
        }
        assert_eq!(Ports::limit(0), None);
    }

    #[test]
    fn ports_limit_a_degree() {
        assert_eq!((Ports::All.of_degree(5), Ports::limit(2).unwrap().of_degree(5)), (5, 2));
        assert_eq!(Ports::limit(8).unwrap().of_degree(5), 5);
    }
}
