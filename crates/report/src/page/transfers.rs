//! The transfers of a page, as compact numbers.

use lockstep_schedule::{Messages, Problem, Receivers, Step, Transfer};
use lockstep_topology::{NodeId, Topology};

use super::coder::{Encoder, NumberModel, SymbolModel};

/// The largest number of ports whose symbols depend on the port before.
const DEPENDENT_PORTS: usize = 64;
/// The number of ports before that are told apart.
const PORTS_BEFORE: usize = 16;
/// The kinds of nodes that a path passes: switch, terminal, only receiver.
const NODE_KINDS: usize = 3;

/// Encodes one step. It is decoded without the other steps, so that the page shows it at once.
///
/// A path is a sequence of ports: the places of channels among the outgoing channels of their tails, from 1; 0 ends it. The
/// probability of a port depends on the port before and on the kind of the node.
pub(super) fn encode_step(problem: &Problem<'_>, step: &Step<'_>) -> Vec<u8> {
    let mut encoder = Encoder::new();
    let mut models = StepModels::new(problem.topology());
    let (mut last_message, mut last_sender) = (0, 0);
    for transfer in step.iter() {
        models.message.put_difference(&mut encoder, transfer.message.number(), last_message);
        last_message = transfer.message.number();
        let sender = regular_sender(problem.topology(), &transfer);
        models.is_irregular.put(&mut encoder, usize::from(sender.is_none()));
        let Some(sender) = sender else {
            models.length.put(&mut encoder, transfer.path.len() as u32);
            for channel in transfer.path {
                models.channel.put(&mut encoder, channel.number());
            }
            continue;
        };
        let messages = problem.messages();
        let is_known = transfer.message.index() < messages.len();
        let is_source = is_known && messages.source(transfer.message) == sender;
        models.is_source.put(&mut encoder, usize::from(is_source));
        if !is_source {
            models.sender.put_difference(&mut encoder, sender.number(), last_sender);
        }
        last_sender = sender.number();
        models.put_path(&mut encoder, problem, &transfer, sender);
    }
    encoder.finish()
}

/// Returns the sender of a path of working channels that follow each other.
fn regular_sender(topology: &Topology, transfer: &Transfer<'_>) -> Option<NodeId> {
    let (&first, _) = transfer.path.split_first()?;
    let works = transfer.path.iter().all(|&channel| topology.is_working(channel));
    let follow = works && transfer.path.windows(2).all(|pair| topology.head(pair[0]) == topology.tail(pair[1]));
    follow.then(|| topology.tail(first))
}

/// Returns the only receiver of a message that is not split further.
fn only_receiver(messages: Messages<'_>, transfer: &Transfer<'_>) -> Option<NodeId> {
    if transfer.message.index() >= messages.len() {
        return None;
    }
    match messages.receivers(transfer.message) {
        Receivers::One(receiver) => Some(receiver),
        Receivers::AllOthers | Receivers::List(_) => None,
    }
}

/// The models of one step.
struct StepModels {
    message: NumberModel,
    is_irregular: SymbolModel,
    length: NumberModel,
    channel: NumberModel,
    is_source: SymbolModel,
    sender: NumberModel,
    port: Vec<SymbolModel>,
}

impl StepModels {
    fn new(topology: &Topology) -> Self {
        let [message, length, channel, sender] = [(); 4].map(|()| NumberModel::new());
        let [is_irregular, is_source] = [(); 2].map(|()| SymbolModel::new(2));
        let ports = most_ports(topology);
        let models = if ports > DEPENDENT_PORTS { NODE_KINDS } else { PORTS_BEFORE * NODE_KINDS };
        let port = vec![SymbolModel::new(ports + 1); models];
        Self { message, is_irregular, length, channel, is_source, sender, port }
    }

    fn put_path(&mut self, encoder: &mut Encoder, problem: &Problem<'_>, transfer: &Transfer<'_>, sender: NodeId) {
        let topology = problem.topology();
        let receiver = only_receiver(problem.messages(), transfer);
        let (mut node, mut before) = (sender, 0);
        for &channel in transfer.path {
            let ports = topology.out_channels(node);
            let port = ports.binary_search(&channel).expect("the channel works and leaves this node") + 1;
            self.put_port(encoder, topology, receiver, node, before, port);
            (node, before) = (topology.head(channel), port);
        }
        self.put_port(encoder, topology, receiver, node, before, 0);
    }

    fn put_port(
        &mut self,
        encoder: &mut Encoder,
        topology: &Topology,
        receiver: Option<NodeId>,
        node: NodeId,
        before: usize,
        port: usize,
    ) {
        let kind = match topology.is_terminal(node) {
            false => 0,
            true if receiver == Some(node) => 2,
            true => 1,
        };
        let context = NODE_KINDS * before.min(PORTS_BEFORE - 1) + kind;
        let context = if self.port.len() == NODE_KINDS { kind } else { context };
        self.port[context].put(encoder, port);
    }
}

/// Returns the largest number of working channels that leave one node.
fn most_ports(topology: &Topology) -> usize {
    topology.nodes().map(|node| topology.out_channels(node).len()).max().unwrap_or(0)
}
