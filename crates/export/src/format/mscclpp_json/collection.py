

def algorithms(rank):
    """Returns the plans as algorithms of a rank, by ascending size."""
    folder = os.path.dirname(os.path.abspath(__file__))
    constraint = mscclpp.Algorithm.Constraint(WORLD_SIZE, RANKS_PER_NODE)
    return [
        mscclpp.Algorithm(
            id=name,
            execution_plan=mscclpp.ExecutionPlan(os.path.join(folder, file), rank),
            constraint=constraint,
            tags={},
        )
        for file, name, _, _ in PLANS
    ]


def select(size):
    """Returns the name of the plan for a size in bytes, as nccl-tests counts it; None if there is none."""
    for _, name, least, most in PLANS:
        if least <= size <= most:
            return name
    return None


def selector(collection, request):
    """Selects a plan by collective, ranks, placement and size; None for the choice of MSCCL++."""
    if (request.collective, request.world_size) != (COLLECTIVE, WORLD_SIZE):
        return None
    if RANKS_PER_NODE not in (0, request.n_ranks_per_node):
        return None
    # The size of a request for an all-gather is that of one rank.
    parts = WORLD_SIZE if COLLECTIVE == "allgather" else 1
    plan = collection.get(COLLECTIVE, {}).get(select(request.message_size * parts))
    # A plan is for one buffer, or for two.
    return plan if plan is not None and plan.buffer_mode == request.buffer_mode() else None


def register(rank):
    """Adds the plans and the selector to the builder, before the process group begins."""
    builder = mscclpp.ext.AlgorithmCollectionBuilder()
    for algorithm in algorithms(rank):
        builder.add_algorithm_builder(algorithm)
    builder.set_algorithm_selector(selector)
    return builder
