
/* Adds `count` elements of the type to others on the device: a kernel of the program that uses this file. */
typedef ncclResult_t (*lockstep_add)(void *to, const void *from, size_t count, ncclDataType_t type, cudaStream_t stream);

/* Returns the first operation of a rank, or the end of the one before. */
static unsigned lockstep_begin(int rank)
{
    return rank > 0 ? operation_end[rank - 1] : 0;
}

/* Runs the plan on the buffers of this rank: input, output and scratch memory on the device, of sizes[rank] chunks each.
   A chunk has `elements` elements of `type`, and `bytes` is the size of one of them. `add` can be NULL unless the
   collective reduces. */
ncclResult_t lockstep_run(void *const buffers[3], size_t elements, ncclDataType_t type, size_t bytes, lockstep_add add,
                          ncclComm_t comm, cudaStream_t stream)
{
    int rank, ranks;
    ncclResult_t result = ncclCommUserRank(comm, &rank);
    if (result == ncclSuccess) {
        result = ncclCommCount(comm, &ranks);
    }
    if (result != ncclSuccess) {
        return result;
    }
    if (ranks != RANKS) {
        return ncclInvalidArgument;
    }
    unsigned end = operation_end[rank];
    for (unsigned index = lockstep_begin(rank); index < end && result == ncclSuccess;) {
        const struct operation *operation = &operations[index];
        if (operation->action == SEND || operation->action == RECEIVE) {
            /* All transfers of a step are one group. */
            unsigned step = operation->step;
            result = ncclGroupStart();
            for (; index < end && operations[index].step == step && result == ncclSuccess; index++) {
                operation = &operations[index];
                size_t count = operation->count * elements;
                if (operation->action == SEND) {
                    const char *from = (const char *)buffers[operation->from_buffer] + operation->from * elements * bytes;
                    result = ncclSend(from, count, type, (int)operation->peer, comm, stream);
                } else if (operation->action == RECEIVE) {
                    char *to = (char *)buffers[operation->to_buffer] + operation->to * elements * bytes;
                    result = ncclRecv(to, count, type, (int)operation->peer, comm, stream);
                } else {
                    break;
                }
            }
            ncclResult_t ended = ncclGroupEnd();
            result = result == ncclSuccess ? ended : result;
            continue;
        }
        const char *from = (const char *)buffers[operation->from_buffer] + operation->from * elements * bytes;
        char *to = (char *)buffers[operation->to_buffer] + operation->to * elements * bytes;
        size_t count = operation->count * elements;
        if (operation->action == ADD) {
            result = add == NULL ? ncclInvalidArgument : add(to, from, count, type, stream);
        } else if (cudaMemcpyAsync(to, from, count * bytes, cudaMemcpyDeviceToDevice, stream) != cudaSuccess) {
            result = ncclUnhandledCudaError;
        }
        index++;
    }
    return result;
}
