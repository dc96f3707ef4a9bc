/* Results are whole: `recon normalize`, `discover` and `canonicalize` write over an existing result
 * while the disk fails, or the process is killed, at each call that changes a file (shim.c). The
 * folder is the old result or the new one, never a mix; the user's own file and sub-folder in it
 * survive; the next run leaves nothing behind. The same where folders cannot be exchanged: there
 * readers refuse until the next writer has completed what was begun.
 *
 * Every other command that writes: its files are old or new, each of them whole, and where it says that
 * it is done they are new.
 *
 * `make test` tries a sample of the calls, `make check-slow` (RECON_SLOW=1) all of them. */
#include "model/tiny.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <spawn.h>
#include "core/picture.h"
#include <signal.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>

extern char **environ;

static char binary[4096], shim[4096];

/* --- commands --------------------------------------------------------------------------------- */

enum { WORDS = 32 };

/* What is done, with the data `one` or `two`, into the folder out/. */
typedef struct {
    const char *name;
    long sample;                /* failures of each kind that `make test` has time for */
    const char *file;           /* into which it writes; NULL: the folder out/ */
    const char *words[WORDS];   /* "%" becomes one or two                            */
    const char *readers[4][16]; /* commands that look into the folder, in turn        */
    const char *option;         /* that names the file or folder; NULL: --out         */
    const char *loose;          /* files in out/ that tell times, or of the run under way */
} job;

enum { NORMALIZE, DISCOVER, CANONICALIZE, UPRIGHT, JOBS };
static const job jobs[JOBS] = {
    { .name = "normalize",
      .sample = 5,
      .words = { "normalize", "--embeddings", "z-%.npy", "--poses", "g-%.npy", "--k", "5",
                 "--family", "normal" },
      .readers = { { "info", "out" }, { "report", "out", "--out", "page.html" } } },
    { .name = "discover",
      .sample = 2,
      .words = { "discover", "--model", "backbone.safetensors", "--data", "npy:few-%.npy", "--k",
                 "5", "--seed", "1", "--keep-embeddings" },
      .readers = { { "info", "out" },
                   { "score", "--model", "out/model.safetensors", "--data", "npy:few-one.npy",
                     "--out", "s.npy" },
                   { "report", "out", "--out", "page.html" },
                   { "normalize", "--embeddings", "out/z.npy", "--poses", "out/g.npy", "--k", "5",
                     "--out", "other" } } },
    { .name = "canonicalize",
      .sample = 3,
      .words = { "canonicalize", "--model", "model.safetensors", "--data", "images:photos-%" },
      .readers = { { "info", "out" },
                   { "canonicalize", "--model", "model.safetensors", "--data", "images:out",
                     "--out", "x.npy" } } },
    { .name = "upright",
      .sample = 2,
      .words = { "upright", "images:photos-%" },
      .readers = { { "info", "out" } } },
};

enum { UNDETERMINED = 3 };

/* How the folder is replaced. */
typedef struct {
    const char *name, *exchange; /* SHIM_EXCHANGE */
    int inside;                  /* the command runs from within the folder */
} way;
static const way ways[] = { { "exchange", "0", 0 },
                            { "journal, EINVAL", "22", 0 },
                            { "journal, EXDEV", "18", 0 },
                            { "journal, from within", "0", 1 } };
enum { WAYS = sizeof ways / sizeof *ways };

static pid_t start(const char *const *words, const char *error_file, const char *where,
                   char *const *settings)
{
    char *argv[WORDS + 8] = { binary }, *env[256];
    size_t n = 1, e = 0;
    for (; words[n - 1]; n++)
        argv[n] = (char *)words[n - 1];
    for (char **at = environ; *at && e < 200; at++)
        env[e++] = *at;
    for (; settings && *settings; settings++)
        env[e++] = *settings;
    env[e] = NULL;
    posix_spawn_file_actions_t files;
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_addchdir_np(&files, where);
    posix_spawn_file_actions_addopen(&files, 1, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addopen(&files, 2, error_file, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    pid_t pid;
    int failed = posix_spawn(&pid, binary, &files, NULL, argv, env);
    posix_spawn_file_actions_destroy(&files);
    if (failed)
        fail_msg("cannot start %s: %s", binary, strerror(failed));
    return pid;
}

/* The exit code, or minus the signal. */
static int end_of(pid_t pid)
{
    int how;
    waitpid(pid, &how, 0);
    return WIFEXITED(how) ? WEXITSTATUS(how) : -WTERMSIG(how);
}

static const char *told(const char *file)
{
    static char text[1200];
    FILE *f = fopen(scratch(file), "rb");
    size_t n = f ? fread(text, 1, sizeof text - 1, f) : 0;
    if (f)
        fclose(f);
    text[n] = '\0';
    return text;
}

/* A word of a command: files are named by their whole path, since some jobs run elsewhere. */
static const char *word_of(char out[600], const char *word, const char *data)
{
    const char *mark = strchr(word, '%');
    int kind = !strncmp(word, "npy:", 4) ? 4 : !strncmp(word, "images:", 7) ? 7 : 0;
    if (!mark && !strstr(word, ".safetensors"))
        return word;
    int before = mark ? (int)(mark - word) - kind : (int)strlen(word);
    snprintf(out, 600, "%.*s%s/%.*s%s%s", kind, word, scratch_folder, before, word + kind,
             mark ? data : "", mark ? mark + 1 : "");
    return out;
}

/* The folder is named by its whole path too: reports name it. */
static const char *const *line_of(const job *j, const char *data)
{
    const char *const rest[] = { "--quiet", "--threads", "1", j->option ? j->option : "--out" };
    static char room[WORDS][600], out[600];
    static const char *words[WORDS + 8];
    size_t n = 0;
    for (; j->words[n]; n++)
        words[n] = word_of(room[n], j->words[n], data);
    for (size_t i = 0; i < 4; i++)
        words[n++] = rest[i];
    snprintf(out, sizeof out, "%s/%s", scratch_folder, j->file ? j->file : "out");
    words[n++] = out;
    words[n] = NULL;
    return words;
}

static int run_job(const job *j, const char *data, const way *w, long at, int error, long *calls)
{
    char settings[6][4400];
    const char *where = w->inside ? scratch("out") : scratch_folder;
    snprintf(settings[0], sizeof *settings, "LD_PRELOAD=%s", shim);
    snprintf(settings[1], sizeof *settings, "SHIM_AT=%ld", at);
    snprintf(settings[2], sizeof *settings, "SHIM_ERROR=%d", error);
    snprintf(settings[3], sizeof *settings, "SHIM_EXCHANGE=%s", w->exchange);
    snprintf(settings[4], sizeof *settings, "SHIM_COUNT=%s", scratch("count"));
    snprintf(settings[5], sizeof *settings, "ASAN_OPTIONS=verify_asan_link_order=0");
    char *const list[] = { settings[0], settings[1], settings[2], settings[3],
                           settings[4], settings[5], NULL };
    int code = end_of(start(line_of(j, data), scratch("stderr"), where, list));
    if (calls)
        *calls = atol(told("count"));
    return code == UNDETERMINED ? 0 : code; /* all is left as it is, and written */
}

/* --- what lies in the folder ------------------------------------------------------------------ */

typedef uint64_t digest;
static digest sum;

static void add(const void *bytes, size_t n)
{
    for (size_t i = 0; i < n; i++)
        sum = (sum ^ ((const unsigned char *)bytes)[i]) * 1099511628211u; /* FNV-1a */
}

/* The times that a summary and a report tell are not the same twice. */
static void add_file(const char *path)
{
    int page = strstr(path, ".html") != NULL;
    size_t n;
    unsigned char *bytes = slurp(path, &n);
    bytes[n] = '\0';
    char *text = (char *)bytes, *from = NULL;
    if (page || strstr(path, "summary.json"))
        from = strstr(text, page ? ">seconds<" : "\"seconds\"");
    char *to = from ? strstr(from, page ? "</table>" : "}") : NULL;
    add(bytes, to ? (size_t)(from - text) : n);
    if (to)
        add(to, strlen(to));
    free(bytes);
}

static int is_users(const char *name)
{
    return !strcmp(name, "notes.txt") || !strcmp(name, "mine") || !strcmp(name, "own.txt");
}

/* Files by their paths, all but what is the user's and what is hidden; and folders that are empty,
 * as none should be. */
static void add_folder(const char *path, size_t root)
{
    struct dirent **entry;
    int n = scandir(path, &entry, NULL, alphasort);
    if (n == 2)
        add(path + root, strlen(path + root));
    for (int i = 0; i < n; i++) {
        char below[1200];
        struct stat s;
        const char *name = entry[i]->d_name;
        snprintf(below, sizeof below, "%s/%s", path, name);
        if (name[0] != '.' && !is_users(name) && stat(below, &s) == 0) {
            if (S_ISDIR(s.st_mode)) {
                add_folder(below, root);
            } else {
                add(below + root, strlen(below + root));
                add_file(below);
            }
        }
        free(entry[i]);
    }
    if (n >= 0)
        free(entry);
}

static digest state_of(const char *folder)
{
    sum = 14695981039346656037u;
    add_folder(scratch(folder), strlen(scratch(folder)));
    return sum;
}

static void shell(const char *command)
{
    char line[2000];
    snprintf(line, sizeof line, "cd '%s' && { %s; }", scratch_folder, command);
    if (system(line) != 0)
        fail_msg("%s", line);
}

static int users_are_there(int folder_too)
{
    size_t n;
    struct stat s;
    if (stat(scratch("out/notes.txt"), &s) != 0 ||
        (folder_too && stat(scratch("out/mine/deep/own.txt"), &s) != 0))
        return 0;
    for (const char *c = "ab"; *c;
         c++) { /* folders of pictures, with one of the user's among them */
        char old[16], own[32];
        snprintf(old, sizeof old, "old/%c", *c);
        snprintf(own, sizeof own, "out/%c/own.txt", *c);
        if (stat(scratch(old), &s) == 0 && stat(scratch(own), &s) != 0)
            return 0;
    }
    unsigned char *bytes = slurp(scratch("out/notes.txt"), &n);
    int same = n == 5 && !memcmp(bytes, "notes", 5);
    free(bytes);
    return same;
}

static int leftovers;
static int is_leftover(const char *path, const struct stat *info, int kind, struct FTW *at)
{
    const char *name = path + at->base;
    (void)info;
    (void)kind;
    if (name[0] == '.' || strstr(name, ".tmp-")) {
        print_message("# left: %s\n", path);
        leftovers++;
    }
    return 0;
}

static void check_clean(const char *when)
{
    leftovers = 0;
    nftw(scratch_folder, is_leftover, 16, FTW_PHYS);
    if (leftovers)
        fail_msg("%s: %d leftovers", when, leftovers);
}

/* --- the law ---------------------------------------------------------------------------------- */

typedef struct {
    long calls, tried, old, fresh, mixed, completed;
} counts;

/* The old result, and the user's things in it. */
static void put_old(void)
{
    shell("rm -rf out .out.recon* && cp -a old out && printf notes >out/notes.txt && "
          "mkdir -p out/mine/deep && printf own >out/mine/deep/own.txt && "
          "for f in out/?; do [ ! -d $f ] || printf own >$f/own.txt; done");
}

/* Whoever looks into a folder between two results changes nothing, and is told so. A writer completes
 * it, here one that comes for another reason. */
static void look_in(const job *j, long n)
{
    char whole[4096]; /* pages name the folder as the command did */
    snprintf(whole, sizeof whole, "%s", scratch("out"));
    const char *const settle[] = { "report", whole, "--quiet", NULL };
    size_t readers = 0;
    while (readers < 4 && j->readers[readers][0])
        readers++;
    const char *const *words = j->readers[(size_t)n % readers];
    struct stat s;
    digest before = state_of("out");
    int code = end_of(start(words, scratch("stderr"), scratch_folder, NULL));
    if (code != 1 || !strstr(told("stderr"), "is between two results") || state_of("out") != before)
        fail_msg("%s, call %ld: the next `recon %s` ended with %d: %s", j->name, n, words[0], code,
                 told("stderr"));
    code = end_of(start(settle, scratch("stderr"), scratch_folder, NULL));
    if (stat(scratch("out/.recon-journal"), &s) == 0 || (code != 0 && j < &jobs[CANONICALIZE]))
        fail_msg("%s, call %ld: `recon report out`: %s", j->name, n, told("stderr"));
    if (j == jobs) /* the page is of the folder from then on, as the results compared have none */
        unlink(scratch("out/report.html"));
}

static void one_failure(const job *j, const way *w, long n, int error, digest old, digest fresh,
                        counts *count)
{
    char when[200];
    int journal = w != ways;
    snprintf(when, sizeof when, "%s, %s, %s at call %ld", j->name, w->name,
             error ? strerror(error) : "killed", n);
    put_old();
    int code = run_job(j, "two", w, n, error, NULL);
    if (error ? code != 0 && code != 1 : code != 0 && code != -SIGKILL)
        fail_msg("%s: ended with %d: %s", when, code, told("stderr"));
    if (code == 1 && !strstr(told("stderr"), "recon "))
        fail_msg("%s: no message", when);
    struct stat s;
    if (journal && stat(scratch("out/.recon-journal"), &s) == 0) {
        count->completed++;
        look_in(j, n);
    }
    digest now = state_of("out");
    count->tried++;
    count->old += now == old;
    count->fresh += now == fresh;
    count->mixed += now != old && now != fresh;
    if (now != old && now != fresh)
        print_message("# %s: MIXED\n", when);
    if (code == 0 && now != fresh)
        fail_msg("%s: success, but not the new result", when);
    if (!users_are_there(0))
        fail_msg("%s: the user's file is gone", when);
    if (run_job(j, "two", &ways[0], 0, 0, NULL) != 0)
        fail_msg("%s: the next run says: %s", when, told("stderr"));
    if (state_of("out") != fresh || !users_are_there(1))
        fail_msg("%s: after the next run something is missing", when);
    check_clean(when);
}

static int slow(void)
{
    return getenv("RECON_SLOW") != NULL;
}

#if defined(__SANITIZE_ADDRESS__)
enum { SHARE = 2 }; /* everything takes longer, and the release build tries the others */
#else
enum { SHARE = 1 };
#endif

/* Of a sample the first call and the distance between two, so that each way tries others. */
static long first_of(const job *j, const way *w, int error, long calls, long *step)
{
    long count = j->sample / SHARE ? j->sample / SHARE : 1;
    *step = slow() ? 1 : calls / count + 1;
    return slow() ? 1 : 1 + (5 * (w - ways) + (error ? 3 : 0) + *step / 2) % *step;
}

static void enumerate(const job *j, const way *w, int error, counts *count)
{
    digest old = state_of("old"), fresh = state_of("new");
    put_old();
    if (run_job(j, "two", w, 0, 0, &count->calls) != 0)
        fail_msg("%s, %s: %s", j->name, w->name, told("stderr"));
    assert_true(state_of("out") == fresh && old != fresh);
    assert_true(count->calls > 20);
    long step, first = first_of(j, w, error, count->calls, &step);
    for (long n = first; n <= count->calls + slow(); n += step)
        one_failure(j, w, n, error, old, fresh, count);
}

static void make_results(const job *j)
{
    shell("rm -rf old new out other");
    const char *const names[] = { "one", "two" }, *const to[] = { "old", "new" };
    for (int i = 0; i < 2; i++) {
        if (run_job(j, names[i], &ways[0], 0, 0, NULL) != 0)
            fail_msg("%s: %s", j->name, told("stderr"));
        shell(i == 0 ? "mv out old" : "mv out new");
        assert_true(state_of(to[i]) != 0);
    }
    run_job(j, "two", &ways[0], 0, 0, NULL); /* the same bytes again, or nothing here means much */
    digest again = state_of("out");
    assert_true(again == state_of("new"));
}

static void killed_or_full_at_any_call(const job *j)
{
    make_results(j);
    for (size_t k = 0; k < (slow() || j == jobs ? WAYS : 2); k++)
        for (int e = 0; e < 2; e++) {
            counts c = { 0 };
            enumerate(j, &ways[k], e ? ENOSPC : 0, &c);
            print_message("# counted: %s, %s, %s: %ld of %ld calls, old %ld, new %ld, mixed %ld "
                          "(%ld completed by the next command)\n",
                          j->name, ways[k].name, e ? "ENOSPC" : "killed", c.tried, c.calls, c.old,
                          c.fresh, c.mixed, c.completed);
            assert_int_equal(c.mixed, 0);
        }
}

static void normalize_is_whole(void **state)
{
    (void)state;
    killed_or_full_at_any_call(&jobs[NORMALIZE]);
}

static void discover_is_whole(void **state)
{
    (void)state;
    killed_or_full_at_any_call(&jobs[DISCOVER]);
}

static long files_in(const char *folder)
{
    struct dirent **entry;
    int n = scandir(scratch(folder), &entry, NULL, NULL);
    for (int i = 0; i < n; i++)
        free(entry[i]);
    free(entry);
    return n - 2;
}

/* What a command waits for the disk: each file once, the folder, its name, and what was there. */
static void a_result_is_synced_once(void **state)
{
    (void)state;
    for (int j = NORMALIZE; j <= DISCOVER; j++)
        for (int again = 0; again < 2; again++) {
            if (!again)
                shell("rm -rf out");
            if (run_job(&jobs[j], "two", &ways[0], 0, 0, NULL) != 0)
                fail_msg("%s: %s", jobs[j].name, told("stderr"));
            long calls, syncs, files = files_in("out");
            assert_int_equal(sscanf(told("count"), "%ld %ld", &calls, &syncs), 2);
            assert_in_range(syncs, files + 2, files + 3);
            if (j == DISCOVER) /* two of them are those of --keep-embeddings */
                assert_in_range(syncs, 1, 28);
        }
}

static void pictures_are_whole(void **state)
{
    (void)state;
#ifdef RECON_HAVE_PNG
    killed_or_full_at_any_call(&jobs[CANONICALIZE]);
    killed_or_full_at_any_call(&jobs[UPRIGHT]);
#else
    skip();
#endif
}

/* --- every other command ---------------------------------------------------------------------- */

#define NET "--preset", "small", "--width", "0.25", "--code", "8", "--batch", "22"
enum { INDEX = 2 };  /* among the others */
enum { EARLY = -5 }; /* the first calls in `make test`, twice as many of all in `make check-slow` */
static const job others[] = {
    { .name = "train",
      .sample = 2,
      .file = "out/m.safetensors",
      .loose = "m.safetensors.last",
      .words = { "train", "--data", "npy:few-two.npy", NET, "--epochs", "1", "--overwrite" } },
    { .name = "classifier train",
      .sample = 2,
      .file = "out/c.safetensors",
      .loose = "c.safetensors.last",
      .words = { "classifier", "train", "--data", "npy:images.npy", "--limit", "60", "--batch",
                 "22", "--epochs", "1", "--overwrite" } },
    { .name = "normalize, an index",
      .sample = 5,
      .file = "out/i",
      .option = "--save-index",
      .words = { "normalize", "--embeddings", "z-%.npy", "--poses", "g-%.npy", "--k", "5",
                 "--family", "normal" } },
    { .name = "normalize, more points of an index",
      .sample = 5,
      .file = "out/i",
      .option = "--save-index",
      .words = { "normalize", "--index", "first.index", "--embeddings", "z-%.npy", "--poses",
                 "g-%.npy" } },
    { .name = "score",
      .sample = 5,
      .file = "out/s.csv",
      .words = { "score", "--model", "model.safetensors", "--data", "npy:few-two.npy", "--rows",
                 "out/r.npy" } },
    { .name = "audit",
      .sample = 4,
      .file = "out/a.csv",
      .words = { "audit", "--model", "model.safetensors", "--data", "npy:few-two.npy" } },
    { .name = "distribution",
      .sample = 3,
      .file = "out/d.svg",
      .option = "--svg",
      .words = { "distribution", "--model", "model.safetensors", "--data", "npy:few-two.npy",
                 "--index", "3" } },
    { .name = "check",
      .sample = 2,
      .file = "out/e.svg",
      .option = "--svg",
      .words = { "check", "model.safetensors", "--data", "npy:few-two.npy", "--limit", "8" } },
    { .name = "export",
      .sample = 3,
      .file = "out/m.onnx",
      .words = { "export", "--model", "model.safetensors" } },
    { .name = "report", .sample = 4, .file = "out/page.html", .words = { "report", "found" } },
    { .name = "reproduce estimators",
      .sample = 6,
      .option = "--figures",
      .words = { "reproduce", "estimators" } },
    { .name = "reproduce images",
      .sample = 2,
      .option = "--figures",
      .loose = "images.json report.html",
      .words = { "reproduce", "images", "--data", "npy:images.npy", "--images", "60", "--rotate",
                 "rule.json", "--classifier", "c.safetensors", "--model", "model.safetensors" } },
    { .name = "demo",
      .sample = EARLY, /* seconds for all of it */
      .loose = "results.json report.html",
      .words = { "demo", "--limit", "200" } },
};
enum { OTHERS = sizeof others / sizeof *others };

/* Files of a folder and what is in them, by their names. */
enum { LISTED = 256 };
typedef struct {
    size_t n;
    char name[LISTED][256];
    digest state[LISTED];
} listing;

static listing *listed;
static const char *listed_loose;

/* Of a file that tells times, or of the run under way: old, cut or new. */
static digest loose_state(const char *path)
{
    size_t n;
    unsigned char *bytes = slurp(path, &n);
    bytes[n] = '\0';
    int old = !strcmp((char *)bytes, "old");
    int cut = n == 0 || (strstr(path, ".html") && !strstr((char *)bytes, "</html>")) ||
              (strstr(path, ".json") && !strchr("}\n", bytes[n - 1]));
    free(bytes);
    return old ? 1 : cut ? 2 : 3;
}

static int add_listed(const char *path, const struct stat *info, int kind, struct FTW *at)
{
    (void)info;
    if (kind != FTW_F || strstr(path, ".jsonl")) /* a log: it warns of lines that are lost */
        return 0;
    assert_true(listed->n < LISTED);
    snprintf(listed->name[listed->n], sizeof *listed->name, "%s",
             path + strlen(scratch("out")) + 1);
    sum = 14695981039346656037u;
    if (listed_loose && strstr(listed_loose, path + at->base))
        sum = loose_state(path);
    else
        add_file(path);
    listed->state[listed->n++] = sum;
    return 0;
}

static void list_out(listing *l, const job *j)
{
    *l = (listing){ 0 };
    listed = l;
    listed_loose = j->loose;
    nftw(scratch("out"), add_listed, 16, FTW_PHYS);
}

static digest state_in(const listing *l, const char *name)
{
    for (size_t i = 0; i < l->n; i++)
        if (!strcmp(l->name[i], name))
            return l->state[i];
    return 0;
}

static void put_old_files(void)
{
    shell("find out -type f -exec sh -c 'for f; do printf old >\"$f\"; done' - {} +");
}

/* The files that were there before, all of them as `old`. */
static void one_failure_of_others(const job *j, long n, int error, const listing *fresh)
{
    static listing old, now;
    char when[200];
    snprintf(when, sizeof when, "%s, %s at call %ld", j->name, error ? strerror(error) : "killed",
             n);
    put_old_files();
    list_out(&old, j);
    int code = run_job(j, "two", &ways[0], n, error, NULL);
    if (error ? code != 0 && code != 1 : code != 0 && code != -SIGKILL)
        fail_msg("%s: ended with %d: %s", when, code, told("stderr"));
    if (code == 1 && !strstr(told("stderr"), "recon "))
        fail_msg("%s: no message", when);
    list_out(&now, j);
    for (size_t i = 0; i < fresh->n; i++) {
        digest is = state_in(&now, fresh->name[i]);
        if (code == 0 && is != fresh->state[i])
            fail_msg("%s: success, but %s is not the new one", when, fresh->name[i]);
        if (is != fresh->state[i] && is != state_in(&old, fresh->name[i]))
            fail_msg("%s: %s is neither old nor new", when, fresh->name[i]);
    }
}

static void disturb_first_calls(const job *j)
{
    for (long n = 1; n <= -j->sample; n++)
        if (run_job(j, "two", &ways[0], n, ENOSPC, NULL) != 1 ||
            !strstr(told("stderr"), "No space"))
            fail_msg("%s, call %ld: %s", j->name, n, told("stderr"));
}

static void disturb(const job *j)
{
    static listing fresh, again;
    long calls;
    shell("rm -rf out && mkdir out");
    if (j->sample < 0 && !slow()) {
        disturb_first_calls(j);
        return;
    }
    if (run_job(j, "two", &ways[0], 0, 0, &calls) != 0)
        fail_msg("%s: %s", j->name, told("stderr"));
    list_out(&fresh, j);
    assert_true(calls > 3 && fresh.n > 0);
    long count = j->sample < 0 ? -2 * j->sample : slow() || j->sample > calls ? calls : j->sample;
    for (int e = 0; e < 2; e++)
        for (long k = 0; k < count; k++)
            one_failure_of_others(j, 1 + (2 * k + 1) * calls / (2 * count), e ? 0 : ENOSPC, &fresh);
    if (run_job(j, "two", &ways[0], 0, 0, NULL) != 0)
        fail_msg("%s: the next run says: %s", j->name, told("stderr"));
    list_out(&again, j);
    assert_int_equal(again.n, fresh.n);
    for (size_t i = 0; i < fresh.n; i++)
        if (state_in(&again, fresh.name[i]) != fresh.state[i])
            fail_msg("%s: the next run's %s is another", j->name, fresh.name[i]);
    check_clean(j->name);
    print_message("# counted: %s: full, and killed, at %ld of %ld calls\n", j->name, count, calls);
}

/* Whether a job, or the line of one that writes nothing, is of the command. */
static int is_tried(const char *command, size_t n)
{
    static const char *const nothing[] = { "info", "models" };
    const job *const lists[] = { jobs, others };
    const size_t n_of[] = { JOBS, OTHERS };
    for (size_t l = 0; l < 2; l++)
        for (size_t i = 0; i < n_of[l]; i++)
            if (strlen(lists[l][i].words[0]) == n && !strncmp(lists[l][i].words[0], command, n))
                return 1;
    for (size_t i = 0; i < sizeof nothing / sizeof *nothing; i++)
        if (strlen(nothing[i]) == n && !strncmp(nothing[i], command, n))
            return 1;
    return 0;
}

/* Lines of `recon help` that begin with two spaces and a name. */
static void every_command_is_tried(void **state)
{
    char line[4200];
    size_t room = 0, found = 0;
    char *text = NULL;
    (void)state;
    snprintf(line, sizeof line, "'%s' help", binary);
    FILE *help = popen(line, "r");
    while (getline(&text, &room, help) > 0) {
        size_t n = strcspn(text + 2, " ");
        if (strncmp(text, "  ", 2) || !n)
            continue;
        found++;
        if (!is_tried(text + 2, n))
            fail_msg("recon %.*s: what it writes is not tried here", (int)n, text + 2);
    }
    free(text);
    assert_int_equal(pclose(help), 0);
    assert_true(found > 10);
}

/* It reads a folder, a model, an array, a set. */
static void check_info(void)
{
    static const char *const of[] = { "found", "model.safetensors", "few-one.npy",
                                      "npy:few-one.npy" };
    char settings[2][4400];
    char *const list[] = { settings[0], settings[1], NULL };
    snprintf(settings[0], sizeof *settings, "LD_PRELOAD=%s", shim);
    snprintf(settings[1], sizeof *settings, "SHIM_COUNT=%s", scratch("count"));
    for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
        const char *const words[] = { "info", of[i], NULL };
        assert_int_equal(end_of(start(words, scratch("stderr"), scratch_folder, list)), 0);
        assert_string_equal(told("count"), "0 0\n");
    }
}

static void every_command_is_whole(void **state)
{
    (void)state;
    shell("rm -rf out found");
    if (run_job(&jobs[DISCOVER], "two", &ways[0], 0, 0, NULL) != 0)
        fail_msg("%s", told("stderr"));
    shell("mv out found");
    static job first;
    first = others[INDEX];
    first.file = "first.index";
    if (run_job(&first, "one", &ways[0], 0, 0, NULL) != 0)
        fail_msg("%s", told("stderr"));
    for (int i = 0; i < OTHERS; i++) {
        disturb(&others[i]);
        shell("[ ! -f out/c.safetensors ] || cp out/c.safetensors .");
    }
    check_info();
}

/* --- two files -------------------------------------------------------------------------------- */

static digest file_state(const char *name)
{
    sum = 14695981039346656037u;
    add_file(scratch(name));
    return sum;
}

static int write_two(const char *data, long at, int error, long *calls)
{
    static const job two_files = { .name = "canonicalize, two files",
                                   .words = { "canonicalize", "--model", "model.safetensors",
                                              "--data", "npy:few-%.npy", "--poses", "g.npy" },
                                   .file = "x.npy" };
    return run_job(&two_files, data, &ways[0], at, error, calls);
}

/* --out FILE --poses FILE: both are on the disk before the first takes its place, so that nothing
 * but the two renames can come between them. */
static void two_files_have_one_window(void **state)
{
    (void)state;
    digest old[2], fresh[2];
    long calls, mixed = 0;
    assert_int_equal(write_two("two", 0, 0, &calls), 0);
    fresh[0] = file_state("x.npy");
    fresh[1] = file_state("g.npy");
    assert_int_equal(write_two("one", 0, 0, NULL), 0);
    old[0] = file_state("x.npy");
    old[1] = file_state("g.npy");
    for (int e = 0; e < 2; e++)
        for (long n = 1; n <= calls; n++) {
            assert_int_equal(write_two("one", 0, 0, NULL), 0);
            write_two("two", n, e ? ENOSPC : 0, NULL);
            digest x = file_state("x.npy"), g = file_state("g.npy");
            assert_true(x == old[0] || x == fresh[0]);
            assert_true(g == old[1] || g == fresh[1]);
            assert_false(x == old[0] && g == fresh[1]); /* the poses come last */
            mixed += x == fresh[0] && g == old[1];
        }
    assert_true(mixed <= 3); /* killed at the sync of the folder or the second rename; that fails */
    check_clean("two files");
    print_message("# counted: two files: killed, and full, at each of %ld calls: %ld times the one "
                  "window between two renames\n",
                  calls, mixed);
}

/* --- two at once ------------------------------------------------------------------------------ */

static void wait_ms(long ms)
{
    nanosleep(&(struct timespec){ ms / 1000, ms % 1000 * 1000000 }, NULL);
}

/* Started up to 150 ms apart, with a reader among them. */
static void two_writers_leave_one_result(void **state)
{
    (void)state;
    const job *j = &jobs[DISCOVER];
    char *const settings[] = { NULL };
    long pairs = slow() ? 100 : 3, wins[2] = { 0 }, refused = 0, pages = 0;
    make_results(j);
    digest results[] = { state_of("old"), state_of("new") };
    shell("rm -rf out && cp -a old out");
    for (long i = 0; i < pairs; i++) {
        if (i % 10 == 3)
            shell("rm -rf out"); /* both are the first */
        pid_t a = start(line_of(j, "one"), scratch("stderr"), scratch_folder, settings);
        wait_ms(i * 37 % 151);
        pid_t b = start(line_of(j, "two"), scratch("stderr-2"), scratch_folder, settings);
        const char *const reader[] = { "report", "out", "--out", "page.html", "--quiet", NULL };
        pid_t c = start(reader, scratch("stderr-3"), scratch_folder, settings);
        int codes[] = { end_of(a), end_of(b), end_of(c) };
        for (int k = 0; k < 2; k++)
            if (codes[k] != 0 && (codes[k] != 1 || !strstr(told(k ? "stderr-2" : "stderr"),
                                                           "another recon is writing")))
                fail_msg("pair %ld: %d: %s", i, codes[k], told(k ? "stderr-2" : "stderr"));
        if (codes[2] != 0 && codes[2] != 1)
            fail_msg("pair %ld: the reader ended with %d: %s", i, codes[2], told("stderr-3"));
        digest now = state_of("out");
        if (now != results[0] && now != results[1])
            fail_msg("pair %ld: mixed", i);
        wins[now == results[1]]++;
        refused += codes[0] || codes[1];
        pages += codes[2] == 0;
        check_clean("after a pair");
    }
    print_message("# counted: %ld pairs of writers: the first's result %ld times, the second's "
                  "%ld, refused %ld, mixed 0; the reader had its page %ld times\n",
                  pairs, wins[0], wins[1], refused, pages);
}

/* --- a writer that takes long ----------------------------------------------------------------- */

static void a_folder_in_use_is_refused(void **state)
{
    (void)state;
    make_results(&jobs[NORMALIZE]);
    shell("cp -a old out");
    int fd = open(scratch("out"), O_RDONLY | O_DIRECTORY);
    assert_int_equal(flock(fd, LOCK_EX), 0);
    digest before = state_of("out");
    assert_int_equal(run_job(&jobs[NORMALIZE], "two", &ways[0], 0, 0, NULL), 1);
    const char *line = strstr(told("stderr"), "/out: ");
    assert_non_null(line);
    assert_string_equal(line,
                        "/out: another recon is writing into this folder; waited 10 seconds\n");
    assert_true(state_of("out") == before);
    close(fd);
    check_clean("after a refusal");
}

/* --- what they are made from ------------------------------------------------------------------ */

static void write_points(recon_ctx *ctx, const char *which, size_t n)
{
    float *z = malloc(n * 4 * sizeof *z);
    double *g = malloc(n * sizeof *g);
    char name[64];
    recon_rng rng = recon_rng_new(n, 0);
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < 4; k++)
            z[4 * i + k] = (float)(k == i % 4) + 0.1f * (float)recon_rng_uniform(&rng);
        g[i] = recon_rng_uniform(&rng);
    }
    snprintf(name, sizeof name, "z-%s.npy", which);
    CHECK_OK(ctx,
             recon_npy_write(
                 ctx, scratch(name),
                 &(recon_array){ .dtype = RECON_F32, .ndim = 2, .shape = { n, 4 }, .data = z }));
    snprintf(name, sizeof name, "g-%s.npy", which);
    CHECK_OK(ctx, recon_npy_write(
                      ctx, scratch(name),
                      &(recon_array){ .dtype = RECON_F64, .ndim = 1, .shape = { n }, .data = g }));
    free(z);
    free(g);
}

static void write_images(recon_ctx *ctx, const char *which, size_t n)
{
    char name[64];
    snprintf(name, sizeof name, "few-%s.npy", which);
    const recon_array few = {
        .dtype = RECON_F32, .ndim = 3, .shape = { n, TINY_SIDE, TINY_SIDE }, .data = tiny_images
    };
    CHECK_OK(ctx, recon_npy_write(ctx, scratch(name), &few));
}

/* Pictures in folders, some of them in both sets. */
static void write_photos(recon_ctx *ctx, const char *which, const char *const *names)
{
#ifdef RECON_HAVE_PNG
    char path[64];
    uint8_t bytes[TINY_PIXELS];
    for (int k = 0; names[k]; k++) {
        snprintf(path, sizeof path, "photos-%s", which);
        mkdir(scratch(path), 0777);
        snprintf(path, sizeof path, "photos-%s/%c", which, names[k][0]);
        mkdir(scratch(path), 0777);
        for (int i = 0; i < TINY_PIXELS; i++)
            bytes[i] = (uint8_t)(200 * tiny_images[k + (which[0] == 't')][i]);
        snprintf(path, sizeof path, "photos-%s/%s", which, names[k]);
        CHECK_OK(ctx, recon_png_write(ctx, scratch(path), bytes, TINY_SIDE, TINY_SIDE, 1));
    }
#else
    (void)ctx;
    (void)which;
    (void)names;
#endif
}

static int setup(void **state)
{
    static const char *const one[] = { "a/1.png", "a/2.png", "b/3.png", "b/4.png", NULL };
    static const char *const two[] = { "a/1.png", "c/3.png", "c/5.png", NULL };
    const char *build = getenv("RECON_BUILD");
    char here[4096], models[4200], sets[4200];
    if (!realpath(build ? build : "build", binary) || tiny_setup(state) != 0)
        return -1;
    snprintf(shim, sizeof shim, "%.4000s/tests/trust/shim.so", binary);
    strcat(binary, "/recon");
    /* Commands run elsewhere, and demo looks for these. */
    assert_non_null(getcwd(here, sizeof here));
    snprintf(models, sizeof models, "%s/models", here);
    snprintf(sets, sizeof sets, "%s/data", here);
    assert_int_equal(symlink(models, scratch("models")) | symlink(sets, scratch("data")), 0);
    write_points(*state, "one", 200);
    write_points(*state, "two", 150);
    write_images(*state, "one", 60);
    write_images(*state, "two", 40);
    const char rule[] = "{ \"default\": { \"uniform\": 40 } }";
    scratch_write("rule.json", rule, strlen(rule));
    write_photos(*state, "one", one);
    write_photos(*state, "two", two);
    return 0;
}

static int teardown(void **state)
{
    char line[600];
    snprintf(line, sizeof line, "rm -rf '%s'", scratch_above);
    return system(line) != 0 || check_teardown(state);
}

int main(int argc, char **argv)
{
    const char *build = getenv("RECON_BUILD");
    if (build && strcmp(build, "build/debug") == 0) {
        puts("1..0 # the order of system calls is the release build's");
        return 0;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(normalize_is_whole),
        cmocka_unit_test(discover_is_whole),
        cmocka_unit_test(a_result_is_synced_once),
        cmocka_unit_test(pictures_are_whole),
        cmocka_unit_test(every_command_is_tried),
        cmocka_unit_test(every_command_is_whole),
        cmocka_unit_test(two_files_have_one_window),
        cmocka_unit_test(two_writers_leave_one_result),
        cmocka_unit_test(a_folder_in_use_is_refused),
    };
    if (argc > 1)
        cmocka_set_test_filter(argv[1]);
    return cmocka_run_group_tests(tests, setup, teardown);
}
