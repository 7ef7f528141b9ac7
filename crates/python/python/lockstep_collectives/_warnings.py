"""Warnings."""

from __future__ import annotations

import warnings


class LockstepWarning(UserWarning):
    """What a reader of networks or measurements has ignored, left out or assumed."""


def warn(notes: list[str], level: int) -> None:
    """Warn of the notes of a reader. The warning points `level` calls above the caller."""
    for note in notes:
        warnings.warn(note, LockstepWarning, stacklevel=level + 2)
