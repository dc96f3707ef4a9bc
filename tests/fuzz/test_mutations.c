/* Models' files with lies made up by chance, thousands of them: each is refused with a message, or
 * opens and answers with numbers, in seconds, and holds no more memory than docs/trust.md allows.
 * MUTATIONS says how many in all; workers share them. The same lies come in every run. */
#include "allocated.h"
#include "edits.h"
#include "lies.h"
#include "models.h"
#include "scratch.h"

#include <signal.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>

enum {
    DEFAULT = 2000,
    WORKERS = 2,
    LIES = 4,       /* in one file, at most */
    ROOM = 1024,    /* bytes of them */
    SECONDS = 10,   /* of processor time, for one file */
    HELD = 4 << 20, /* the law of docs/trust.md: bytes held whatever the file, */
    PER_BYTE = 128  /* and for each of its own */
};

#define TARGETS(X)                                                                                 \
    X(ieae, small_model)                                                                           \
    X(model, small_model)                                                                          \
    X(molecule_net, small_molecule_model)                                                          \
    X(molecule_model, small_molecule_model)                                                        \
    X(molecule_paper, small_molecule_paper)                                                        \
    X(classifier, small_classifier)                                                                \
    X(gcn, small_gcn)                                                                              \
    X(checkpoint, small_checkpoint)                                                                \
    X(index, small_index)                                                                          \
    X(index_classes, small_index_classes)

#define DECLARE(name, writer) int fuzz_##name(const uint8_t *bytes, size_t size);
TARGETS(DECLARE)
extern long fuzz_files_opened;

static const struct {
    const char *name;
    int (*run)(const uint8_t *bytes, size_t size);
    small_writer *write;
} targets[] = {
#define ENTRY(name, writer) { #name, fuzz_##name, writer },
    TARGETS(ENTRY)
};
enum { TARGETS_ALL = sizeof targets / sizeof *targets };

/* What a worker is at, for whoever asks why it died; and what it did. */
typedef struct {
    int target;
    char lies[ROOM];
    long done, opened, most;
} progress;

static progress *shared; /* [WORKERS], between processes */
static progress *own;
static int watched;

static void too_slow(int number)
{
    (void)number;
    static const char text[] = "# more than 10 seconds\n";
    if (write(STDERR_FILENO, text, sizeof text - 1) > 0)
        _exit(3);
    _exit(4);
}

static edit_file good_file(recon_ctx *ctx, int target, size_t *size, int worker)
{
    const char *path = scratch(worker ? "good 1" : "good 0");
    CHECK_OK(ctx, targets[target].write(ctx, path));
    unsigned char *bytes = slurp(path, size);
    edit_file good = edit_begin(bytes, *size);
    free(bytes);
    return good;
}

static size_t make_up(char lies[ROOM], liar *l)
{
    size_t used = 0;
    size_t n = lie_below(l, 2) ? 1 : 1 + lie_below(l, LIES); /* one alone opens more often */
    for (; n > 0 && ROOM - used > ROOM / LIES; n--)
        used += (size_t)lie_any(lies + used, ROOM - used, l);
    return used;
}

/* The size of the file that the lies make. */
static size_t size_of(const edit_file *good, const char *lies, size_t n)
{
    size_t size;
    free(edit_apply(&size, good, lies, n));
    return size;
}

static void try_one(int target, const edit_file *good, liar *l)
{
    size_t n = make_up(own->lies, l);
    setitimer(ITIMER_PROF, &(struct itimerval){ .it_value = { .tv_sec = SECONDS } }, NULL);
    allocated_begin();
    targets[target].run((const uint8_t *)own->lies, n);
    long held = allocated_peak();
    if (held > HELD && held > HELD + PER_BYTE * (long)size_of(good, own->lies, n))
        abort();
    own->most = held > own->most ? held : own->most;
    own->done++;
    memset(own->lies, 0, n);
}

static void try_many(int worker, long n)
{
    recon_ctx *ctx = recon_ctx_new(&(recon_ctx_options){ .threads = 1 });
    own = &shared[worker];
    signal(SIGPROF, too_slow);
    for (int t = 0; t < TARGETS_ALL; t++) {
        size_t size;
        edit_file good = good_file(ctx, t, &size, worker);
        liar l = { good.header, size, (uint64_t)worker << 32 | (uint64_t)t };
        own->target = t;
        targets[t].run((const uint8_t *)"", 0); /* what it makes for itself is not the file's */
        for (long i = 0; i < n / TARGETS_ALL; i++)
            try_one(t, &good, &l);
        own->opened = fuzz_files_opened - (t + 1); /* the good ones are not counted */
        edit_end(&good);
    }
    recon_ctx_free(ctx);
}

static void check_worker(int worker, int status)
{
    const progress *p = &shared[worker];
    if (status != 0)
        fail_msg("worker ended with %x at %s, after %ld files; the lies:\n%s", status,
                 targets[p->target].name, p->done, p->lies);
}

static void every_file_is_refused_or_answers(void **state)
{
    const char *asked = getenv("MUTATIONS");
    const long all = asked ? atol(asked) : DEFAULT;
    long done = 0, opened = 0, most = 0;
    pid_t worker[WORKERS];
    int status[WORKERS];
    (void)state;
    watched = allocated_watch();
    for (int w = 0; w < WORKERS; w++) {
        worker[w] = fork();
        assert_true(worker[w] >= 0);
        if (worker[w] == 0) {
            try_many(w, all / WORKERS);
            exit(0);
        }
    }
    for (int w = 0; w < WORKERS; w++)
        assert_int_equal(waitpid(worker[w], &status[w], 0), worker[w]);
    for (int w = 0; w < WORKERS; w++) {
        check_worker(w, status[w]);
        done += shared[w].done;
        opened += shared[w].opened;
        most = shared[w].most > most ? shared[w].most : most;
    }
    print_message(
        "# counted: %ld files of models in %d kinds, of which %ld opened; %ld KiB held at "
        "most%s\n",
        done, TARGETS_ALL, opened, most >> 10, watched ? "" : " (not watched in this build)");
}

/* No context here: its threads would not come along into the workers. */
static int setup(void **state)
{
    *state = NULL;
    return scratch_make();
}

int main(void)
{
    const struct CMUnitTest tests[] = { SCRATCH_TEST(every_file_is_refused_or_answers) };
    shared = mmap(NULL, WORKERS * sizeof *shared, PROT_READ | PROT_WRITE,
                  MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return shared == MAP_FAILED ? 1 : cmocka_run_group_tests(tests, setup, scratch_teardown);
}
