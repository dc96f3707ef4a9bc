/* cmd_demo.c - recon demo: a minute's tour on what comes with recon. */
#include "lab/lab.h"
#include "lab/demo.h"
#include "lab/table.h"
#include "core/ctx.h"
#include "core/fail.h"
#include "core/folder.h"
#include "core/json.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static int run(int argc, char **argv);
const cli_command lab_demo = {
    .name = "demo",
    .purpose = CLI_DEMO_PURPOSE,
    .arguments = "",
    .example =
        "  recon demo\n"
        "\n"
        "The demo takes 2,000 garments and 200 molecules, rotated in ways unknown to recon, estimates\n"
        "their natural poses and how far they vary, and shows what that is good for. The output folder\n"
        "gets report.html, which you can open in a browser, results.json, and the files of every step:\n"
        "the images, their embeddings, the model, the molecules.",
    .run = run,
};

typedef struct {
    const char *out;
    size_t limit;
    cli_common common;
} settings;

static int parse(settings *s, int argc, char **argv)
{
    const cli_option options[] = {
        { "--out", "DIR", NULL, "folder for the page and its files (default recon-demo)",
          CLI_TEXT | CLI_WRITES, 0, &s->out },
        { "--limit", "N", NULL,
          "number of garments (default all 2,000); fewer are faster but "
          "less accurate",
          CLI_COUNT, 0, &s->limit },
        { 0 },
    };
    return cli_parse(&lab_demo, options, &s->common, argc, argv, NULL, 0, NULL);
}

/* Before the long work, not after it: something is written there. */
static recon_status make_folder(recon_ctx *ctx, demo *d, const char *folder)
{
    demo_path path;
    char *whole = NULL;
    json_t *begun = NULL;
    recon_status status = RECON_OK;
    RECON_TRY(recon_folder_make(ctx, folder));
    if (!(whole = realpath(folder, NULL)))
        RECON_TRY(
            recon_fail(ctx, RECON_ERR_IO, "%s: cannot be found: %s", folder, strerror(errno)));
    if ((size_t)snprintf(d->out, sizeof d->out, "%s", whole) >= sizeof d->out)
        RECON_TRY(recon_fail(ctx, RECON_ERR_IO, "%.60s..: too long a path", whole));
    snprintf(d->report, sizeof d->report, "%s/report.html", d->out);
    begun = json_pack("{s:s}", "version", recon_version());
    RECON_TRY(recon_json_write(ctx, demo_file(path, d, "results.json"), begun));
done:
    json_decref(begun);
    free(whole);
    return status;
}

/* --- answers ---------------------------------------------------------------------------------- */

static void put_alarm(json_t **out, const demo_alarm *a)
{
    lab_put(out, "alarms", "asked% threshold caught% called%", DEMO_ALARMS, a->threshold, a->caught,
            a->called);
}

/* Percent and degrees, as reproduce has them. */
static double width_error(const demo *d)
{
    recon_theta_class widths[DEMO_KINDS];
    size_t n = demo_widths(widths, d);
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += fabs(widths[i].predicted - widths[i].truth);
    return n ? sum / (double)n : NAN;
}

static json_t *results(const demo *d)
{
    const reproduction *r = &d->tests;
    const demo_molecules *m = &d->molecules;
    json_t *molecules,
        *out = json_pack("{s:s, s:s, s:{s:I, s:I, s:f, s:f}, s:{s:I, s:f, s:f, s:f}}", "version",
                         recon_version(), "report", d->report, "algorithm1", "rows",
                         (json_int_t)d->poses.frames.rows, "k", (json_int_t)d->poses.frames.k,
                         "hit_rate", d->poses.frames.hit_rate, "seconds", d->poses.seconds,
                         "discover", "images", (json_int_t)d->found.points, "theta_median_deg",
                         d->found.theta_median * RECON_TO_DEGREES, "seconds",
                         d->found.seconds.total, "maps_seconds", d->found.seconds.maps);
    recon_json_put(&out, "test_images", json_integer((json_int_t)r->rotated.n));
    lab_put(&out, "accuracy",
            "none% ieae% recon% recon_head% recon_here% recon_search% undo% upright%",
            r->on->accuracy.none, r->accuracy.ieae, r->accuracy.recon, r->accuracy.head, d->own,
            r->accuracy.search, r->on->accuracy.undo, r->on->accuracy.upright);
    recon_json_put(&out, "pose_error_deg", lab_value(lab_number(r->out, "pose_error.median_deg")));
    lab_put(&out, NULL, "theta_mae_deg", width_error(d));
    lab_put(&out, "ood_auc", "ieae recon density", lab_number(r->out, "ood_auc.ieae"),
            lab_number(r->out, "ood_auc.recon"), lab_number(r->out, "ood_auc.density"));
    put_alarm(&out, &d->alarm);
    recon_json_put(&out, "molecules", json_pack("{s:I}", "conformers", (json_int_t)m->n));
    molecules = json_object_get(out, "molecules");
    lab_put(&molecules, NULL, "axis_error_deg ood_auc", m->axis_error, m->auc);
    put_alarm(&molecules, &m->alarm);
    lab_put(&out, NULL, "seconds", d->seconds);
    return out;
}

static void print_text(const demo *d)
{
    const reproduction *r = &d->tests;
    const demo_molecules *m = &d->molecules;
    printf("Algorithm 1   %zu embeddings in %.2f s; %.0f %% of their neighbours are of the same "
           "kind\n",
           d->poses.points, d->poses.seconds, 100 * d->poses.frames.hit_rate);
    printf("discover      natural poses of %zu garments in %.1f s, no label used\n",
           d->found.points, d->found.seconds.total);
    printf(
        "canonicalize  a frozen classifier gets %.1f %% of %zu rotated garments right, %.1f %% after "
        "canonicalization\n",
        100 * r->on->accuracy.none, r->rotated.n, 100 * r->accuracy.recon);
    printf("unusual poses area under the ROC curve %.3f; %.0f %% of unusual ones caught at "
           "%.0f %% false "
           "alarms\n",
           lab_number(r->out, "ood_auc.density"), 100 * d->alarm.caught, 100 * d->alarm.called);
    printf("molecules     natural axis of %zu conformers found to %.1f degrees; %.0f %% of unusual "
           "poses caught at "
           "%.0f %% false alarms\n",
           m->n, m->axis_error * RECON_TO_DEGREES, 100 * m->alarm.caught, 100 * m->alarm.called);
    printf("%s\n", d->report);
}

static recon_status show(recon_ctx *ctx, const demo *d, const cli_common *common)
{
    demo_path path;
    json_t *answer = results(d);
    recon_status status = recon_json_write(ctx, demo_file(path, d, "results.json"), answer);
    if (status == RECON_OK && common->json)
        return cli_print_json(ctx, answer);
    if (status == RECON_OK && !common->quiet)
        print_text(d);
    json_decref(answer);
    return status;
}

/* --- the tour --------------------------------------------------------------------------------- */

static recon_status walk(recon_ctx *ctx, demo *d, size_t limit)
{
    recon_status status;
    RECON_TRY(recon_ops_attach(ctx, "cpu"));
    recon_log(ctx, RECON_LOG_INFO, "1/4 finding the natural poses of garments: a discover run");
    RECON_TRY(demo_discover(ctx, d, limit));
    recon_log(ctx, RECON_LOG_INFO, "2/4 Algorithm 1 alone, on embeddings and poses");
    RECON_TRY(demo_normalize(ctx, d));
    recon_log(ctx, RECON_LOG_INFO,
              "3/4 canonicalizing other garments in front of a frozen classifier");
    RECON_TRY(demo_canonicalize(ctx, d));
    recon_log(ctx, RECON_LOG_INFO, "4/4 molecules");
    RECON_TRY(demo_molecules_run(ctx, &d->molecules, d));
    d->seconds = recon_now() - d->begun;
    RECON_TRY(demo_page(ctx, d));
done:
    return status;
}

static void demo_free(recon_ctx *ctx, demo *d)
{
    demo_molecules_free(ctx, &d->molecules);
    reproduce_free(ctx, &d->tests);
    trial_free(ctx, &d->trial);
    recon_normalize_result_free(&d->poses);
    recon_discovery_free(&d->found);
    recon_dataset_close(d->rotated);
    recon_dataset_close(d->found_on);
    recon_dataset_close(d->some);
    recon_dataset_close(d->garments);
}

static recon_status work(recon_ctx *ctx, const void *given)
{
    const settings *s = given;
    demo *d = calloc(1, sizeof *d);
    recon_status status;
    if (!d)
        return recon_fail(ctx, RECON_ERR_MEMORY, "out of memory");
    d->begun = recon_now();
    RECON_TRY(make_folder(ctx, d, s->out ? s->out : "recon-demo"));
    RECON_TRY(walk(ctx, d, s->limit));
    RECON_TRY(show(ctx, d, &s->common));
done:
    demo_free(ctx, d);
    free(d);
    return status;
}

static int run(int argc, char **argv)
{
    settings s = { 0 };
    int code = parse(&s, argc, argv);
    if (code < 0 && s.limit && s.limit < DEMO_LEAST)
        code = cli_misuse(&lab_demo, "--limit %zu: must be at least %d", s.limit, DEMO_LEAST);
    return code >= 0 ? code : cli_run(&lab_demo, &s.common, work, &s);
}
