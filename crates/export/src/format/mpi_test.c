
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
