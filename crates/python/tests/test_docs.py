"""The Python code of the guide and of the README runs."""

import re

import pytest

BLOCK = re.compile(r"^```python\n(.*?)^```$", re.DOTALL | re.MULTILINE)


@pytest.mark.parametrize("page", ["docs/guide/src/python.md", "crates/python/README.md"])
def test_the_code_of_a_page_runs_in_order(page, repository):
    blocks = BLOCK.findall((repository / page).read_text(encoding="utf-8"))
    assert blocks
    names = {}
    for block in blocks:
        exec(compile(block, page, "exec"), names)
