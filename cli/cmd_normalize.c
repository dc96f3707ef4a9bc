/* cmd_normalize.c - recon normalize: Algorithm 1 on embeddings and poses of any backbone. */
#include "cli/cli.h"
#include "comm/comm.h"
#include "core/text.h"
#include "core/ctx.h"
#include "core/fail.h"
#include "core/memory.h"
#include "group/group.h"
#include "normalize/findings.h"
#include "normalize/normalize_files.h"

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
        "N x 4, with --quaternions) for so3; docs/formats.md has the other groups. result/ receives, for each point: gamma.npy (the\n"
        "centre of its class), normalized.npy (the poses of its class, centred), absolute.npy (its own\n"
        "pose, centred), verdict.npy, fold.npy, symmetry.npy and modes.npy (whether it has one natural pose,\n"
        "several or none), theta.npy (the width, in radians), parameters.npy (the fitted\n"
        "distribution), score.npy (-log likelihood of its own pose), p.npy (its p-value),\n"
        "identifiability.npy, background.npy, neighbors.npy, similarity.npy, members.npy (how many\n"
        "neighbours make the class), p_embedding.npy (is the row like the others?), or classes.npy\n"
        "without neighbours, and axis.npy (so3); and summary.json.",
    .run = run,
    .over_ranks = 1,
};

/* What was asked for. Zero in any field means its default. */
typedef struct {
    const char *z, *poses, *labels, *query[2], *query_labels, *index, *save_index, *out;
    const char *group;
    const char *how;                                        /* classes: a name, or a file */
    int quaternions, mean, metric, family, classes, approx; /* places among the choices */
    int include_self, device;
    double tukey_degrees, eps;
    size_t k;    /* 0: not given */
    int *misuse; /* set where only the poses show that --quaternions cannot be meant */
    cli_common common;
} settings;

#define FAMILIES "auto|uniform|normal|vonmises|mixture|fisher"

enum { UNSAID = -1, DEFAULT_K = 10, HALF = 2 };

/* An index has what it was made with. */
static int check_index(const settings *s)
{
    const char *own = s->group                                      ? "--group"
                      : s->k                                        ? "--k"
                      : s->mean                                     ? "--mean"
                      : s->metric                                   ? "--metric"
                      : s->family                                   ? "--family"
                      : s->eps > 0                                  ? "--eps"
                      : s->how && s->classes != RECON_CLASSES_GIVEN ? "--classes"
                      : s->tukey_degrees > 0                        ? "--tukey-c"
                      : s->include_self                             ? "--include-self"
                                                                    : NULL;
    int adds = s->index && s->z;
    const char *missing = !s->z && !s->index                           ? "--embeddings FILE"
                          : s->z && !s->poses                          ? "--poses FILE"
                          : adds && !s->save_index                     ? "--save-index FILE"
                          : !s->out && (!s->save_index || s->query[0]) ? "--out DIR"
                          : s->index && s->out && !s->query[0]         ? "--query ZQ GQ"
                                                                       : NULL;
    const char *useless = s->labels ? "--labels" : s->approx > RECON_KNN_EXACT ? "--approx" : NULL;
    if (s->index && own)
        return cli_misuse(&cli_normalize, "%s is the index's own: leave it out", own);
    if (!s->z && s->poses)
        return cli_misuse(&cli_normalize, "--poses needs --embeddings");
    if (missing)
        return cli_misuse(&cli_normalize, "%s is required", missing);
    if (!s->z && s->save_index)
        return cli_misuse(&cli_normalize, "--save-index needs --embeddings");
    if ((s->index || s->save_index) && useless)
        return cli_misuse(&cli_normalize, "%s is not for an index", useless);
    return -1;
}

/* What the table of options cannot say. */
static int check_options(const settings *s)
{
    int code = check_index(s);
    if (code >= 0)
        return code;
    if (s->index)
        return -1;
    if (s->classes == RECON_CLASSES_COMPONENTS && s->eps == 0)
        return cli_misuse(&cli_normalize, "--classes components needs --eps");
    if (s->classes != RECON_CLASSES_COMPONENTS && s->eps != 0)
        return cli_misuse(&cli_normalize, "--eps needs --classes components");
    if (s->classes != RECON_CLASSES_KNN && (s->k || s->include_self || s->approx))
        return cli_misuse(&cli_normalize, "%s needs --classes knn",
                          s->k              ? "--k"
                          : s->include_self ? "--include-self"
                                            : "--approx");
    if (s->include_self && s->query[0])
        return cli_misuse(&cli_normalize, "--include-self cannot be used with --query");
    if (s->tukey_degrees > 0 && s->mean > RECON_MEAN_TUKEY)
        return cli_misuse(&cli_normalize, "--tukey-c needs --mean tukey");
    if (s->query_labels && !(s->query[0] && s->labels))
        return cli_misuse(&cli_normalize, "--query-labels needs --query and --labels");
    if (s->query[0] && s->labels && !s->query_labels)
        return cli_misuse(&cli_normalize, "--labels with --query needs --query-labels too");
    if (s->tukey_degrees > 180)
        return cli_misuse(&cli_normalize, "--tukey-c %g is beyond 180 degrees", s->tukey_degrees);
    return -1;
}

/* Takes the counts. */
static void print_shares(const char *what, json_t *named, size_t of)
{
    json_t *rows;
    const char *name;
    json_object_foreach(named, name, rows) printf(
        "  %-10s %s: %.1f %%\n", what, name, 100 * (double)json_integer_value(rows) / (double)of);
    json_decref(named);
}

static void print_text(const recon_ctx *ctx, const settings *s,
                       const recon_normalize_request *request, const recon_normalize_result *r)
{
    const recon_frames *f = &r->frames;
    const recon_normalize_options *o = &request->options;
    recon_count_text count;
    printf("%s on %s, embeddings of %s\n", RECON_COUNT(r->points, "point"), request->group->words,
           RECON_COUNT(r->dimensions, "dimension"));
    if (s->save_index)
        printf("  index      %s\n", s->save_index);
    if (!s->out)
        return;
    if (s->query[0])
        printf("  queries    %zu\n", r->rows);
    if (f->k)
        printf("  classes    %s", RECON_COUNT(f->k, "nearest neighbour"));
    else if (o->classes == RECON_CLASSES_COMPONENTS)
        printf("  classes    %s at eps %g", RECON_COUNT(f->classes, "component"), o->eps);
    else
        printf("  classes    %zu of %s", f->classes, s->how ? s->how : s->index);
    if (!isnan(f->hit_rate))
        printf(", hit rate %.4f", f->hit_rate);
    if (f->recall < 1)
        printf(", recall %.4f", f->recall);
    if (f->singles && o->classes == RECON_CLASSES_COMPONENTS)
        printf("\n  warning    %s, whose centre is meaningless: try a larger --eps",
               recon_count((recon_count_text){ 0 }, f->singles, "component is a single point",
                           "components are single points"));
    if (f->outside)
        printf("\n  warning    %s in no %s: class -1, all other results NaN",
               s->query[0] ? recon_count(count, f->outside, "query lies", "queries lie")
                           : recon_count(count, f->outside, "row is", "rows are"),
               o->classes == RECON_CLASSES_COMPONENTS ? "component" : "class");
    if (r->unlike)
        printf("\n  warning    %s unlike all embeddings of the index: verdict \"cannot tell\"",
               recon_count(count, r->unlike, "query is", "queries are"));
    if (HALF * f->k >= r->points)
        printf("\n  warning    classes of %s are half or more of all %zu points: every "
               "natural pose is\n"
               "             nearly the mean of all poses; use a smaller --k",
               RECON_COUNT(f->k, "neighbour"), r->points);
    if (f->collapsed)
        printf("\n  warning    %s the same embedding as all their neighbours: the "
               "embeddings have\n"
               "             collapsed there, and neighbours are chosen by row order",
               recon_count((recon_count_text){ 0 }, f->collapsed, "row has", "rows have"));
    puts("");
    cli_warn_natural(f->natural, f->k ? "--k" : o->eps > 0 ? "--eps" : "class");
    print_shares("symmetry", recon_findings_symmetries(r->symmetry), r->rows);
    if (f->group->directions)
        print_shares("free", recon_findings_free_directions(r->free, f->group), r->rows);
    cli_print_natural(f->natural, f->group);
    printf("  family     %s\n", recon_frames_family_name(f));
    printf("  seconds    %.2f (classes %.2f, centres %.2f, fits %.2f)\n", r->seconds,
           f->seconds.classes, f->seconds.centers, f->seconds.fits);
    if (recon_comm_size(ctx) > 1)
        printf("  ranks      %d (%s); rank 0 waited %.2f s for others\n", recon_comm_size(ctx),
               recon_comm_name(ctx), recon_comm_waited(ctx));
    printf("  written    %s/\n", s->out);
}

/* The place of the family that was asked for among those of the group; "auto" is the first, or the only
 * one. */
static recon_status find_family(recon_ctx *ctx, int *out, const recon_group *group,
                                const settings *s)
{
    char names[] = FAMILIES, *name = strtok(names, "|");
    for (int i = 0; i < s->family; i++)
        name = strtok(NULL, "|");
    for (*out = 0; *out < group->family_count; ++*out)
        if (s->family == 0 || !strcmp(group->families[*out].name, name))
            return RECON_OK;
    return recon_fail(ctx, RECON_ERR_INPUT, "--family %s: not for --group %s%s%s", name,
                      group->name, group->family_count == 1 ? ", which has only " : "",
                      group->family_count == 1 ? group->families[0].name : "");
}

static recon_status find_group(recon_ctx *ctx, recon_normalize_request *request, const settings *s)
{
    recon_status status;
    if (s->index) /* of the group that it names */
        return RECON_OK;
    status = recon_group_find(ctx, &request->group, s->group ? s->group : "so2");
    if (status != RECON_OK)
        recon_note(ctx, status, "--group");
    RECON_TRY(status);
    RECON_TRY(find_family(ctx, &request->options.family, request->group, s));
    if (s->quaternions != UNSAID && !request->group->takes_quaternions)
        RECON_TRY(recon_fail(ctx, RECON_ERR_INPUT, "--quaternions: not for --group %s",
                             request->group->name));
done:
    *s->misuse = status != RECON_OK;
    return status;
}

static recon_normalize_options options_of(const settings *s)
{
    return (recon_normalize_options){
        .classes = (recon_classes)s->classes,
        .knn = { .k = s->k ? s->k : DEFAULT_K,
                 .metric = (recon_metric)s->metric,
                 .method = (recon_knn_method)s->approx,
                 .include_self = s->include_self },
        .eps = s->eps,
        .mean = { .kind = (recon_mean_kind)s->mean,
                  .tukey_c = s->tukey_degrees * RECON_TO_RADIANS },
    };
}

static recon_status attach(recon_ctx *ctx, int device)
{
    static const char *const devices[] = { "cpu", "cuda", "ref" };
    return recon_comm_agree(ctx, recon_ops_attach(ctx, devices[device]));
}

/* Whether poses are quaternions and --quaternions is missing, or the reverse. What cannot be read
 * is the reader's to name. */
static int is_misuse(recon_ctx *ctx, const recon_group *group, const settings *s)
{
    const char *const files[] = { s->poses, s->query[1] };
    int wrong = 0;
    for (size_t i = 0; group && group->takes_quaternions && i < sizeof files / sizeof *files; i++) {
        recon_array a = { 0 };
        if (files[i] && recon_npy_read(ctx, &a, files[i]) == RECON_OK)
            wrong |= (a.ndim == 2 && a.shape[1] == group->takes_quaternions) !=
                     (s->quaternions != UNSAID);
        recon_array_free(&a);
    }
    return wrong;
}

/* After a failure: whether a file holds what are no poses of the group, which its own message says. */
static int are_no_poses(const recon_group *group, recon_quaternions order, const settings *s)
{
    const char *const files[] = { s->poses, s->query[1] };
    recon_ctx *ctx = recon_ctx_new(NULL);
    int wrong = 0;
    for (size_t i = 0; ctx && group && i < sizeof files / sizeof *files; i++) {
        recon_array a = { 0 };
        double *poses = NULL;
        if (files[i] && recon_npy_read(ctx, &a, files[i]) == RECON_OK && a.ndim > 0 &&
            recon_alloc_raw(ctx, &poses, a.shape[0], group->numbers * sizeof *poses) == RECON_OK)
            wrong |= recon_group_read(ctx, group, poses, &a, a.shape[0], order, files[i]) ==
                     RECON_ERR_INPUT;
        free(poses);
        recon_array_free(&a);
    }
    recon_ctx_free(ctx);
    return wrong;
}

static recon_status work(recon_ctx *ctx, const void *arg)
{
    const settings *s = arg;
    recon_normalize_request request = {
        .quaternions = (recon_quaternions)(RECON_QUATERNIONS_WXYZ + s->quaternions),
        .z = s->z,
        .poses = s->poses,
        .labels = s->labels,
        .query = { s->query[0], s->query[1] },
        .query_labels = s->query_labels,
        .classes = s->classes == RECON_CLASSES_GIVEN ? s->how : NULL,
        .index = s->index,
        .save_index = s->save_index,
        .out = s->out,
        .options = options_of(s),
    };
    recon_normalize_result result;
    RECON_CHECK(find_group(ctx, &request, s));
    RECON_CHECK(attach(ctx, s->device));
    int misuse = is_misuse(ctx, request.group, s);
    recon_status status = recon_normalize_files(ctx, &result, &request);
    misuse &= status == RECON_ERR_INPUT; /* a file that is not there comes first */
    if (misuse)
        recon_note(ctx, status, "--quaternions");
    *s->misuse = misuse ||
                 (status == RECON_ERR_INPUT && are_no_poses(request.group, request.quaternions, s));
    if (status == RECON_OK && s->common.json && s->out)
        puts(result.summary);
    else if (status == RECON_OK && !s->common.quiet)
        print_text(ctx, s, &request, &result);
    recon_normalize_result_free(&result);
    return status;
}

static int run(int argc, char **argv)
{
    int misuse = 0;
    settings s = { .quaternions = UNSAID, .misuse = &misuse };
    char groups[sizeof(recon_group_names) + 40];
    recon_group_names known;
    snprintf(groups, sizeof groups, "group of the poses (default so2): %s",
             recon_group_list(known, NULL));
    const cli_option options[] = {
        { "--embeddings", "FILE", NULL, "z, N x D", CLI_TEXT | CLI_READS, 0, &s.z },
        { "--poses", "FILE", NULL, "g, one pose per row", CLI_TEXT | CLI_READS, 0, &s.poses },
        { "--out", "DIR", NULL, "folder for the results", CLI_TEXT | CLI_WRITES, 0, &s.out },
        { "--save-index", "FILE", NULL, "write all that queries need of the points",
          CLI_TEXT | CLI_WRITES, 0, &s.save_index },
        { "--index", "FILE", NULL, "answer --query by this; --embeddings are added", CLI_TEXT, 0,
          &s.index },
        { "--group", "NAME", NULL, groups, CLI_TEXT, 0, &s.group },
        { "--quaternions", NULL, "wxyz|xyzw",
          "order of quaternions: w first, or w last (SciPy, ROS, Eigen's coeffs)", CLI_CHOICE, 0,
          &s.quaternions },
        { "--k", "N", NULL, "with knn: number of neighbours in a class (default 10)", CLI_COUNT, 0,
          &s.k },
        { "--query", "ZQ GQ", NULL, "evaluate these instead of the points themselves",
          CLI_PAIR | CLI_READS, 0, s.query },
        { "--mean", NULL, "auto|tukey|frechet|chordal", "kind of mean for Gamma (default auto)",
          CLI_CHOICE, 0, &s.mean },
        { "--tukey-c", "DEG", NULL, "fix Tukey's c (default: from the data)", CLI_NUMBER, 0,
          &s.tukey_degrees },
        { "--classes", "HOW", NULL,
          "knn (default), components, or a file with a class of your own for each row", CLI_TEXT, 0,
          &s.how },
        { "--eps", "E", NULL, "with components: connect points closer than this", CLI_NUMBER, 0,
          &s.eps },
        { "--metric", NULL, "cosine|dot|euclidean", "similarity of embeddings (default cosine)",
          CLI_CHOICE, 0, &s.metric },
        { "--include-self", NULL, NULL, "count a point among its own neighbours", CLI_FLAG, 0,
          &s.include_self },
        { "--family", NULL, FAMILIES, "distribution to fit (default auto; so3 is fisher)",
          CLI_CHOICE, 0, &s.family },
        { "--labels", "FILE", NULL, "true classes, used only for the hit rate",
          CLI_TEXT | CLI_READS, 0, &s.labels },
        { "--query-labels", "FILE", NULL, "the same for the queries", CLI_TEXT | CLI_READS, 0,
          &s.query_labels },
        { "--approx", NULL, "auto|exact|ivf|hnsw",
          "neighbour search (default auto: exact up to a million rows)", CLI_CHOICE, 0, &s.approx },
        { "--device", NULL, "cpu|cuda|ref", "device of the exact search (default cpu)", CLI_CHOICE,
          0, &s.device },
        { 0 },
    };
    int code = cli_parse(&cli_normalize, options, &s.common, argc, argv, NULL, 0, NULL);
    s.classes = !s.how || !strcmp(s.how, "knn") ? RECON_CLASSES_KNN
                : !strcmp(s.how, "components")  ? RECON_CLASSES_COMPONENTS
                                                : RECON_CLASSES_GIVEN;
    if (code < 0)
        code = check_options(&s);
    code = code >= 0 ? code : cli_run(&cli_normalize, &s.common, work, &s);
    return misuse && code == EXIT_FAILED ? EXIT_MISUSE : code;
}
