/* cmd_normalize.c - recon normalize: Algorithm 1 on embeddings and poses of any backbone. */
#include "cli/normalize.h"
#include "core/ctx.h"
#include "core/fail.h"
#include "core/folder.h"
#include "normalize/frames_write.h"
#include "stats/natural.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int run(int argc, char **argv);
const cli_command cli_normalize = {
    .name = "normalize",
    .purpose = "pose distributions from embeddings and poses of any backbone",
    .arguments = "",
    .example =
        "  recon normalize --embeddings z.npy --poses g.npy --group so2 --k 10 --out result\n"
        "\n"
        "z.npy is N x D; g.npy is N radians for so2, N x 3 x 3 (or N x 9, or quaternions\n"
        "N x 4, w first) for so3. result/ receives gamma.npy (the centre of each point's\n"
        "class), normalized.npy (its class's poses, centred), absolute.npy (its own pose,\n"
        "centred), verdict.npy (what is known of its natural pose), fold.npy, modes.npy,\n"
        "theta.npy (a width in radians), parameters.npy (the fitted distribution), score.npy\n"
        "(-log likelihood of its own pose), p.npy (its p-value), identifiability.npy,\n"
        "background.npy, neighbors.npy and summary.json.",
    .run = run,
};

static int parse(normalize_settings *s, int argc, char **argv)
{
    const cli_option options[] = {
        { "--embeddings", "FILE", NULL, "z, N x D", CLI_TEXT, 1, &s->z },
        { "--poses", "FILE", NULL, "g, one pose a row", CLI_TEXT, 1, &s->poses },
        { "--out", "DIR", NULL, "folder for the results", CLI_TEXT, 1, &s->out },
        { "--group", NULL, "so2|so3", "the poses' group (default so2)", CLI_CHOICE, 0, &s->group },
        { "--k", "N", NULL, "with knn: neighbours that make a class (default 10)", CLI_COUNT, 0,
          &s->k },
        { "--query", "ZQ GQ", NULL, "answer for these instead of the points themselves", CLI_PAIR,
          0, s->query },
        { "--mean", NULL, "tukey|frechet|chordal", "what Gamma is (default tukey)", CLI_CHOICE, 0,
          &s->mean },
        { "--tukey-c", "DEG", NULL, "fix Tukey's c (default: from the data)", CLI_NUMBER, 0,
          &s->tukey_degrees },
        { "--classes", NULL, "knn|components", "what a class is (default knn)", CLI_CHOICE, 0,
          &s->classes },
        { "--eps", "E", NULL, "with components: join points nearer than this", CLI_NUMBER, 0,
          &s->eps },
        { "--metric", NULL, "cosine|dot|euclidean", "similarity of embeddings (default cosine)",
          CLI_CHOICE, 0, &s->metric },
        { "--include-self", NULL, NULL, "a point counts among its own neighbours", CLI_FLAG, 0,
          &s->include_self },
        { "--family", NULL, "auto|uniform|normal|vonmises|mixture|fisher",
          "distribution to fit (default auto; so3 is fisher)", CLI_CHOICE, 0, &s->family },
        { "--labels", "FILE", NULL, "true classes, to measure the hit rate only", CLI_TEXT, 0,
          &s->labels },
        { "--query-labels", "FILE", NULL, "the same for the queries", CLI_TEXT, 0,
          &s->query_labels },
        { "--approx", NULL, "auto|exact|ivf|hnsw",
          "neighbour search (default auto: exact to a million rows)", CLI_CHOICE, 0, &s->approx },
        { 0 },
    };
    return cli_parse(&cli_normalize, options, &s->common, argc, argv, NULL, 0, NULL);
}

#define DEGREE 0.017453292519943295 /* in radians */

enum { FAMILY_AUTO = 0, FAMILY_FISHER = 5, DEFAULT_K = 10 };

/* What the table of options cannot say. */
static int check(const normalize_settings *s)
{
    int so3 = s->group == RECON_SO3;
    if (so3 && s->family != FAMILY_AUTO && s->family != FAMILY_FISHER)
        return cli_misuse(&cli_normalize, "--group so3 has one family: fisher");
    if (!so3 && s->family == FAMILY_FISHER)
        return cli_misuse(&cli_normalize, "--family fisher is for --group so3");
    if (s->classes == RECON_CLASSES_COMPONENTS && s->eps == 0)
        return cli_misuse(&cli_normalize, "--classes components needs --eps");
    if (s->classes == RECON_CLASSES_KNN && s->eps != 0)
        return cli_misuse(&cli_normalize, "--eps goes with --classes components");
    if (s->classes == RECON_CLASSES_COMPONENTS && (s->k || s->include_self || s->approx))
        return cli_misuse(&cli_normalize, "%s goes with --classes knn",
                          s->k              ? "--k"
                          : s->include_self ? "--include-self"
                                            : "--approx");
    if (s->include_self && s->query[0])
        return cli_misuse(&cli_normalize, "--include-self is about points, not about --query");
    if (s->tukey_degrees > 0 && s->mean != RECON_MEAN_TUKEY)
        return cli_misuse(&cli_normalize, "--tukey-c goes with --mean tukey");
    if (s->query_labels && !(s->query[0] && s->labels))
        return cli_misuse(&cli_normalize, "--query-labels goes with --query and --labels");
    if (s->query[0] && s->labels && !s->query_labels)
        return cli_misuse(&cli_normalize, "--labels with --query needs --query-labels too");
    if (s->tukey_degrees > 180)
        return cli_misuse(&cli_normalize, "--tukey-c %g is beyond 180 degrees", s->tukey_degrees);
    return -1;
}

static const char *family_name(const recon_frames *f)
{
    return f->group == RECON_SO3 ? "fisher" : recon_so2_family_name(f->family);
}

static char *summary(const normalize_settings *s, const normalize_result *r, const char *backend)
{
    const recon_frames *f = &r->frames;
    static const char *const mean[] = { "tukey", "frechet", "chordal" };
    static const char *const metric[] = { "cosine", "dot", "euclidean" };
    json_t *out =
        json_pack("{s:s, s:s, s:I, s:I, s:I, s:s, s:I, s:s, s:s, s:s, s:f, s:s}", "version",
                  recon_version(), "group", f->group == RECON_SO3 ? "so3" : "so2", "points",
                  (json_int_t)r->points, "dimensions", (json_int_t)r->dimensions, "rows",
                  (json_int_t)f->rows, "classes", f->k ? "knn" : "components", "class_count",
                  (json_int_t)f->classes, "metric", metric[s->metric], "mean", mean[s->mean],
                  "family", family_name(f), "recall", f->recall, "backend", backend);
    if (f->k) {
        json_object_set_new(out, "k", json_integer((json_int_t)f->k));
        json_object_set_new(out, "include_self", json_boolean(s->include_self));
    } else {
        json_object_set_new(out, "eps", json_real(s->eps));
    }
    json_object_set_new(out, "single_classes", json_integer((json_int_t)f->singles));
    json_object_set_new(out, "rows_outside", json_integer((json_int_t)f->outside));
    if (s->tukey_degrees > 0)
        json_object_set_new(out, "tukey_c_deg", json_real(s->tukey_degrees));
    if (!isnan(f->hit_rate))
        json_object_set_new(out, "hit_rate", json_real(f->hit_rate));
    json_object_set_new(out, "natural_pose", recon_natural_json(f->natural));
    json_object_set_new(out, "collapsed_rows", json_integer((json_int_t)f->collapsed));
    json_object_set_new(out, "seconds",
                        json_pack("{s:f, s:f, s:f, s:f}", "classes", f->seconds.classes, "centers",
                                  f->seconds.centers, "fits", f->seconds.fits, "total",
                                  r->seconds));
    recon_frames_list(&out, f, NULL);
    return cli_json_text(out);
}

static void print_text(const normalize_settings *s, const normalize_result *r)
{
    const recon_frames *f = &r->frames;
    printf("%zu points on %s, embeddings of %zu dimensions\n", r->points,
           f->group == RECON_SO3 ? "SO(3)" : "SO(2)", r->dimensions);
    if (s->query[0])
        printf("  queries    %zu\n", f->rows);
    if (f->k)
        printf("  classes    %zu nearest neighbours", f->k);
    else
        printf("  classes    %zu components at eps %g", f->classes, s->eps);
    if (!isnan(f->hit_rate))
        printf(", hit rate %.4f", f->hit_rate);
    if (f->recall < 1)
        printf(", recall %.4f", f->recall);
    if (f->singles && !f->k)
        printf(
            "\n  warning    %zu components are single points, whose centre means nothing: a larger "
            "--eps?",
            f->singles);
    if (f->outside)
        printf("\n  warning    %zu queries lie in no component: class -1, all else NaN",
               f->outside);
    if (f->collapsed)
        printf("\n  warning    %zu rows have the same embedding as all their neighbours: the "
               "embeddings have\n             collapsed there, and the order of the rows decides "
               "who is a neighbour",
               f->collapsed);
    puts("");
    cli_print_natural(f->natural);
    printf("  family     %s\n", family_name(f));
    printf("  seconds    %.2f (classes %.2f, centres %.2f, fits %.2f)\n", r->seconds,
           f->seconds.classes, f->seconds.centers, f->seconds.fits);
    printf("  written    %s/\n", s->out);
}

static recon_normalize_options options_of(const normalize_settings *s)
{
    return (recon_normalize_options){
        .classes = (recon_classes)s->classes,
        .knn = { .k = s->k ? s->k : DEFAULT_K,
                 .metric = (recon_metric)s->metric,
                 .method = (recon_knn_method)s->approx,
                 .include_self = s->include_self },
        .eps = s->eps,
        .mean = { .kind = (recon_mean_kind)s->mean, .tukey_c = s->tukey_degrees * DEGREE },
        .family = s->family == FAMILY_FISHER ? RECON_SO2_AUTO : (recon_so2_family)s->family,
    };
}

/* The library knows rows, not files. */
static recon_status name_files(recon_ctx *ctx, recon_status status, const normalize_settings *s)
{
    if (status != RECON_ERR_INPUT)
        return status;
    return s->query[0] ? recon_note(ctx, status, "embeddings %s, queries %s", s->z, s->query[0])
                       : recon_note(ctx, status, "embeddings %s", s->z);
}

/* Embeddings that `recon discover` kept are of its result, and would go with it. */
static recon_status keep_inputs(recon_ctx *ctx, const recon_stage *stage,
                                const normalize_settings *s)
{
    const char *const files[] = { s->z,        s->poses,    s->labels,
                                  s->query[0], s->query[1], s->query_labels };
    recon_status status = RECON_OK;
    for (size_t i = 0; status == RECON_OK && i < sizeof files / sizeof *files; i++)
        if (files[i])
            status = recon_stage_keeps(ctx, stage, files[i]);
    return status;
}

recon_status normalize_files(recon_ctx *ctx, normalize_result *out, const normalize_settings *s)
{
    recon_normalize_options o = options_of(s);
    recon_embedded index = { 0 }, queries = { 0 }, *asked = s->query[0] ? &queries : NULL;
    recon_group group = (recon_group)s->group;
    double begin = recon_now();
    recon_status status;
    recon_stage stage;
    *out = (normalize_result){ 0 };
    RECON_TRY(recon_stage_open(ctx, &stage, s->out, RECON_RESULT)); /* before the long work */
    RECON_TRY(keep_inputs(ctx, &stage, s));
    RECON_TRY(recon_embedded_read(ctx, &index, group, s->z, s->poses, s->labels));
    out->points = index.n;
    out->dimensions = index.d;
    if (asked)
        RECON_TRY(
            recon_embedded_read(ctx, asked, group, s->query[0], s->query[1], s->query_labels));
    RECON_TRY(name_files(ctx, recon_normalize(ctx, &out->frames, &index, asked, &o), s));
    out->seconds = recon_now() - begin;
    out->summary = summary(s, out, recon_ops_name(ctx));
    if (!out->summary)
        RECON_TRY(recon_fail(ctx, RECON_ERR_MEMORY, "out of memory"));
    RECON_TRY(recon_frames_put(ctx, stage.path, &out->frames, index.precision, out->summary));
    RECON_TRY(recon_stage_commit(ctx, &stage));
done:
    recon_stage_close(ctx, &stage);
    recon_embedded_free(&queries);
    recon_embedded_free(&index);
    return status;
}

void normalize_free(normalize_result *result)
{
    free(result->summary);
    recon_frames_free(&result->frames);
}

static recon_status work(recon_ctx *ctx, const void *arg)
{
    const normalize_settings *s = arg;
    normalize_result result;
    recon_status status = normalize_files(ctx, &result, s);
    if (status == RECON_OK && s->common.json)
        puts(result.summary);
    else if (status == RECON_OK && !s->common.quiet)
        print_text(s, &result);
    normalize_free(&result);
    return status;
}

static int run(int argc, char **argv)
{
    normalize_settings s = { 0 };
    int code = parse(&s, argc, argv);
    if (code < 0)
        code = check(&s);
    return code >= 0 ? code : cli_run(&cli_normalize, &s.common, work, &s);
}
