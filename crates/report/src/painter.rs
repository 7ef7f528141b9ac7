//! Drawing of marks, channels and transfers as SVG elements.

use lockstep_schedule::{Problem, Step, Transfer};
use lockstep_topology::{ChannelId, Topology};

use crate::colouring::{Colouring, is_drawable};
use crate::geometry::{Curve, Point};
use crate::labels;
use crate::mark::{Mark, MarkRole};
use crate::markup::{Markup, PathText, number};
use crate::scene::Scene;

/// Maximum number of switches that have their names beside them.
const NAMED_SWITCHES: usize = 64;
/// Line width of a transfer.
const LINE: &str = "3";

/// Dashes of a transfer that uses a resource a second time in its step.
const DASHED_LINE: (&str, &str) = ("stroke-dasharray", "5 4");
/// Dashes of receiving sides and failed nodes.
const DASHED_MARK: (&str, &str) = ("stroke-dasharray", "3 2");
/// The colour of failed nodes and channels.
const FAILED: &str = "#d08080";

/// The id of the network without labels, to which all panels refer.
const NETWORK: &str = "network";
/// The id of the labels, which are drawn on top.
const LABELS: &str = "labels";

/// A triangle with its tip at a point.
struct Arrow {
    length: f64,
    half_width: f64,
}

const TRANSFER_ARROW: Arrow = Arrow { length: 9.0, half_width: 4.5 };
const CHANNEL_ARROW: Arrow = Arrow { length: 5.0, half_width: 2.2 };

impl Arrow {
    fn path(&self, tip: Point, direction: Point) -> String {
        let base = tip - direction * self.length;
        let side = direction.right() * self.half_width;
        let mut path = PathText::default();
        path.move_to(tip);
        path.draw(&Curve::line(tip, base + side));
        path.draw(&Curve::line(tip, base - side));
        path.0 + "Z"
    }
}

/// Draws the definitions that all panels share: the network, with the border of each terminal in the colour of its
/// messages, and the labels.
pub(crate) fn definitions(out: &mut Markup, topology: &Topology, scene: &Scene, rings: &[Option<String>]) {
    out.nest("defs", &[], |out| {
        out.nest("g", &[("id", NETWORK)], |out| {
            draw_channels(out, topology, scene);
            for mark in &scene.marks {
                let ring = rings.get(mark.node.index()).and_then(Option::as_deref);
                draw_mark(out, mark, topology.node_name(mark.node), ring);
            }
        });
        draw_labels(out, scene);
    });
}

/// Draws the network without transfers.
pub(crate) fn bare_network(out: &mut Markup) {
    reference(out, NETWORK);
    reference(out, LABELS);
}

fn reference(out: &mut Markup, id: &str) {
    out.empty("use", &[("href", &format!("#{id}"))]);
}

fn draw_channels(out: &mut Markup, topology: &Topology, scene: &Scene) {
    let [mut lines, mut failed] = [PathText::default(), PathText::default()];
    let mut arrows = String::new();
    let flows_one_way = scene.marks.len() > topology.node_count();
    for (channel, curve) in topology.channel_numbers().zip(&scene.curves) {
        let is_working = topology.is_working(channel);
        let lines = if is_working { &mut lines } else { &mut failed };
        lines.move_to(curve.start());
        lines.draw(curve);
        if !is_working {
            continue;
        }
        if !flows_one_way && !has_opposite(topology, channel) {
            arrows += &CHANNEL_ARROW.path(curve.end(), curve.entering());
        }
    }
    let style = [("class", "channels"), ("fill", "none"), ("stroke", "#c4c4c4"), ("stroke-width", "1")];
    out.empty("path", &[&style[..], &[("d", &lines.0)]].concat());
    if !failed.0.is_empty() {
        let style = [("class", "failed"), ("fill", "none"), ("stroke", FAILED), ("stroke-width", "1"), DASHED_MARK];
        out.empty("path", &[&style[..], &[("d", &failed.0)]].concat());
    }
    if !arrows.is_empty() {
        out.empty("path", &[("fill", "#b0b0b0"), ("d", &arrows)]);
    }
}

fn has_opposite(topology: &Topology, channel: ChannelId) -> bool {
    let (tail, head) = (topology.tail(channel), topology.head(channel));
    topology.out_channels(head).iter().any(|&back| topology.head(back) == tail)
}

fn draw_mark(out: &mut Markup, mark: &Mark, name: &str, ring: Option<&str>) {
    let (fill, colour, width) = match (mark.role, ring) {
        (MarkRole::Switch, _) => ("#f1f1f1", "#8a8a8a", "1"),
        (MarkRole::Failed, _) => ("none", FAILED, "1"),
        (_, Some(ring)) => ("#ffffff", ring, "2"),
        (_, None) => ("#ffffff", "#444444", "1.2"),
    };
    let corner = mark.centre - mark.outline.half;
    let lengths = [corner.x, corner.y, 2.0 * mark.outline.half.x, 2.0 * mark.outline.half.y, mark.outline.corner];
    let lengths = lengths.map(number);
    let mut shape: Vec<_> =
        ["x", "y", "width", "height", "rx"].into_iter().zip(lengths.iter().map(String::as_str)).collect();
    shape.extend([("fill", fill), ("stroke", colour), ("stroke-width", width)]);
    if matches!(mark.role, MarkRole::Receiver | MarkRole::Failed) {
        shape.push(DASHED_MARK);
    }
    out.nest("rect", &shape, |out| out.text("title", &[], name));
}

fn draw_labels(out: &mut Markup, scene: &Scene) {
    let halo =
        [("stroke", "#ffffff"), ("stroke-width", "2.5"), ("stroke-linejoin", "round"), ("paint-order", "stroke")];
    let group = [&[("id", LABELS), ("text-anchor", "middle")][..], &halo].concat();
    let switches = scene.marks.iter().filter(|mark| mark.role == MarkRole::Switch).count();
    out.nest("g", &group, |out| {
        for mark in &scene.marks {
            let (size, fill) = match mark.role {
                MarkRole::Switch if switches > NAMED_SWITCHES => continue,
                MarkRole::Switch => (7.0, "#777777"),
                MarkRole::Failed => (11.0, FAILED),
                MarkRole::Terminal | MarkRole::Receiver => (11.0, "#111111"),
            };
            // Digits and capitals are about 0.73 em high.
            let [x, y, size] = [mark.label_at.x, mark.label_at.y + 0.36 * size, size].map(number);
            out.text("text", &[("x", &x), ("y", &y), ("font-size", &size), ("fill", fill)], &mark.label);
        }
    });
}

/// Draws the steps of a schedule.
#[derive(Debug)]
pub(crate) struct Painter<'a> {
    pub(crate) problem: &'a Problem<'a>,
    pub(crate) scene: &'a Scene,
    pub(crate) colouring: &'a Colouring<'a>,
}

impl Painter<'_> {
    /// Draws the network and the transfers of a step.
    pub(crate) fn step(&self, out: &mut Markup, step: &Step<'_>) {
        reference(out, NETWORK);
        let mut used = vec![false; self.problem.topology().resource_count()];
        for transfer in step.iter().filter(|transfer| is_drawable(self.problem, transfer)) {
            let resources = transfer.path.iter().map(|&channel| self.problem.topology().resource(channel));
            let mut conflict = false;
            for resource in resources {
                conflict |= std::mem::replace(&mut used[resource.index()], true);
            }
            self.transfer(out, &transfer, conflict);
        }
        reference(out, LABELS);
    }

    /// Returns the caption of a step.
    pub(crate) fn caption(&self, place: usize, steps: usize, step: &Step<'_>) -> String {
        let drawn = step.iter().filter(|transfer| is_drawable(self.problem, transfer)).count();
        let transfers = labels::counted(step.len(), "transfer");
        let missing = match step.len() - drawn {
            0 => String::new(),
            missing => format!(", {missing} of them with an unknown message or channel, or no path"),
        };
        format!("step {} of {steps} · {transfers}{missing}", place + 1)
    }

    fn transfer(&self, out: &mut Markup, transfer: &Transfer<'_>, conflict: bool) {
        let place = self.colouring.place(transfer.message);
        let colour = self.colouring.colour(place);
        let (line, arrow) = self.path_line(transfer.path);
        let key = place.to_string();
        let attributes = [("class", "transfer"), ("data-key", &*key), ("fill", &*colour), ("stroke", &*colour)];
        out.nest("g", &attributes, |out| {
            out.text("title", &[], &labels::transfer(self.problem, transfer));
            let mut shape = vec![("d", &*line), ("fill", "none"), ("stroke-width", LINE)];
            shape.extend(conflict.then_some(DASHED_LINE));
            out.empty("path", &shape);
            out.empty("path", &[("d", &*arrow), ("stroke", "none")]);
        });
    }

    /// Returns the line along a path, connected inside the marks that it crosses, and the arrow head at its end.
    fn path_line(&self, path: &[ChannelId]) -> (String, String) {
        let mut line = PathText::default();
        let mut arrow = String::new();
        let mut previous: Option<(usize, Curve)> = None;
        for (place, &channel) in path.iter().enumerate() {
            let curve = self.scene.curves[channel.index()];
            let tail = self.problem.topology().tail(channel).index();
            match previous {
                Some((mark, before)) if mark == tail => line.draw(&self.joint(&before, &curve)),
                _ => line.move_to(curve.start()),
            }
            if place + 1 == path.len() {
                // The line ends inside the arrow head, because the tip would not cover it.
                line.draw(&curve.shortened(TRANSFER_ARROW.length - 1.0));
                arrow = TRANSFER_ARROW.path(curve.end(), curve.entering());
            } else {
                line.draw(&curve);
            }
            previous = Some((self.scene.head(channel), curve));
        }
        (line.0, arrow)
    }

    /// Returns the connection inside a mark: a straight line along the levels, otherwise a curve.
    fn joint(&self, before: &Curve, after: &Curve) -> Curve {
        let (entering, leaving) = (before.entering(), after.leaving());
        match self.scene.axis {
            Some(axis) if axis.along(entering) * axis.along(leaving) > 0.0 => Curve::line(before.end(), after.start()),
            _ => Curve::joint(before.end(), entering, after.start(), leaving),
        }
    }
}
