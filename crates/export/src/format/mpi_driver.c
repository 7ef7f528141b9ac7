
/* Runs the plan on the buffers of this rank: input, output and scratch memory, of sizes[rank] chunks each. A chunk has
   `elements` elements of `type`. Returns an error code of MPI. */
int lockstep_run(void *const buffers[3], size_t elements, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
    int rank, ranks, error = MPI_SUCCESS;
    MPI_Aint lower, extent;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &ranks);
    if (ranks != RANKS) {
        return MPI_ERR_COMM;
    }
    MPI_Type_get_extent(type, &lower, &extent);
    size_t chunk = elements * (size_t)extent;
    unsigned first = rank > 0 ? operation_end[rank - 1] : 0, end = operation_end[rank];
    MPI_Request *requests = malloc((end - first + 1) * sizeof *requests);
    if (requests == NULL) {
        return MPI_ERR_NO_MEM;
    }
    int pending = 0;
    for (unsigned index = first; index < end && error == MPI_SUCCESS; index++) {
        const struct operation *operation = &operations[index];
        char *from = (char *)buffers[operation->from_buffer] + operation->from * chunk;
        char *to = (char *)buffers[operation->to_buffer] + operation->to * chunk;
        size_t length = operation->count * elements;
        int peer = (int)operation->peer, tag = (int)operation->tag;
        int is_local = operation->action == COPY || operation->action == ADD;
        if (length > INT32_MAX) {
            error = MPI_ERR_COUNT;
            break;
        }
        /* A step ends when all its transfers have ended. */
        if (pending > 0 && (is_local || operation->step != operations[index - 1].step)) {
            error = MPI_Waitall(pending, requests, MPI_STATUSES_IGNORE);
            pending = 0;
            if (error != MPI_SUCCESS) {
                break;
            }
        }
        switch (operation->action) {
        case SEND:
            error = MPI_Isend(from, (int)length, type, peer, tag, comm, &requests[pending++]);
            break;
        case RECEIVE:
            error = MPI_Irecv(to, (int)length, type, peer, tag, comm, &requests[pending++]);
            break;
        case COPY:
            memcpy(to, from, operation->count * chunk);
            break;
        case ADD:
            error = MPI_Reduce_local(from, to, (int)length, type, op);
            break;
        }
    }
    if (pending > 0 && error == MPI_SUCCESS) {
        error = MPI_Waitall(pending, requests, MPI_STATUSES_IGNORE);
    }
    free(requests);
    return error;
}
