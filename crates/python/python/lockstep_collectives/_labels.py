"""Labels of nodes: the objects that were the nodes of a graph of networkx.

A network knows its nodes by texts. Labels give back what you gave, such as the pairs of numbers of a grid.
"""

from __future__ import annotations

from typing import Any, Iterable, Optional

Labels = Optional["dict[Any, int]"]
"""The number of the node of each label, by ascending number; None if the names of the nodes are their labels."""


def labels_of(labels: Iterable[Any], names: list[str]) -> Labels:
    """Return the labels of nodes, whose names are the texts of the labels."""
    by_name = {str(label): label for label in labels}
    if all(isinstance(label, str) for label in by_name.values()):
        return None
    return {by_name[name]: number for number, name in enumerate(names)}


def is_label(labels: Labels, value: Any) -> bool:
    """Return true if a value is the label of a node."""
    try:
        return labels is not None and value in labels
    except TypeError:
        return False


def node_texts(labels: Labels, nodes: Any) -> list[str]:
    """Return the texts of nodes: of one node, of several ones, or of None. A tuple that is a label is one node."""
    if nodes is None:
        return []
    if is_label(labels, nodes) or isinstance(nodes, str) or not isinstance(nodes, Iterable):
        return [str(nodes)]
    return [str(node) for node in nodes]
