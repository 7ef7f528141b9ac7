"""Runs a plan of Lockstep with torch.distributed.

Test on one machine:  torchrun --nproc_per_node RANKS run.py [elements per chunk]
In a program of your own:  run(plan["ranks"][rank], buffers), with a tensor [chunks, elements] per buffer.
"""

import json
import os
import sys
from itertools import groupby

import torch
import torch.distributed as dist


def run(plan, buffers, group=None):
    """Runs the operations of one rank: in each step copies, then all transfers, then copies and additions."""

    def chunks(place, count):
        buffer, offset = place
        return buffers[buffer][offset : offset + count]

    def is_transfer(operation):
        return "peer" in operation

    key = lambda operation: (operation["step"], is_transfer(operation))
    for (_, transfers), operations in groupby(plan["operations"], key):
        if not transfers:
            for operation in operations:
                source = chunks(operation["from"], operation["count"])
                target = chunks(operation["to"], operation["count"])
                target.add_(source) if operation["action"] == "add" else target.copy_(source)
            continue
        batch = []
        for operation in operations:
            sends = operation["action"] == "send"
            tensor = chunks(operation["from" if sends else "to"], operation["count"])
            batch.append(dist.P2POp(dist.isend if sends else dist.irecv, tensor, operation["peer"], group))
        for request in dist.batch_isend_irecv(batch):
            request.wait()


def test(elements):
    """Runs the plan of the directory with numbers, and checks all results."""
    dist.init_process_group("nccl" if torch.cuda.is_available() else "gloo")
    rank, device = dist.get_rank(), "cuda" if torch.cuda.is_available() else "cpu"
    if device == "cuda":
        torch.cuda.set_device(int(os.environ.get("LOCAL_RANK", 0)))
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "plan.json"), encoding="utf-8") as file:
        plan = json.load(file)
    if dist.get_world_size() != len(plan["ranks"]):
        sys.exit(f"{dist.get_world_size()} ranks; start the plan with {len(plan['ranks'])}")

    def contents(value, rank):
        return torch.arange(elements, dtype=torch.int64, device=device) + 1_000_003 * value + 7919 * rank

    origins = {}
    for origin, of_rank in enumerate(plan["ranks"]):
        for _, _, value in of_rank["inputs"]:
            origins.setdefault(value, []).append(origin)
    own = plan["ranks"][rank]
    names = ("input", "output", "scratch")
    buffers = {
        name: torch.full((size, elements), -1, dtype=torch.int64, device=device)
        for name, size in zip(names, own["sizes"])
    }
    for buffer, offset, value in own["inputs"]:
        buffers[buffer][offset] = contents(value, rank)
    run(own, buffers)
    wrong = 0
    for buffer, offset, value in own["results"]:
        expected = sum(contents(value, origin) for origin in origins[value])
        wrong += int((buffers[buffer][offset] != expected).sum())
    total = torch.tensor([wrong], device=device)
    dist.all_reduce(total)
    if rank == 0:
        print(f"{plan['title']}: {'right' if total.item() == 0 else 'WRONG'}, {total.item()} wrong elements")
    dist.destroy_process_group()
    return total.item() == 0


if __name__ == "__main__":
    sys.exit(0 if test(int(sys.argv[1]) if len(sys.argv) > 1 else 1024) else 1)
