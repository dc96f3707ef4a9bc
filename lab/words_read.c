/* words_read.c - runs the readers, other programs, on lists of pictures. One process per thread
 * gets its share of the files, so that a reader's models are loaded once; its output goes to files
 * beside the pictures. */
#include "lab/words.h"
#include "core/ctx.h"
#include "core/fail.h"
#include "core/file.h"
#include "core/folder.h"
#include "core/shipped.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

enum { PARTS = 64, WORDS_OF_LINE = 12 };
#define SETUP  "`tools/setup words` installs what is missing"
#define SCRIPT "words_read.js"

const char *const words_reader_name[WORDS_READERS] = { "ppocr", "tesseract" };
const char *const words_reader_title[WORDS_READERS] = { "PP-OCRv4", "Tesseract --psm 7" };

/* --- processes -------------------------------------------------------------------------------- */

/* A part of the pictures: first .. end - 1, and the process that reads them. */
typedef struct {
    size_t first, end;
    char list[RECON_PATH], out[RECON_PATH], err[RECON_PATH];
    pid_t pid; /* 0: none */
} part;

static recon_status start(recon_ctx *ctx, part *p, const char *const *argv, const char *in)
{
    extern char **environ;
    posix_spawn_file_actions_t files;
    int failed;
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_addopen(&files, 0, in, O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&files, 1, p->out, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    posix_spawn_file_actions_addopen(&files, 2, p->err, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    failed = posix_spawnp(&p->pid, argv[0], &files, NULL, (char *const *)(uintptr_t)argv, environ);
    posix_spawn_file_actions_destroy(&files);
    if (failed)
        p->pid = 0;
    return failed ? recon_fail(ctx, RECON_ERR_UNSUPPORTED, "%s cannot be started: %s: " SETUP,
                               argv[0], strerror(failed))
                  : RECON_OK;
}

/* The last line of a file that is not empty, to out. */
static void last_line(char *out, size_t room, const char *path)
{
    FILE *file = fopen(path, "r");
    char line[512];
    *out = '\0';
    while (file && fgets(line, sizeof line, file)) {
        line[strcspn(line, "\n")] = '\0';
        if (*line)
            snprintf(out, room, "%s", line);
    }
    if (file)
        fclose(file);
}

/* Waits for the process; *code is how it has ended. */
static recon_status end(recon_ctx *ctx, part *p, int *code)
{
    int how = 0;
    while (waitpid(p->pid, &how, 0) < 0 && errno == EINTR)
        if (recon_interrupted(ctx) != RECON_OK)
            kill(p->pid, SIGTERM);
    p->pid = 0;
    *code = WIFEXITED(how) ? WEXITSTATUS(how) : -1;
    return recon_interrupted(ctx);
}

static recon_status fail_with(recon_ctx *ctx, const part *p, const char *program)
{
    char line[512];
    last_line(line, sizeof line, p->err);
    return recon_fail(ctx, RECON_ERR_UNSUPPORTED, "%s: %s", program,
                      *line ? line : "ended without a word");
}

/* --- parts ------------------------------------------------------------------------------------ */

typedef struct {
    part of[PARTS];
    size_t n;
    const char *dir;
} parts;

static void divide(parts *out, const char *dir, size_t n, size_t threads)
{
    *out = (parts){ .n = threads < 1 ? 1 : threads > PARTS ? PARTS : threads, .dir = dir };
    for (size_t j = 0; j < out->n; j++) {
        part *p = &out->of[j];
        p->first = j * n / out->n;
        p->end = (j + 1) * n / out->n;
        snprintf(p->list, sizeof p->list, "%s/part-%zu.list", dir, j);
        snprintf(p->out, sizeof p->out, "%s/part-%zu.out", dir, j);
        snprintf(p->err, sizeof p->err, "%s/part-%zu.err", dir, j);
    }
}

static recon_status write_list(recon_ctx *ctx, const part *p, const char *dir)
{
    FILE *file = fopen(p->list, "w");
    int whole = file != NULL;
    for (size_t i = p->first; whole && i < p->end; i++)
        whole = fprintf(file, "%s/%05zu.pgm\n", dir, i) > 0;
    whole = file && fclose(file) == 0 && whole;
    return whole ? RECON_OK : recon_refused(ctx, p->list, "cannot be written");
}

/* What becomes of a part's answers; *done: of how many pictures there were any. */
typedef recon_status take_answers(recon_ctx *ctx, void *user, const part *p, int code,
                                  size_t *done);

typedef struct {
    const char *program;
    const char *argv[WORDS_OF_LINE]; /* NULL stands for the list */
    size_t words;
    int by_input; /* the list is the standard input, not an argument */
    take_answers *take;
    void *user;
} reader;

static recon_status start_part(recon_ctx *ctx, part *p, const char *dir, const reader *r)
{
    const char *argv[WORDS_OF_LINE + 1] = { NULL };
    for (size_t i = 0; i < r->words; i++)
        argv[i] = r->argv[i] ? r->argv[i] : p->list;
    RECON_CHECK(write_list(ctx, p, dir));
    return start(ctx, p, argv, r->by_input ? p->list : "/dev/null");
}

static recon_status end_part(recon_ctx *ctx, part *p, const reader *r)
{
    size_t done = 0;
    int code;
    recon_status status = end(ctx, p, &code);
    if (status == RECON_OK)
        status = r->take(ctx, r->user, p, code, &done);
    p->first += done;
    return status;
}

static size_t left(const parts *all)
{
    size_t n = 0;
    for (size_t j = 0; j < all->n; j++)
        n += all->of[j].end - all->of[j].first;
    return n;
}

/* Every part by a process of its own, again and again until all pictures have their answers. */
static recon_status read_all(recon_ctx *ctx, const char *dir, size_t n, const reader *r)
{
    parts all;
    recon_status status = RECON_OK;
    divide(&all, dir, n, (size_t)recon_ctx_threads(ctx));
    while (status == RECON_OK && left(&all)) {
        for (size_t j = 0; status == RECON_OK && j < all.n; j++)
            if (all.of[j].first < all.of[j].end)
                status = start_part(ctx, &all.of[j], dir, r);
        for (size_t j = 0; j < all.n; j++)
            if (all.of[j].pid) {
                recon_status ended = end_part(ctx, &all.of[j], r);
                status = status == RECON_OK ? ended : status;
            }
    }
    return status;
}

/* --- PP-OCRv4 --------------------------------------------------------------------------------- */

typedef struct {
    words_text *text, *own;
} texts;

static void keep(words_text out, const char *text)
{
    snprintf(out, sizeof(words_text), "%s", text ? text : "");
}

/* A line of JSON for each picture. */
static recon_status take_ppocr(recon_ctx *ctx, void *user, const part *p, int code, size_t *done)
{
    const texts *t = user;
    char line[4096];
    FILE *file = code ? NULL : fopen(p->out, "r");
    for (size_t i = p->first; file && i < p->end && fgets(line, sizeof line, file); i++, ++*done) {
        json_t *answer = json_loads(line, 0, NULL);
        keep(t->text[i], json_string_value(json_object_get(answer, "text")));
        if (t->own)
            keep(t->own[i], json_string_value(json_object_get(answer, "own")));
        json_decref(answer);
    }
    if (file)
        fclose(file);
    return *done == p->end - p->first ? RECON_OK : fail_with(ctx, p, SCRIPT);
}

static recon_status read_ppocr(recon_ctx *ctx, words_text *out, words_text *own, const char *dir,
                               size_t n)
{
    texts t = { out, own };
    char script[RECON_PATH];
    RECON_CHECK(
        recon_shipped_find(ctx, script, sizeof script, "lab", SCRIPT, "it is part of the source"));
    return read_all(ctx, dir, n,
                    &(reader){ .program = "node",
                               .argv = { "node", script, "--own" },
                               .words = own ? 3 : 2,
                               .by_input = 1,
                               .take = take_ppocr,
                               .user = &t });
}

/* --- Tesseract -------------------------------------------------------------------------------- */

/* One thread each: the pictures are small, and there is a process for each thread. */
#define TESSERACT "env", "OMP_THREAD_LIMIT=1", "tesseract", NULL, "stdout", "--psm"

static void trim(char *text)
{
    size_t n = strlen(text), from = strspn(text, " \n\r\t");
    while (n > from && strchr(" \n\r\t", text[n - 1]))
        n--;
    memmove(text, text + from, n - from);
    text[n - from] = '\0';
}

/* Pages are parted by form feeds. */
static recon_status take_tesseract(recon_ctx *ctx, void *user, const part *p, int code,
                                   size_t *done)
{
    const texts *t = user;
    char *line = NULL;
    size_t room = 0;
    FILE *file = code ? NULL : fopen(p->out, "r");
    for (size_t i = p->first; file && i < p->end; i++, ++*done) {
        ssize_t got = getdelim(&line, &room, '\f', file);
        if (got < 0 && i + 1 < p->end)
            break;
        if (got > 0 && line[got - 1] == '\f')
            line[got - 1] = '\0';
        if (got > 0)
            trim(line);
        keep(t->text[i], got > 0 ? line : "");
    }
    if (file)
        fclose(file);
    free(line);
    return *done == p->end - p->first ? RECON_OK : fail_with(ctx, p, "tesseract");
}

static recon_status read_tesseract(recon_ctx *ctx, words_text *out, const char *dir, size_t n)
{
    texts t = { .text = out };
    return read_all(ctx, dir, n,
                    &(reader){ .program = "tesseract",
                               .argv = { TESSERACT, "7", "-l", "eng" },
                               .words = 9,
                               .take = take_tesseract,
                               .user = &t });
}

typedef struct {
    int *quarters;
    size_t told; /* of how many pages there was an answer */
    char why[512];
} orientations;

/* A block of lines for each page; "Rotate: 90" is clockwise. A page of which nothing can be told
 * ends the list, and stays as it is. */
static recon_status take_osd(recon_ctx *ctx, void *user, const part *p, int code, size_t *done)
{
    orientations *o = user;
    int degrees;
    char line[256];
    FILE *file = fopen(p->out, "r");
    (void)ctx, (void)code;
    while (file && p->first + *done < p->end && fgets(line, sizeof line, file))
        if (sscanf(line, "Rotate: %d", &degrees) == 1)
            o->quarters[p->first + (*done)++] = (4 - degrees / 90 % 4) % 4;
    if (file)
        fclose(file);
    o->told += *done;
    if (p->first + *done < p->end) {
        o->quarters[p->first + (*done)++] = 0;
        last_line(o->why, sizeof o->why, p->err);
    }
    return RECON_OK;
}

recon_status words_osd(recon_ctx *ctx, int *quarters, const char *dir, size_t n)
{
    orientations o = { .quarters = quarters };
    /* A word has fewer letters than OSD would ask for. */
    recon_status status =
        read_all(ctx, dir, n,
                 &(reader){ .program = "tesseract",
                            .argv = { TESSERACT, "0", "-c", "min_characters_to_try=1" },
                            .words = 9,
                            .take = take_osd,
                            .user = &o });
    if (status == RECON_OK && n && !o.told) /* not about these pictures: it does not work */
        status = recon_fail(ctx, RECON_ERR_UNSUPPORTED, "tesseract --psm 0: %s", o.why);
    return status;
}

/* --- both ------------------------------------------------------------------------------------- */

recon_status words_read(recon_ctx *ctx, words_text *out, words_text *own, int which,
                        const char *dir, size_t n)
{
    return which == WORDS_PPOCR ? read_ppocr(ctx, out, own, dir, n)
                                : read_tesseract(ctx, out, dir, n);
}

recon_status words_reader_check(recon_ctx *ctx, int which, const char *dir)
{
    static const uint8_t blank[WORDS_BAND * WORDS_SIDE];
    words_text text;
    char path[RECON_PATH];
    recon_status status;
    RECON_TRY(letters_write_pgm(ctx, recon_folder_join(path, dir, "00000.pgm"), blank, WORDS_BAND,
                                WORDS_SIDE));
    status = words_read(ctx, &text, NULL, which, dir, 1);
    if (status != RECON_OK && status != RECON_ERR_INTERRUPTED)
        recon_note(ctx, status, SETUP);
done:
    return status;
}
