//! Scatter plots and bar charts.

use lockstep_report::{BarChart, BarSeries, PointSeries, ScatterPlot, bars_svg, scatter_svg};
use proptest::prelude::*;
use roxmltree::{Document, Node};

fn parse(text: &str) -> Document<'_> {
    Document::parse(text).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

fn of_class<'a>(document: &'a Document<'a>, class: &str) -> Vec<Node<'a, 'a>> {
    document.descendants().filter(|node| node.attribute("class") == Some(class)).collect()
}

fn texts<'a>(document: &'a Document<'a>, element: &str) -> Vec<&'a str> {
    document.descendants().filter(|node| node.has_tag_name(element)).filter_map(|node| node.text()).collect()
}

fn lengths<const N: usize>(node: Node<'_, '_>, names: [&str; N]) -> [f64; N] {
    names.map(|name| node.attribute(name).and_then(|length| length.parse().ok()).expect("a length"))
}

/// The corners of a rectangle.
fn corners(node: Node<'_, '_>) -> [f64; 4] {
    let [x, y, width, height] = lengths(node, ["x", "y", "width", "height"]);
    [x, y, x + width, y + height]
}

/// The centre of a marker.
fn centre(node: Node<'_, '_>) -> [f64; 2] {
    let place = node.attribute("transform").expect("a place");
    let (x, y) = place.trim_start_matches("translate(").trim_end_matches(')').split_once(' ').expect("two numbers");
    [x, y].map(|length| length.parse().expect("a number"))
}

fn points(name: &str, points: &[[f64; 2]], labels: &[&str]) -> PointSeries {
    PointSeries { name: name.into(), points: points.into(), labels: labels.iter().map(ToString::to_string).collect() }
}

fn plot(series: Vec<PointSeries>) -> ScatterPlot {
    ScatterPlot { title: "front".into(), x: "bisection".into(), y: "paths".into(), series }
}

fn bars(groups: &[&str], series: &[(&str, &[f64])]) -> BarChart {
    let series = series.iter().map(|&(name, values)| BarSeries { name: name.into(), values: values.into() });
    let groups = groups.iter().map(ToString::to_string).collect();
    BarChart { title: "times".into(), y: "steps".into(), groups, series: series.collect() }
}

#[test]
fn a_front_has_its_points_names_labels_and_a_description() {
    let plot = plot(vec![
        points("4 links", &[[18.0, 2.129], [8.0, 33.032]], &["22-2-4", "8-33-4"]),
        points("8 links", &[[44.0, 16.52]], &[]),
    ]);
    let picture = scatter_svg(&plot);
    let document = parse(&picture);
    assert_eq!(of_class(&document, "point").len(), 3);
    let written = texts(&document, "text");
    for text in ["front", "bisection", "paths", "4 links", "8 links", "22-2-4", "8-33-4", "40"] {
        assert_eq!(written.iter().filter(|&&other| other == text).count(), 1, "{text}");
    }
    assert_eq!(texts(&document, "title")[0], "front");
    assert!(texts(&document, "title").contains(&"4 links · 22-2-4 · bisection: 18 · paths: 2.129"));
    let description = "Scatter plot of 3 points in 2 series; bisection from 8 to 44; paths from 2.129 to 33.03.";
    assert_eq!(texts(&document, "desc"), [description]);
    let [left, right] = [centre(of_class(&document, "point")[1]), centre(of_class(&document, "point")[0])];
    assert!(left[0] < right[0] && left[1] < right[1], "more is right and up");
}

#[test]
fn labels_without_space_are_omitted() {
    let crowd = points("", &[[1.0, 1.0]; 20], &["a label"; 20]);
    let picture = scatter_svg(&plot(vec![crowd]));
    let written = texts(&parse(&picture), "text").iter().filter(|&&text| text == "a label").count();
    assert!((1..=8).contains(&written), "{written}");
    assert_eq!(picture.matches("a label · ").count(), 20);
}

#[test]
fn bars_have_values_and_the_longest_ends_highest() {
    let chart = bars(&["omega:8", "ring:4"], &[("ours", &[7.0, 2.0]), ("bound", &[-3.5, 0.0])]);
    let picture = bars_svg(&chart);
    let document = parse(&picture);
    let tops: Vec<[f64; 2]> = of_class(&document, "bar").into_iter().map(|bar| lengths(bar, ["y", "height"])).collect();
    assert_eq!(tops.len(), 4);
    assert!((tops[0][1] - 3.5 * tops[1][1]).abs() < 0.5 && (tops[0][1] - 2.0 * tops[2][1]).abs() < 0.5, "{tops:?}");
    // Negative bars are below zero.
    assert!((tops[2][0] - tops[0][0] - tops[0][1]).abs() < 0.15 && tops[3][1] == 0.0, "{tops:?}");
    let written = texts(&document, "text");
    for text in ["times", "steps", "omega:8", "ring:4", "ours", "bound", "7", "\u{2212}3.5"] {
        assert!(written.contains(&text), "{text}");
    }
    assert!(texts(&document, "title").contains(&"ring:4 · ours · 2"));
    let description = "Bar chart of 4 values in 2 groups and 2 series; steps from \u{2212}3.5 to 7.";
    assert_eq!(texts(&document, "desc"), [description]);
}

#[test]
fn values_that_cannot_be_drawn_are_counted_in_a_note() {
    let wrong = [[f64::NAN, 1.0], [1.0, f64::INFINITY], [1e101, 0.0], [1.0, 1.0]];
    let picture = scatter_svg(&plot(vec![points("s", &wrong, &["hidden"])]));
    assert_eq!(of_class(&parse(&picture), "point").len(), 1);
    assert!(picture.contains("3 points omitted: a coordinate is not a number or too large"));
    assert!(!picture.contains("hidden"));
    let picture = bars_svg(&bars(&["a", "b"], &[("s", &[f64::NAN, f64::NEG_INFINITY, 3.0]), ("t", &[1.0])]));
    assert_eq!(of_class(&parse(&picture), "bar").len(), 1);
    assert!(picture.contains("3 values omitted: not a number, too large, or without a group"));
}

#[test]
fn empty_plots_and_single_values_are_drawn() {
    let nothing = [
        scatter_svg(&ScatterPlot::default()),
        bars_svg(&BarChart::default()),
        scatter_svg(&plot(vec![points("none", &[], &[])])),
        bars_svg(&bars(&["a"], &[])),
        bars_svg(&bars(&[], &[("s", &[])])),
    ];
    for picture in nothing {
        assert_eq!(of_class(&parse(&picture), "frame").len(), 1);
        assert!(!picture.contains("omitted"));
    }
    for value in [0.0, -0.0, 5.0, -1e100, 1e100, 5e-324] {
        let picture = scatter_svg(&plot(vec![points("one", &[[value, value]], &["here"])]));
        assert_eq!(of_class(&parse(&picture), "point").len(), 1);
        let picture = bars_svg(&bars(&["a"], &[("s", &[value])]));
        assert_eq!(of_class(&parse(&picture), "bar").len(), 1);
    }
}

#[test]
fn special_characters_in_names_are_escaped() {
    let name = "</text><script>alert(1)</script>\"'&]]>\u{0}\u{ffff}\n".repeat(100);
    let series = PointSeries { name: name.clone(), points: vec![[0.0; 2]], labels: vec![name.clone()] };
    let plot = ScatterPlot { title: name.clone(), x: name.clone(), y: name.clone(), series: vec![series] };
    let series = BarSeries { name: name.clone(), values: vec![1.0] };
    let chart = BarChart { title: name.clone(), y: name.clone(), groups: vec![name], series: vec![series] };
    for picture in [scatter_svg(&plot), bars_svg(&chart)] {
        let document = parse(&picture);
        assert!(!document.descendants().any(|node| node.has_tag_name("script")));
        let [width, height] = lengths(document.root_element(), ["width", "height"]);
        assert!(width < 1000.0 && height < 1000.0, "{width} {height}");
    }
}

/// Arbitrary numbers, mostly realistic ones.
fn any_value() -> impl Strategy<Value = f64> {
    prop_oneof![4 => -100.0..100.0, 2 => (0..20).prop_map(f64::from), 1 => any::<f64>()]
}

fn any_names(most: usize) -> impl Strategy<Value = Vec<String>> {
    prop::collection::vec(prop_oneof![Just(String::new()), any::<String>()], 0..=most)
}

proptest! {
    #![proptest_config(lockstep_topology::strategy::cases(128))]

    #[test]
    fn any_points_are_within_the_frame(
        names in any_names(3), values in prop::collection::vec(prop::collection::vec([any_value(), any_value()], 0..9), 0..4),
    ) {
        let name = |place: usize| names.get(place).cloned().unwrap_or_default();
        let series: Vec<PointSeries> = values
            .into_iter()
            .enumerate()
            .map(|(place, points)| PointSeries { name: name(place), labels: vec![name(0); points.len()], points })
            .collect();
        let plot = ScatterPlot { title: name(0), x: name(1), y: name(2), series };
        let picture = scatter_svg(&plot);
        prop_assert_eq!(&picture, &scatter_svg(&plot));
        let document = parse(&picture);
        let [left, top, right, bottom] = corners(of_class(&document, "frame")[0]);
        let drawn = of_class(&document, "point");
        let all = plot.series.iter().flat_map(|series| &series.points);
        let has_place = |point: &&[f64; 2]| point.iter().all(|value| value.abs() <= 1e100);
        prop_assert_eq!(drawn.len(), all.filter(has_place).count());
        for point in drawn {
            let [x, y] = centre(point);
            prop_assert!((left..=right).contains(&x) && (top..=bottom).contains(&y), "{} {}", x, y);
        }
        prop_assert!(!picture.contains("=\"NaN") && !picture.contains("inf\""), "{}", picture);
    }

    #[test]
    fn any_bars_are_within_the_frame(
        groups in any_names(9), values in prop::collection::vec(prop::collection::vec(any_value(), 0..9), 0..9),
    ) {
        let series: Vec<BarSeries> = values.into_iter().map(|values| BarSeries { name: "s".into(), values }).collect();
        let chart = BarChart { title: "t".into(), y: "y".into(), groups, series };
        let picture = bars_svg(&chart);
        prop_assert_eq!(&picture, &bars_svg(&chart));
        let document = parse(&picture);
        let [left, top, right, bottom] = corners(of_class(&document, "frame")[0]);
        let [width, height] = lengths(document.root_element(), ["width", "height"]);
        prop_assert!(right <= width && bottom <= height);
        let drawn = of_class(&document, "bar");
        let all = chart.series.iter().flat_map(|series| series.values.iter().take(chart.groups.len()));
        prop_assert_eq!(drawn.len(), all.filter(|value| value.abs() <= 1e100).count());
        for bar in drawn {
            let [x, y, to_x, to_y] = corners(bar);
            // Lengths are rounded to tenths.
            prop_assert!(x >= left - 0.1 && to_x <= right + 0.2 && y >= top - 0.1 && to_y <= bottom + 0.2);
        }
        prop_assert!(!picture.contains("=\"NaN") && !picture.contains("inf\""), "{}", picture);
    }
}
