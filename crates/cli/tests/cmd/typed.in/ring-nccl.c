/* all-gather on ring:4.

   For RCCL, replace the two headers by <hip/hip_runtime_api.h> and <rccl/rccl.h>, with
   -DcudaMemcpyAsync=hipMemcpyAsync and so on. Rank r is the r-th working terminal of the network, by node
   number. */

#include <cuda_runtime_api.h>
#include <nccl.h>
#include <stddef.h>

enum { RANKS = 4, STEPS = 2 };

enum buffer { INPUT, OUTPUT, SCRATCH };
enum action { SEND, RECEIVE, COPY, ADD };

/* Offsets and counts are in chunks. The tag numbers the transfers of a pair of ranks in a step. */
struct operation {
    unsigned step;
    enum action action;
    unsigned peer, tag;
    enum buffer from_buffer;
    size_t from;
    enum buffer to_buffer;
    size_t to, count;
};

/* The sizes of input, output and scratch memory of every rank. */
static const size_t sizes[RANKS][3] = {
    {1, 4, 0},
    {1, 4, 0},
    {1, 4, 0},
    {1, 4, 0},
};

static const struct operation operations[] = {
    {0, COPY, 0, 0, INPUT, 0, OUTPUT, 0, 1},
    {0, RECEIVE, 1, 0, INPUT, 0, OUTPUT, 1, 1},
    {0, RECEIVE, 3, 0, INPUT, 0, OUTPUT, 3, 1},
    {0, SEND, 1, 0, INPUT, 0, INPUT, 0, 1},
    {0, SEND, 3, 0, INPUT, 0, INPUT, 0, 1},
    {1, RECEIVE, 1, 0, INPUT, 0, OUTPUT, 2, 1},
    {1, SEND, 1, 0, OUTPUT, 3, INPUT, 0, 1},
    {0, COPY, 0, 0, INPUT, 0, OUTPUT, 1, 1},
    {0, RECEIVE, 0, 0, INPUT, 0, OUTPUT, 0, 1},
    {0, RECEIVE, 2, 0, INPUT, 0, OUTPUT, 2, 1},
    {0, SEND, 0, 0, INPUT, 0, INPUT, 0, 1},
    {0, SEND, 2, 0, INPUT, 0, INPUT, 0, 1},
    {1, RECEIVE, 0, 0, INPUT, 0, OUTPUT, 3, 1},
    {1, SEND, 0, 0, OUTPUT, 2, INPUT, 0, 1},
    {0, COPY, 0, 0, INPUT, 0, OUTPUT, 2, 1},
    {0, RECEIVE, 1, 0, INPUT, 0, OUTPUT, 1, 1},
    {0, RECEIVE, 3, 0, INPUT, 0, OUTPUT, 3, 1},
    {0, SEND, 1, 0, INPUT, 0, INPUT, 0, 1},
    {0, SEND, 3, 0, INPUT, 0, INPUT, 0, 1},
    {1, RECEIVE, 3, 0, INPUT, 0, OUTPUT, 0, 1},
    {1, SEND, 3, 0, OUTPUT, 1, INPUT, 0, 1},
    {0, COPY, 0, 0, INPUT, 0, OUTPUT, 3, 1},
    {0, RECEIVE, 0, 0, INPUT, 0, OUTPUT, 0, 1},
    {0, RECEIVE, 2, 0, INPUT, 0, OUTPUT, 2, 1},
    {0, SEND, 0, 0, INPUT, 0, INPUT, 0, 1},
    {0, SEND, 2, 0, INPUT, 0, INPUT, 0, 1},
    {1, RECEIVE, 2, 0, INPUT, 0, OUTPUT, 1, 1},
    {1, SEND, 2, 0, OUTPUT, 0, INPUT, 0, 1},
};

/* The end of the operations of every rank. */
static const unsigned operation_end[] = {
    7, 14, 21, 28,
};

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
