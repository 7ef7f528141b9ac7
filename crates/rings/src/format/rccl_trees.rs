//! The strings of `RCCL_TREES`: trees of one server for the all-reduces of RCCL.
//!
//! # Grammar
//!
//! A tree is `(`, the number of a HIP device, up to three trees, and `)`: `(0(1(2)(3)))`. Trees are separated by `|`. There are no
//! blanks.
//!
//! # Source
//!
//! `parseGraphLight` in `src/graph/rome_models.cc` of github.com/ROCm/rccl.

use std::fmt::Write as _;

use super::error::FormatError;
use super::nccl_rings::MAX_RINGS;
use super::order::{Tree, check_distinct, check_same};

/// The maximum number of children of a device.
pub const MAX_CHILDREN: usize = 3;

/// The largest number of a device that this reader supports.
const MAX_NUMBER: u32 = 1 << 16;

/// Reads the trees of a string. `line` is the line of the string in its file, for messages.
///
/// ```
/// use lockstep_rings::format::rccl_trees;
///
/// let trees = rccl_trees::read("(0(1(2)(3)))", 1)?;
/// assert_eq!(trees[0].root, 0);
/// assert_eq!(trees[0].edges, [[0, 1], [1, 2], [1, 3]]);
/// assert_eq!(rccl_trees::write(&trees), "(0(1(2)(3)))");
/// # Ok::<(), lockstep_rings::format::FormatError>(())
/// ```
///
/// # Errors
///
/// If the string does not follow the grammar, or a tree has a device twice or lacks a device of the first tree.
pub fn read(text: &str, line: usize) -> Result<Vec<Tree>, FormatError> {
    let mut trees: Vec<Tree> = Vec::new();
    let mut first = None;
    for (number, tree) in text.split('|').enumerate() {
        let tree = tree_of(tree, line)?;
        let name = format!("tree {number}");
        let gpus = check_distinct(line, || name.clone(), tree.gpus())?;
        check_same(line, (&name, &gpus), ("tree 0", first.get_or_insert_with(|| gpus.clone())))?;
        trees.push(tree);
    }
    if trees.len() > MAX_RINGS {
        let found = format!("{} trees", trees.len());
        return Err(FormatError::unexpected(
            line,
            &found,
            format!("at most {MAX_RINGS}, the maximum number of channels"),
        ));
    }
    Ok(trees)
}

fn tree_of(text: &str, line: usize) -> Result<Tree, FormatError> {
    let unexpected = |at: usize, expected: &str| FormatError::unexpected(line, &text[at..], expected);
    let mut tree: Option<Tree> = None;
    // The devices around the current position, with the number of their children so far.
    let mut open: Vec<(u32, usize)> = Vec::new();
    let mut at = 0;
    while at < text.len() {
        if tree.is_some() && open.is_empty() {
            return Err(unexpected(at, "'|' or the end of the value; RCCL reads no blanks"));
        }
        if text[at..].starts_with(')') {
            if open.pop().is_none() {
                return Err(unexpected(at, "'(' and the number of a device"));
            }
            at += 1;
            continue;
        }
        let digits = text[at..]
            .strip_prefix('(')
            .map(|rest| &rest[..rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len()]);
        let digits = digits.ok_or_else(|| unexpected(at, "'(' or ')', without blanks"))?;
        let gpu = digits.parse().ok().filter(|&gpu| gpu <= MAX_NUMBER);
        let gpu = gpu.ok_or_else(|| unexpected(at, "'(' and the number of a device"))?;
        match (&mut tree, open.last_mut()) {
            (Some(tree), Some((parent, children))) => {
                *children += 1;
                if *children > MAX_CHILDREN {
                    return Err(unexpected(at, "at most 3 children of a device"));
                }
                tree.edges.push([*parent, gpu]);
            }
            _ => tree = Some(Tree { root: gpu, edges: Vec::new() }),
        }
        open.push((gpu, 0));
        at += 1 + digits.len();
    }
    match tree {
        Some(tree) if open.is_empty() && !tree.edges.is_empty() => Ok(tree),
        Some(_) if open.is_empty() => Err(unexpected(0, "a tree of at least two devices, such as '(0(1))'")),
        _ => Err(unexpected(text.len(), "')', or a tree such as '(0(1(2)(3)))'")),
    }
}

/// Writes trees as the value of `RCCL_TREES`, without quotes. The edges of each tree are in the order of [`read`]: those
/// below a device follow the edge to it.
pub fn write(trees: &[Tree]) -> String {
    let mut text = String::new();
    for (number, tree) in trees.iter().enumerate() {
        if number > 0 {
            text.push('|');
        }
        let _ = write!(text, "({}", tree.root);
        let mut open = vec![tree.root];
        for &[parent, child] in &tree.edges {
            while open.last().is_some_and(|&last| last != parent) {
                open.pop();
                text.push(')');
            }
            open.push(child);
            let _ = write!(text, "({child}");
        }
        text.push_str(&")".repeat(open.len()));
    }
    text
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_tree_has_its_edges_from_the_root_on() {
        let trees = read("(4(2(3)(1))(6(5)))|(1(2(3(4(5(6))))))", 1).unwrap();
        assert_eq!(trees[0], Tree { root: 4, edges: vec![[4, 2], [2, 3], [2, 1], [4, 6], [6, 5]] });
        assert_eq!(trees[1].edges.len(), 5);
        assert_eq!(write(&trees), "(4(2(3)(1))(6(5)))|(1(2(3(4(5(6))))))");
    }

    #[test]
    fn wrong_strings_are_refused() {
        for (text, part) in [
            ("", "found nothing, expected ')', or a tree"),
            ("(0(1)", "found nothing, expected ')'"),
            ("(0(1)))", "found ')', expected '|'"),
            ("(0(1)) ", "expected '|' or the end"),
            ("(0 (1))", "found ' (1))', expected '(' or ')'"),
            ("(0)", "at least two devices"),
            ("((1))", "the number of a device"),
            ("(x(1))", "the number of a device"),
            ("(0(1))(2)", "expected '|'"),
            (")(0(1))", "'(' and the number"),
            ("(0(1)(2)(3)(4))", "at most 3 children"),
            ("(0(1(0)))", "tree 0 has GPU 0 twice"),
            ("(0(1))|(0(2))", "tree 1 lacks GPU 1, which tree 0 has"),
            ("(0(1))|(0(1(2)))", "tree 0 lacks GPU 2, which tree 1 has"),
            ("(0(1))|", "found nothing"),
            ("(0(1))|(99999999999(0))", "the number of a device"),
        ] {
            let error = read(text, 7).unwrap_err().to_string();
            assert!(error.starts_with("line 7: ") && error.contains(part), "{text}: {error}");
        }
    }

    #[test]
    fn a_deep_tree_needs_no_deep_stack() {
        let depth = 60_000;
        let text: String = (0..depth).map(|gpu| format!("({gpu}")).chain([")".repeat(depth)]).collect();
        assert_eq!(write(&read(&text, 1).unwrap()), text);
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_refused(text in "[()0-9|]{0,30}") {
            if let Ok(trees) = read(&text, 1) {
                prop_assert_eq!(read(&write(&trees), 1).unwrap(), trees);
            }
        }

        #[test]
        fn random_trees_survive_writing_and_reading(parents in prop::collection::vec(any::<prop::sample::Index>(), 1..20)) {
            let mut children = vec![Vec::new(); parents.len() + 1];
            for (child, parent) in (1..).zip(&parents) {
                let free: Vec<usize> = (0..child).filter(|&node| children[node].len() < MAX_CHILDREN).collect();
                children[free[parent.index(free.len())]].push(child);
            }
            let mut edges = Vec::new();
            let mut open: Vec<[usize; 2]> = children[0].iter().rev().map(|&child| [0, child]).collect();
            while let Some([parent, child]) = open.pop() {
                edges.push([parent as u32, child as u32]);
                open.extend(children[child].iter().rev().map(|&next| [child, next]));
            }
            let trees = [Tree { root: 0, edges }];
            prop_assert_eq!(&read(&write(&trees), 1).unwrap()[..], &trees[..]);
        }
    }
}
