//! Drawing of marks, channels and transfers as SVG elements.

use lockstep_schedule::{Problem, Step, Transfer};
use lockstep_topology::{ChannelId, Topology};

use crate::colouring::{Colouring, is_drawable};
use crate::labels;
use crate::mark::{Mark, MarkRole};
use crate::markup::{Markup, number};
use crate::palette;
use crate::path_line::{Arrow, PathCurve, path_line};
use crate::pen_path::PenPath;
use crate::scene::Scene;

/// Maximum number of switches that have their names beside them.
const NAMED_SWITCHES: usize = 64;
/// Line width of a transfer.
pub(crate) const LINE: f64 = 3.0;

/// Dashes of a transfer that exceeds the capacity of a resource in its step.
const DASHED_LINE: (&str, &str) = ("stroke-dasharray", "5 4");
/// Dashes of receiving sides and failed nodes.
const DASHED_MARK: (&str, &str) = ("stroke-dasharray", "3 2");
/// The colour of failed nodes and channels.
pub(crate) const FAILED: &str = "#d08080";

/// The id of the network without labels, to which all panels refer.
const NETWORK: &str = "network";
/// The id of the labels, which are drawn on top.
const LABELS: &str = "labels";

const TRANSFER_ARROW: Arrow = Arrow { length: 9.0, half_width: 4.5 };
const CHANNEL_ARROW: Arrow = Arrow { length: 5.0, half_width: 2.2 };

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

/// The lines of all channels.
#[derive(Default)]
pub(crate) struct ChannelLines {
    pub(crate) working: PenPath,
    pub(crate) failed: PenPath,
    /// Arrow heads of channels without an opposite.
    pub(crate) arrows: PenPath,
}

/// Returns the lines of some channels.
pub(crate) fn channel_lines(topology: &Topology, scene: &Scene, is_drawn: impl Fn(ChannelId) -> bool) -> ChannelLines {
    let mut lines = ChannelLines::default();
    let flows_one_way = scene.marks.len() > topology.node_count();
    for (channel, curve) in topology.channel_numbers().zip(&scene.curves).filter(|&(channel, _)| is_drawn(channel)) {
        let is_working = topology.is_working(channel);
        let line = if is_working { &mut lines.working } else { &mut lines.failed };
        line.move_to(curve.start());
        line.draw(curve);
        if is_working && !flows_one_way && !has_opposite(topology, channel) {
            CHANNEL_ARROW.add_to(&mut lines.arrows, curve.end(), curve.entering());
        }
    }
    lines
}

fn draw_channels(out: &mut Markup, topology: &Topology, scene: &Scene) {
    let ChannelLines { working, failed, arrows } = channel_lines(topology, scene, |_| true);
    let style = [("class", "channels"), ("fill", "none"), ("stroke", "#c4c4c4"), ("stroke-width", "1")];
    out.empty("path", &[&style[..], &[("d", &working.to_svg())]].concat());
    if !failed.is_empty() {
        let style = [("class", "failed"), ("fill", "none"), ("stroke", FAILED), ("stroke-width", "1"), DASHED_MARK];
        out.empty("path", &[&style[..], &[("d", &failed.to_svg())]].concat());
    }
    if !arrows.is_empty() {
        out.empty("path", &[("fill", "#b0b0b0"), ("d", &arrows.to_svg())]);
    }
}

/// Draws some channels again, so that they stand out.
pub(crate) fn marked_channels(out: &mut Markup, scene: &Scene, channels: &[ChannelId]) {
    let mut lines = PenPath::default();
    for curve in channels.iter().filter_map(|channel| scene.curves.get(channel.index())) {
        lines.move_to(curve.start());
        lines.draw(curve);
        CHANNEL_ARROW.add_to(&mut lines, curve.end(), curve.entering());
    }
    if !lines.is_empty() {
        let style = [("class", "marked"), ("fill", "none"), ("stroke", palette::MARKED), ("stroke-width", "2.4")];
        out.empty("path", &[&style[..], &[("d", &lines.to_svg())]].concat());
    }
}

fn has_opposite(topology: &Topology, channel: ChannelId) -> bool {
    let (tail, head) = (topology.tail(channel), topology.head(channel));
    topology.out_channels(head).iter().any(|&back| topology.head(back) == tail)
}

/// The look of a mark: fill, colour and width of its border, and whether it is dashed.
pub(crate) struct MarkStyle<'a> {
    pub(crate) fill: &'static str,
    pub(crate) colour: &'a str,
    pub(crate) width: f64,
    pub(crate) is_dashed: bool,
}

/// Returns the look of a mark with a border in the colour of its messages.
pub(crate) fn mark_style(role: MarkRole, ring: Option<&str>) -> MarkStyle<'_> {
    let (fill, colour, width) = match (role, ring) {
        (MarkRole::Switch, _) => ("#f1f1f1", "#8a8a8a", 1.0),
        (MarkRole::Failed, _) => ("none", FAILED, 1.0),
        (_, Some(ring)) => ("#ffffff", ring, 2.0),
        (_, None) => ("#ffffff", "#444444", 1.2),
    };
    MarkStyle { fill, colour, width, is_dashed: matches!(role, MarkRole::Receiver | MarkRole::Failed) }
}

/// Returns the marks that have labels, with the sizes and colours of these. Many switches have none.
pub(crate) fn label_styles(scene: &Scene) -> impl Iterator<Item = (&Mark, f64, &'static str)> {
    let switches = scene.marks.iter().filter(|mark| mark.role == MarkRole::Switch).count();
    scene.marks.iter().filter_map(move |mark| match mark.role {
        MarkRole::Switch if switches > NAMED_SWITCHES => None,
        MarkRole::Switch => Some((mark, 7.0, "#777777")),
        MarkRole::Failed => Some((mark, 11.0, FAILED)),
        MarkRole::Terminal | MarkRole::Receiver => Some((mark, 11.0, "#111111")),
    })
}

fn draw_mark(out: &mut Markup, mark: &Mark, name: &str, ring: Option<&str>) {
    let MarkStyle { fill, colour, width, is_dashed } = mark_style(mark.role, ring);
    let width = number(width);
    let corner = mark.centre - mark.outline.half;
    let lengths = [corner.x, corner.y, 2.0 * mark.outline.half.x, 2.0 * mark.outline.half.y, mark.outline.corner];
    let lengths = lengths.map(number);
    let mut shape: Vec<_> =
        ["x", "y", "width", "height", "rx"].into_iter().zip(lengths.iter().map(String::as_str)).collect();
    shape.extend([("fill", fill), ("stroke", colour), ("stroke-width", &width)]);
    if is_dashed {
        shape.push(DASHED_MARK);
    }
    out.nest("rect", &shape, |out| out.text("title", &[], name));
}

fn draw_labels(out: &mut Markup, scene: &Scene) {
    let halo =
        [("stroke", "#ffffff"), ("stroke-width", "2.5"), ("stroke-linejoin", "round"), ("paint-order", "stroke")];
    let group = [&[("id", LABELS), ("text-anchor", "middle")][..], &halo].concat();
    out.nest("g", &group, |out| {
        for (mark, size, fill) in label_styles(scene) {
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
        for (transfer, conflict) in self.transfers(step) {
            self.transfer(out, &transfer, conflict);
        }
        reference(out, LABELS);
    }

    /// Returns the transfers of a step that can be drawn, and whether each exceeds the capacity of a resource.
    pub(crate) fn transfers<'s>(&self, step: &Step<'s>) -> Vec<(Transfer<'s>, bool)> {
        let topology = self.problem.topology();
        let width = u64::from(step.width().get());
        let mut uses = vec![0_u64; topology.resource_count()];
        let drawable = step.iter().filter(|transfer| is_drawable(self.problem, transfer));
        let with_conflict = drawable.map(|transfer| {
            let mut conflict = false;
            for &channel in transfer.path {
                let uses = &mut uses[topology.resource(channel).index()];
                *uses += 1;
                conflict |= *uses > u64::from(topology.capacity(channel)) * width;
            }
            (transfer, conflict)
        });
        with_conflict.collect()
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
        let (line, arrow, width) = (line.to_svg(), arrow.to_svg(), number(LINE));
        let key = place.to_string();
        let attributes = [("class", "transfer"), ("data-key", &*key), ("fill", &*colour), ("stroke", &*colour)];
        out.nest("g", &attributes, |out| {
            out.text("title", &[], &labels::transfer(self.problem, &self.colouring.names, transfer));
            let mut shape = vec![("d", &*line), ("fill", "none"), ("stroke-width", &*width)];
            shape.extend(conflict.then_some(DASHED_LINE));
            out.empty("path", &shape);
            out.empty("path", &[("d", &*arrow), ("stroke", "none")]);
        });
    }

    /// Returns the line along a path, connected inside the marks that it crosses, and the arrow head at its end.
    pub(crate) fn path_line(&self, path: &[ChannelId]) -> (PenPath, PenPath) {
        let topology = self.problem.topology();
        let curve = |&channel: &ChannelId| PathCurve {
            curve: self.scene.curves[channel.index()],
            marks: [topology.tail(channel).index(), self.scene.head(channel)],
        };
        let curves: Vec<PathCurve> = path.iter().map(curve).collect();
        path_line(&curves, self.scene.axis, Some(&TRANSFER_ARROW))
    }
}
