/* all-gather on ring:4.

   Compile and test:
       mpicc -O2 -o plan FILE.c
       mpirun -n 4 ./plan [elements per chunk] [repetitions]

   In a program of your own: compile with -DLOCKSTEP_NO_MAIN and call lockstep_run. Rank r is the r-th working
   terminal of the network, by node number. */

#include <mpi.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

#ifndef LOCKSTEP_NO_MAIN

/* Chunks before and after the collective. Chunks with the same value belong together: a result is the sum of all
   inputs with its value. */
struct place {
    unsigned rank;
    enum buffer buffer;
    size_t offset;
    unsigned value;
};

static const struct place inputs[] = {
    {0, INPUT, 0, 0},
    {1, INPUT, 0, 1},
    {2, INPUT, 0, 2},
    {3, INPUT, 0, 3},
};
static const size_t inputs_count = 4;

static const struct place results[] = {
    {0, OUTPUT, 0, 0},
    {0, OUTPUT, 1, 1},
    {0, OUTPUT, 2, 2},
    {0, OUTPUT, 3, 3},
    {1, OUTPUT, 0, 0},
    {1, OUTPUT, 1, 1},
    {1, OUTPUT, 2, 2},
    {1, OUTPUT, 3, 3},
    {2, OUTPUT, 0, 0},
    {2, OUTPUT, 1, 1},
    {2, OUTPUT, 2, 2},
    {2, OUTPUT, 3, 3},
    {3, OUTPUT, 0, 0},
    {3, OUTPUT, 1, 1},
    {3, OUTPUT, 2, 2},
    {3, OUTPUT, 3, 3},
};
static const size_t results_count = 16;

/* The ranks with an input of each value, and the end of those of every value. */
static const unsigned origins[] = {
    0, 1, 2, 3,
};
static const unsigned origin_end[] = {
    1, 2, 3, 4,
};

static const char title[] = "all-gather on ring:4";

/* Returns the element of an input: different for every value, rank and place. */
static uint64_t element(unsigned value, unsigned rank, size_t place)
{
    uint64_t mixed = (((uint64_t)value << 20) + rank) * 0x9e3779b97f4a7c15u + (uint64_t)place * 0xbf58476d1ce4e5b9u;
    mixed = (mixed ^ (mixed >> 30)) * 0x94d049bb133111ebu;
    return mixed ^ (mixed >> 27);
}

/* Fills all buffers with junk, and then the inputs. */
static void fill(uint64_t *const buffers[3], unsigned rank, size_t elements)
{
    for (int buffer = 0; buffer < 3; buffer++) {
        memset(buffers[buffer], 0xa5, sizes[rank][buffer] * elements * sizeof(uint64_t));
    }
    for (size_t input = 0; input < inputs_count; input++) {
        if (inputs[input].rank == rank) {
            uint64_t *chunk = buffers[inputs[input].buffer] + inputs[input].offset * elements;
            for (size_t place = 0; place < elements; place++) {
                chunk[place] = element(inputs[input].value, rank, place);
            }
        }
    }
}

/* Returns the number of wrong elements, and reports the first one. */
static unsigned long check(uint64_t *const buffers[3], unsigned rank, size_t elements)
{
    static const char *const names[] = {"input", "output", "scratch"};
    unsigned long wrong = 0;
    for (size_t result = 0; result < results_count; result++) {
        if (results[result].rank != rank) {
            continue;
        }
        unsigned value = results[result].value;
        const uint64_t *chunk = buffers[results[result].buffer] + results[result].offset * elements;
        for (size_t place = 0; place < elements; place++) {
            uint64_t expected = 0;
            for (unsigned origin = value > 0 ? origin_end[value - 1] : 0; origin < origin_end[value]; origin++) {
                expected += element(value, origins[origin], place);
            }
            if (chunk[place] != expected && wrong++ == 0) {
                fprintf(stderr, "rank %u, %s, chunk %zu, element %zu: expected %016llx, found %016llx\n", rank,
                        names[results[result].buffer], results[result].offset, place, (unsigned long long)expected,
                        (unsigned long long)chunk[place]);
            }
        }
    }
    return wrong;
}

static int compare(const void *one, const void *other)
{
    double difference = *(const double *)one - *(const double *)other;
    return (difference > 0) - (difference < 0);
}

/* Returns a positive number, or ends the program. */
static size_t number(const char *text, const char *name)
{
    char *rest;
    unsigned long long found = strtoull(text, &rest, 10);
    if (*rest != 0 || *text == '-' || found == 0 || found > INT32_MAX) {
        fprintf(stderr, "%s: '%s'; give a number from 1 to %d\n", name, text, INT32_MAX);
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    return (size_t)found;
}

int main(int count, char **arguments)
{
    int rank, ranks;
    MPI_Init(&count, &arguments);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    size_t elements = count > 1 ? number(arguments[1], "elements per chunk") : 1024;
    size_t repetitions = count > 2 ? number(arguments[2], "repetitions") : 9;
    if (ranks != RANKS) {
        if (rank == 0) {
            fprintf(stderr, "%d ranks; start the plan with mpirun -n %d\n", ranks, RANKS);
        }
        MPI_Finalize();
        return 2;
    }
    uint64_t *buffers[3];
    for (int buffer = 0; buffer < 3; buffer++) {
        buffers[buffer] = malloc(sizes[rank][buffer] * elements * sizeof(uint64_t) + 1);
        if (buffers[buffer] == NULL) {
            fprintf(stderr, "rank %d: too little memory; use fewer elements per chunk\n", rank);
            MPI_Abort(MPI_COMM_WORLD, 2);
        }
    }
    double *times = malloc(repetitions * sizeof *times);
    unsigned long wrong = 0, all_wrong = 0;
    for (size_t repetition = 0; repetition < repetitions && times != NULL; repetition++) {
        void *const given[3] = {buffers[0], buffers[1], buffers[2]};
        fill(buffers, (unsigned)rank, elements);
        MPI_Barrier(MPI_COMM_WORLD);
        double begin = MPI_Wtime();
        if (lockstep_run(given, elements, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD) != MPI_SUCCESS) {
            fprintf(stderr, "rank %d: the plan cannot run with %zu elements per chunk\n", rank, elements);
            MPI_Abort(MPI_COMM_WORLD, 2);
        }
        double time = MPI_Wtime() - begin;
        MPI_Allreduce(&time, &times[repetition], 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
        wrong += check(buffers, (unsigned)rank, elements);
    }
    MPI_Allreduce(&wrong, &all_wrong, 1, MPI_UNSIGNED_LONG, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0 && times != NULL) {
        qsort(times, repetitions, sizeof *times, compare);
        printf("%s: %d ranks, %d steps, %zu bytes per chunk: %s, %lu wrong elements, median %.1f us of %zu\n", title,
               RANKS, STEPS, elements * sizeof(uint64_t), all_wrong == 0 ? "right" : "WRONG", all_wrong,
               1e6 * times[repetitions / 2], repetitions);
    }
    free(times);
    for (int buffer = 0; buffer < 3; buffer++) {
        free(buffers[buffer]);
    }
    MPI_Finalize();
    return all_wrong == 0 ? 0 : 1;
}

#endif
