/* show.c - progress, messages and answers on the terminal.
 *
 * Progress goes to standard error: a bar with rate and time left on a terminal, else a plain line
 * every few seconds, so that logs stay readable. Only results go to standard output. */
#include "cli/cli.h"
#include "core/fail.h"
#include "core/text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BAR = 28 };
#define LINE_FIRST  5.0      /* seconds between two lines, growing with the job ... */
#define LINE_GROWTH 0.05     /* ... by this share of the time that it has taken ... */
#define LINE_LAST   60.0     /* ... to this */
#define MAX_LEFT    359999.0 /* seconds: nobody believes more */
#define MAX_RATE    1e15     /* of those that can be shown */
#define MAX_THREADS 256      /* what a context takes */

static double last_line;
static int bar_is_up;

/* "18,550/s", "0.25/s". */
typedef char rate_text[32];
static const char *rate_of(rate_text out, const recon_progress *p)
{
    double rate = p->seconds > 0 ? (double)(p->done - p->before) / p->seconds : 0;
    int n = snprintf(out, sizeof(rate_text), rate < 100 ? "%.3g" : "%.0f", fmin(rate, MAX_RATE));
    for (int at = n - 3; rate >= 100 && at > 0; at -= 3, n++) {
        memmove(out + at + 1, out + at, (size_t)(n - at) + 1);
        out[at] = ',';
    }
    memcpy(out + n, "/s", sizeof "/s");
    return out;
}

/* "1:05 left", "2:10:00 left"; "" while nothing is known, or nobody would believe it. */
typedef char left_text[32];
static const char *time_left(left_text out, const recon_progress *p)
{
    double now = (double)(p->done - p->before), more = (double)(p->total - p->done);
    double seconds = now > 0 ? p->seconds * more / now : MAX_LEFT;
    if (seconds >= MAX_LEFT)
        return "";
    int left = (int)seconds;
    if (left < 3600)
        snprintf(out, sizeof(left_text), "%d:%02d left", left / 60, left % 60);
    else
        snprintf(out, sizeof(left_text), "%d:%02d:%02d left", left / 3600, left / 60 % 60,
                 left % 60);
    return out;
}

static void draw_bar(const recon_progress *p)
{
    double share = (double)p->done / (double)p->total;
    char bar[BAR + 1], value[48] = "";
    left_text left;
    rate_text rate;
    for (int i = 0; i < BAR; i++)
        bar[i] = (i + 0.5) / BAR < share ? '#' : '.';
    bar[BAR] = '\0';
    if (p->measure)
        snprintf(value, sizeof value, "  %s %.4g", p->measure, p->value);
    fprintf(stderr, "\r%-12s [%s] %3.0f%%  %s%s  %s \033[K", p->label, bar, 100 * share,
            rate_of(rate, p), value, time_left(left, p));
    bar_is_up = 1;
}

static void clear_bar(void)
{
    if (bar_is_up)
        fputs("\r\033[K", stderr);
    bar_is_up = 0;
}

/* "train: step 40 of 500, loss 0.1234, 1:05 left"; jobs without steps say how much is done. */
static void print_line(const recon_progress *p)
{
    left_text left;
    const char *rest = time_left(left, p);
    if (p->measure)
        fprintf(stderr, "%s: step %llu of %llu, %s %.4g", p->label, (unsigned long long)p->done,
                (unsigned long long)p->total, p->measure, p->value);
    else
        fprintf(stderr, "%s: %.0f%% after %.0f s", p->label,
                100 * (double)p->done / (double)p->total, p->seconds);
    fprintf(stderr, "%s%s\n", *rest ? ", " : "", rest);
}

static void on_progress(void *user, const recon_progress *p)
{
    (void)user;
    if (isatty(STDERR_FILENO)) {
        draw_bar(p);
        if (p->finished)
            clear_bar();
    } else if (!p->finished && p->seconds - last_line >=
                                   fmin(fmax(LINE_FIRST, LINE_GROWTH * p->seconds), LINE_LAST)) {
        last_line = p->seconds;
        print_line(p);
    }
    if (p->finished)
        last_line = 0;
}

static void on_log(void *user, recon_log_level level, const char *line)
{
    (void)user;
    if (level == RECON_LOG_DEBUG)
        return;
    clear_bar();
    int coloured = level == RECON_LOG_WARN && cli_is_coloured(STDERR_FILENO);
    fprintf(stderr, "%s%s%s%s\n", coloured ? "\033[33m" : "",
            level == RECON_LOG_WARN ? "warning: " : "", coloured ? "\033[m" : "", line);
}

/* A context that draws progress on standard error unless quiet, and is interrupted by Ctrl-C. NULL
 * after saying why. */
static recon_ctx *open_context(const cli_common *common)
{
    size_t threads = common->threads < MAX_THREADS ? common->threads : MAX_THREADS;
    recon_ctx_options o = { .threads = (int)threads, .spelling = RECON_SPELLING_COMMAND };
    if (!common->quiet && cli_ranks_rank() == 0) {
        o.on_log = on_log;
        o.on_progress = on_progress;
    }
    recon_ctx *ctx = recon_ctx_new(&o);
    if (ctx) {
        cli_ranks_attach(ctx);
        cli_process_watch(ctx);
    } else {
        fputs("recon: not enough memory or threads to start\n", stderr);
    }
    return ctx;
}

/* Those of the shipped `mnist` are 0.9 and 3.9 degrees, of `fashion` 1.4 and 8.8. Poses that are
 * off by more than these blur what is found: distributions of poses are some tens of degrees
 * wide. */
#define POSE_MEDIAN 5.0  /* degrees, the error of half of the poses */
#define POSE_P95    25.0 /* and of 95 of 100 */

int cli_is_equivariant(const recon_equivariance *e)
{
    return e->pose_median * RECON_TO_DEGREES < POSE_MEDIAN &&
           e->pose_p95 * RECON_TO_DEGREES < POSE_P95;
}

const char *cli_equivariance_words(const recon_equivariance *e)
{
    return cli_is_equivariant(e)
               ? "The network is equivariant enough to use."
               : "The network is not equivariant enough yet. More --epochs of `recon train`, more "
                 "images, or\n"
                 "--mask if objects reach into the corners, may help.";
}

const char *cli_utf8(const char *text)
{
    json_t *value = text ? json_string(text) : NULL;
    const char *out = value ? text : NULL;
    json_decref(value);
    return out;
}

recon_status cli_print_json(recon_ctx *ctx, json_t *value)
{
    char *text = recon_json_text(value);
    if (!text)
        return recon_fail(ctx, RECON_ERR_MEMORY, "out of memory");
    puts(text);
    free(text);
    return RECON_OK;
}

static int is_refused; /* the model, by --strict */

void cli_judge(const recon_trust *trust, const cli_data *data)
{
    is_refused |= data->strict && trust && trust->level == RECON_TRUST_NOT;
}

int cli_run(const cli_command *command, const cli_common *common, cli_work *work,
            const void *settings)
{
    recon_ctx *ctx = open_context(common);
    if (!ctx) {
        cli_ranks_end(EXIT_FAILED); /* without a context this rank cannot tell rank 0 */
        return EXIT_FAILED;
    }
    recon_status status = work(ctx, settings);
    int code = cli_process_code(status);
    if (status != RECON_OK) {
        if (cli_ranks_tell(ctx, status)) {
            clear_bar();
            fprintf(stderr, "recon %s: %s\n", command->name, recon_ctx_message(ctx));
        }
        cli_ranks_end(code);
    }
    cli_process_unwatch();
    recon_ctx_free(ctx);
    return code == EXIT_DONE && is_refused ? EXIT_FAILED : code;
}
