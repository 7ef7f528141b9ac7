//! The network and the messages of a page, as compact numbers.

use lockstep_schedule::{MessageId, Messages, Receivers};
use lockstep_topology::Topology;

use super::coder::{Encoder, NumberModel, SymbolModel};
use crate::geometry::{Curve, Point};
use crate::mark::MarkRole;
use crate::scene::Scene;

/// Units per pixel of all coordinates.
pub(super) const UNITS_PER_PIXEL: f64 = 4.0;

/// Models of the two coordinates of a vector.
struct VectorModel([NumberModel; 2]);

impl VectorModel {
    fn new() -> Self {
        Self([NumberModel::new(), NumberModel::new()])
    }

    fn put(&mut self, encoder: &mut Encoder, vector: Point) {
        for (model, coordinate) in self.0.iter_mut().zip([vector.x, vector.y]) {
            model.put_difference(encoder, units(coordinate), 0);
        }
    }
}

/// Returns a length in units, as a number modulo 2^32.
fn units(length: f64) -> u32 {
    ((length * UNITS_PER_PIXEL).round() as i32).cast_unsigned()
}

/// Returns a point rounded to units. Differences of rounded points add up without error.
fn rounded(point: Point) -> Point {
    let round = |coordinate: f64| (coordinate * UNITS_PER_PIXEL).round() / UNITS_PER_PIXEL;
    Point::new(round(point.x), round(point.y))
}

/// Encodes the marks of all nodes and receiving sides, then all channels in the order of their numbers.
pub(super) fn encode_network(topology: &Topology, scene: &Scene) -> Vec<u8> {
    let mut encoder = Encoder::new();
    encode_marks(&mut encoder, topology, scene);
    encode_channels(&mut encoder, topology, scene);
    encoder.finish()
}

/// Per mark: role, node, centre, half the size, corner, and the place of the label from the centre.
fn encode_marks(encoder: &mut Encoder, topology: &Topology, scene: &Scene) {
    let mut role = SymbolModel::new(4);
    let mut node = NumberModel::new();
    let [mut centre, mut half, mut label] = [(); 3].map(|()| VectorModel::new());
    let mut corner = NumberModel::new();
    let (mut last, mut last_half, mut last_node) = (Point::default(), Point::default(), 0);
    for mark in &scene.marks {
        let code = match mark.role {
            MarkRole::Terminal => 0,
            MarkRole::Switch => 1,
            MarkRole::Receiver => 2,
            MarkRole::Failed => 3,
        };
        role.put(encoder, code);
        node.put_difference(encoder, mark.node.number(), last_node);
        let (here, size) = (rounded(mark.centre), rounded(mark.outline.half));
        centre.put(encoder, here - last);
        half.put(encoder, size - last_half);
        corner.put(encoder, units(mark.outline.corner));
        label.put(encoder, rounded(mark.label_at) - here);
        (last, last_half, last_node) = (here, size, mark.node.number());
    }
    debug_assert!(scene.marks.len() >= topology.node_count());
}

/// Per channel: whether it works, tail, head, mark entered, resource, capacity and curve.
fn encode_channels(encoder: &mut Encoder, topology: &Topology, scene: &Scene) {
    let [mut works, mut is_curved] = [(); 2].map(|()| SymbolModel::new(2));
    let [mut tail, mut head, mut entered, mut resource, mut capacity] = [(); 5].map(|()| NumberModel::new());
    let [mut start, mut end, mut first, mut second] = [(); 4].map(|()| VectorModel::new());
    let (mut last_tail, mut last_head, mut last_resource) = (0, 0, 0_u32);
    for (channel, curve) in topology.channel_numbers().zip(&scene.curves) {
        let is_working = topology.is_working(channel);
        works.put(encoder, usize::from(is_working));
        let [from, to] = [topology.tail(channel), topology.head(channel)];
        tail.put_difference(encoder, from.number(), last_tail);
        head.put_difference(encoder, to.number(), last_head);
        let mark = scene.head(channel);
        entered.put(encoder, (mark as u32).wrapping_sub(to.number()));
        let own = topology.resource(channel).number();
        resource.put_difference(encoder, own, last_resource.wrapping_add(1));
        capacity.put(encoder, topology.capacity(channel));
        let Curve { control } = *curve;
        let [a, b, c, d] = control.map(rounded);
        start.put(encoder, a - rounded(scene.marks[from.index()].centre));
        end.put(encoder, d - rounded(scene.marks[mark].centre));
        is_curved.put(encoder, usize::from(!curve.is_straight()));
        if !curve.is_straight() {
            first.put(encoder, b - a);
            second.put(encoder, c - d);
        }
        (last_tail, last_head, last_resource) = (from.number(), to.number(), own);
    }
}

/// Encodes the source and receivers of each message before it is split into chunks.
pub(super) fn encode_messages(messages: Messages<'_>) -> Vec<u8> {
    let mut encoder = Encoder::new();
    let mut form = SymbolModel::new(4);
    let [mut source, mut receiver, mut count, mut listed] = [(); 4].map(|()| NumberModel::new());
    let (mut last_source, mut last_receiver) = (0, 0);
    let originals = (0..messages.len() as u32).step_by(messages.chunks() as usize);
    for message in originals.map(MessageId::new) {
        let from = messages.source(message).number();
        source.put_difference(&mut encoder, from, last_source);
        last_source = from;
        match messages.receivers(message) {
            Receivers::AllOthers => form.put(&mut encoder, 0),
            Receivers::One(to) => {
                form.put(&mut encoder, 1);
                receiver.put_difference(&mut encoder, to.number(), last_receiver);
                last_receiver = to.number();
            }
            Receivers::List(nodes) => {
                form.put(&mut encoder, 2);
                count.put(&mut encoder, nodes.len() as u32);
                let mut last = from;
                for node in nodes {
                    listed.put_difference(&mut encoder, node.number(), last);
                    last = node.number();
                }
            }
        }
    }
    encoder.finish()
}
