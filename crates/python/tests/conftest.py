"""Fixtures of all tests."""

import os
import pathlib

import pytest


@pytest.fixture(autouse=True)
def _in_a_folder_of_its_own(tmp_path, monkeypatch):
    """Tests write files, so each runs in an empty folder."""
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def repository() -> pathlib.Path:
    """Root folder of the repository."""
    return pathlib.Path(os.environ.get("LOCKSTEP_ROOT") or pathlib.Path(__file__).parents[3])
