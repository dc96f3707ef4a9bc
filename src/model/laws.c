/* laws.c - see laws.h. */
#include "model/laws.h"
#include "core/fail.h"
#include "core/memory.h"
#include "core/text.h"
#include "group/so2/verdict.h"
#include "group/tail.h"
#include "knn/clusters.h"
#include "normalize/kde.h"
#include "stats/quantile.h"

#include <math.h>
#include <recon/group/so2.h>
#include <stdlib.h>
#include <string.h>

#define SURE 2.0 /* standard errors */
#define HARM 0.5 /* degrees, on average: with less, laws do none */

enum {
    POSES_MOST = RECON_KDE_MOST,
    NUMBERS = 7 + RECON_ENDS /* of a law's row */,
    VERDICTS = 8 /* room for them */
};

void recon_laws_free(recon_laws *laws)
{
    free(laws->law);
    free(laws->density);
    *laws = (recon_laws){ .n = 0 };
}

/* Up to POSES_MOST poses of n members, evenly from all; how many. */
static size_t gather(double *out, const size_t *member, size_t n, size_t numbers,
                     const double *poses)
{
    size_t most = n < POSES_MOST ? n : POSES_MOST;
    for (size_t i = 0; i < most; i++)
        memcpy(out + i * numbers, poses + member[i * n / most] * numbers, numbers * sizeof *out);
    return most;
}

/* --- made ------------------------------------------------------------------------------------- */

static int nearest_mode(const recon_law *law, const recon_group *group, const double *pose)
{
    int best = 0;
    for (int j = 1; j < law->modes; j++)
        if (group->distance(group, pose, law->mode[j].at) <
            group->distance(group, pose, law->mode[best].at))
            best = j;
    return best;
}

/* The width that half of the poses lie within, of their modes. */
static double width_within(const recon_law *law, const recon_group *group, const double *poses,
                           size_t n)
{
    double apart[POSES_MOST];
    for (size_t i = 0; i < n; i++) {
        const double *pose = poses + i * group->numbers;
        apart[i] = group->distance(group, pose, law->mode[nearest_mode(law, group, pose)].at);
    }
    recon_sort_doubles(apart, n);
    double listed =
        law->symmetry ? (double)law->modes / law->fold : 1; /* of the equivalent poses */
    return n ? recon_quantile(apart, n, 0.5 * listed) / 0.6745 : 0;
}

/* What a centre says, rounded as a file rounds it. */
static void take_center(recon_law *out, const recon_center *center, const recon_group *group,
                        const double *poses, size_t n)
{
    float row[NUMBERS + RECON_MODES_MAX * (RECON_NUMBERS_MAX + 1)];
    out->natural = n < RECON_LAW_LEAST ? RECON_NATURAL_UNSURE : center->natural;
    out->fold = n < RECON_LAW_LEAST ? 0 : center->fold;
    out->symmetry = center->symmetry;
    memcpy(out->axis, center->axis, sizeof out->axis);
    out->modes = center->modes > 0 ? center->modes : 1;
    memcpy(out->mode[0].at, center->mean, sizeof center->mean);
    out->mode[0].weight = 1;
    for (int j = 0; j < center->modes; j++) {
        memcpy(out->mode[j].at, center->mode[j].at, sizeof center->mode[j].at);
        out->mode[j].weight = center->mode[j].weight;
    }
    /* The mean lies on the heaviest mode, or where chance decides on the one nearest the identity. */
    int first = nearest_mode(out, group, center->mean);
    for (int j = first; j > 0; j--) {
        __typeof__(out->mode[0]) held = out->mode[j];
        out->mode[j] = out->mode[j - 1];
        out->mode[j - 1] = held;
    }
    out->width = width_within(out, group, poses, n);
    recon_law_write(row, out, group);
    recon_law_read(out, row, group);
}

recon_status recon_law_make(recon_ctx *ctx, recon_law *out, const recon_group *group,
                            const double *poses, size_t n)
{
    recon_center center;
    char *fit = NULL;
    recon_status status;
    RECON_TRY(recon_alloc_raw(ctx, &fit, 1, group->fit_size));
    RECON_TRY(group->center(ctx, group, &center, fit, poses, 1, n, NULL));
    if (group == RECON_SO2 && center.natural == RECON_NATURAL_ONE &&
        center.identifiability[0] < RECON_LEAST_DIRECTION) {
        int level = recon_so2_level(center.identifiability, (double)n, RECON_LEAST_DIRECTION);
        center.natural = level ? RECON_NATURAL_NONE : RECON_NATURAL_UNSURE;
        center.fold = 0;
    }
    take_center(out, &center, group, poses, n);
done:
    free(fit);
    return status;
}

/* The centre that a law was made of, as far as naming asks for it. */
static recon_center center_of(const recon_law *law)
{
    recon_center center = { .natural = law->natural, .fold = law->fold, .modes = law->modes };
    memcpy(center.mean, law->mode[0].at, sizeof center.mean);
    for (int j = 0; j < law->modes; j++) {
        memcpy(center.mode[j].at, law->mode[j].at, sizeof center.mode[j].at);
        center.mode[j].weight = law->mode[j].weight;
    }
    return center;
}

recon_status recon_laws_name(recon_ctx *ctx, recon_laws *laws, const recon_clustering *of,
                             const int64_t *cluster)
{
    const recon_group *group = of->group;
    double *some = NULL;
    size_t *member = NULL, *first = NULL;
    recon_status status;
    RECON_TRY(recon_alloc_raw(ctx, &some, POSES_MOST, group->numbers * sizeof *some));
    RECON_TRY(recon_by_label(ctx, &member, &first, cluster, of->n, laws->n));
    for (size_t c = 0; c < laws->n; c++) {
        recon_law *law = &laws->law[c];
        int frame = law->frame == RECON_LAWS_OF_DENSITY;
        if (law->inputs < RECON_SYMMETRY_LEAST)
            continue;
        size_t n = gather(some, member + first[c], law->inputs, group->numbers, of->poses[frame]);
        recon_center center = center_of(law);
        RECON_TRY(
            recon_pooled_name(ctx, &center, of, frame, member + first[c], law->inputs, some, n));
        if (center.symmetry > RECON_SYMMETRY_C1 || center.natural != law->natural)
            take_center(law, &center, group, some, n);
    }
done:
    recon_free_all(some, member, first);
    return status;
}

const recon_law *recon_laws_named(const recon_laws *laws, int64_t cluster)
{
    const recon_law *law = cluster >= 0 ? &laws->law[cluster] : NULL;
    return law && law->symmetry && !law->anchor ? law : NULL;
}

recon_status recon_laws_make(recon_ctx *ctx, recon_laws *out, recon_laws_frame frame, size_t n,
                             const int64_t *of, const recon_group *group, const double *poses,
                             size_t points)
{
    double *some = NULL;
    size_t *member = NULL, *first = NULL;
    recon_status status;
    *out = (recon_laws){ .n = n };
    RECON_TRY(recon_alloc(ctx, &out->law, n, sizeof *out->law));
    RECON_TRY(recon_alloc_raw(ctx, &some, POSES_MOST, group->numbers * sizeof *some));
    RECON_TRY(recon_by_label(ctx, &member, &first, of, points, n));
    for (size_t c = 0; c < n; c++) {
        out->law[c].inputs = first[c + 1] - first[c];
        size_t count = gather(some, member + first[c], out->law[c].inputs, group->numbers, poses);
        out->law[c].natural = RECON_NATURAL_UNSURE;
        out->law[c].modes = 1;
        out->law[c].frame = frame;
        if (count)
            RECON_TRY(recon_law_make(ctx, &out->law[c], group, some, count));
    }
done:
    recon_free_all(member, first, some);
    return status;
}

/* --- likelihood ------------------------------------------------------------------------------- */

static double normal(double x, double mean, double sigma)
{
    double far = recon_so2_distance(x, mean) / sigma;
    return exp(-far * far / 2) / (sigma * sqrt(2 * M_PI));
}

recon_status recon_laws_log_densities(recon_ctx *ctx, double *out, const int64_t *of_at,
                                      const double *at, size_t n_at, size_t n, const int64_t *of,
                                      const double *poses, size_t points)
{
    double *some = NULL, mean;
    size_t *member = NULL, *first = NULL, *asked = NULL, *first_asked = NULL;
    recon_kde kde;
    recon_status status;
    recon_kde_new(&kde, RECON_SO2);
    RECON_TRY(recon_alloc_raw(ctx, &some, POSES_MOST, sizeof *some));
    RECON_TRY(recon_by_label(ctx, &member, &first, of, points, n));
    RECON_TRY(recon_by_label(ctx, &asked, &first_asked, of_at, n_at, n));
    for (size_t i = 0; i < n_at; i++)
        out[i] = -RECON_SO2->uniform;
    for (size_t c = 0; c < n; c++) {
        size_t count = gather(some, member + first[c], first[c + 1] - first[c], 1, poses);
        int width = recon_kde_width(&mean, &kde, some, count);
        for (size_t i = first_asked[c]; i < first_asked[c + 1] && count; i++)
            out[asked[i]] += recon_kde_log(&kde, width, &at[asked[i]], some, count);
    }
done:
    recon_free_all(member, first, asked, first_asked, some);
    return status;
}

/* --- what is usual ---------------------------------------------------------------------------- */

/* The mean of n normals and of a uniform density in bins; less the one about `without`, unless that is NaN. */
static void put_bins(float bin[RECON_POSE_BINS], const double *sum, double n, double without,
                     double sigma)
{
    int less = !isnan(without);
    for (int b = 0; b < RECON_POSE_BINS; b++) {
        double own = less ? normal(2 * M_PI * b / RECON_POSE_BINS, without, sigma) : 0;
        bin[b] = (float)((fmax(sum[b] - own, 0) + 1 / (2 * M_PI)) / (n - less + 1));
    }
}

static recon_so2_density density_of(const float bin[RECON_POSE_BINS])
{
    recon_so2_density density = { .family = RECON_SO2_BINS };
    memcpy(density.bin, bin, sizeof density.bin);
    return density;
}

/* What is asked of the members of a cluster. */
typedef struct {
    const size_t *member; /* [members] */
    const double *poses;  /* [points] */
    size_t members;
    double some[POSES_MOST], sigma; /* the law's own poses, and their width */
    size_t n;
    double *unusual; /* [points] out: -tail of every member, for the density of the others */
    double known;    /* out: the sum of their log densities */
} asked_members;

/* How many there are. */
static size_t ask_members(asked_members *a, float *density)
{
    double sum[RECON_POSE_BINS] = { 0 };
    float others[RECON_POSE_BINS];
    size_t count = 0, next = 0;
    a->known = 0;
    for (size_t j = 0; j < a->n; j++)
        for (int b = 0; b < RECON_POSE_BINS; b++)
            sum[b] += normal(2 * M_PI * b / RECON_POSE_BINS, a->some[j], a->sigma);
    put_bins(density, sum, (double)a->n, NAN, a->sigma);
    for (size_t m = 0; m < a->members; m++) {
        size_t i = a->member[m];
        int own = next < a->n && a->poses[i] == a->some[next];
        next += (size_t)own;
        put_bins(others, sum, (double)a->n, own ? a->poses[i] : NAN, a->sigma);
        const recon_so2_density of_others = density_of(others);
        a->unusual[count++] = -recon_so2_tail(&of_others, a->poses[i]);
        a->known += recon_so2_log_density(&of_others, a->poses[i]);
    }
    return count;
}

/* There networks know by heart how those are rotated that they have seen. */
static int has_pose(const recon_law *law)
{
    return law->natural != RECON_NATURAL_NONE && law->natural != RECON_NATURAL_UNSURE;
}

/* Where frames are not shared the density tells the natural pose, of new inputs too. */
int recon_laws_by_psi(const recon_laws *laws, int64_t cluster)
{
    return laws->law[cluster].frame == RECON_LAWS_OF_PSI || !has_pose(&laws->law[cluster]);
}

recon_status recon_laws_calibrate(recon_ctx *ctx, recon_laws *laws, const int64_t *of,
                                  const double *poses, const double *upright, size_t points)
{
    asked_members a = { .n = 0 };
    double *unusual = NULL, mean;
    size_t count = 0, *member = NULL, *first = NULL;
    recon_kde kde;
    recon_status status;
    recon_kde_new(&kde, RECON_SO2);
    RECON_TRY(recon_by_label(ctx, &member, &first, of, points, laws->n));
    RECON_TRY(recon_alloc_raw(ctx, &unusual, points, sizeof *unusual));
    RECON_TRY(recon_alloc(ctx, &laws->density, laws->n, RECON_POSE_BINS * sizeof(float)));
    laws->known = 0;
    for (size_t c = 0; c < laws->n; c++) {
        a.poses = recon_laws_by_psi(laws, (int64_t)c) ? poses : upright;
        if (laws->law[c].inputs < RECON_LAW_LEAST || !has_pose(&laws->law[c]) || !a.poses)
            continue;
        a.member = member + first[c];
        a.members = first[c + 1] - first[c];
        a.n = gather(a.some, a.member, a.members, 1, a.poses);
        a.sigma = recon_kde_sigma(recon_kde_width(&mean, &kde, a.some, a.n));
        a.unusual = unusual + count;
        count += ask_members(&a, laws->density + c * RECON_POSE_BINS);
        laws->known += a.known / (double)points;
    }
    if (count)
        recon_calibrate(&laws->usual, unusual, count);
    laws->known += (double)count / (double)points * log(2 * M_PI);
done:
    recon_free_all(unusual, member, first);
    return status;
}

double recon_laws_p_value(const recon_laws *laws, int64_t cluster, double pose)
{
    const recon_law *law = cluster >= 0 ? &laws->law[cluster] : NULL;
    const float *bin = law && laws->density ? laws->density + cluster * RECON_POSE_BINS : NULL;
    if (!law || law->inputs < RECON_LAW_LEAST)
        return NAN;
    if (!has_pose(law) && law->frame != RECON_LAWS_SILENT) {
        double n = (double)law->inputs, far = recon_so2_distance(pose, law->mode[0].at[0]);
        return (1 + n * (1 - far / M_PI)) / (n + 1);
    }
    if (!bin || !(bin[0] > 0))
        return NAN;
    const recon_so2_density density = density_of(bin);
    return recon_calibration_p_value(&laws->usual, -recon_so2_tail(&density, pose));
}

/* --- asked ------------------------------------------------------------------------------------ */

void recon_law_lambda(double *lambda, const recon_law *law, const recon_group *group)
{
    double step[RECON_NUMBERS_MAX];
    if (law->frame == RECON_LAWS_OF_DENSITY) {
        group->compose(group, lambda, law->mode[0].at, lambda);
        return;
    }
    group->inverse(group, step, law->mode[nearest_mode(law, group, lambda)].at);
    group->compose(group, step, law->mode[0].at, step);
    group->compose(group, lambda, step, lambda);
}

void recon_laws_compare(recon_laws *laws, const int64_t *cluster, const double *psi,
                        const double *lambda, size_t n)
{
    double sum = 0, squares = 0, count = 0;
    for (size_t i = 0; i < n; i++) {
        const recon_law *law = cluster[i] >= 0 ? &laws->law[cluster[i]] : NULL;
        if (!law || law->frame != RECON_LAWS_OF_DENSITY)
            continue;
        double further = recon_so2_distance(psi[i], lambda[i] + law->mode[0].at[0]) -
                         recon_so2_distance(psi[i], lambda[i]);
        count++;
        sum += further;
        squares += further * further;
    }
    if (sum > fmax(SURE * sqrt(squares), count * HARM / RECON_TO_DEGREES))
        for (size_t c = 0; c < laws->n; c++)
            if (laws->law[c].frame == RECON_LAWS_OF_DENSITY)
                laws->law[c].frame = RECON_LAWS_SILENT;
}

int recon_law_poses(const recon_law *law)
{
    return law->anchor ? 1 : law->modes;
}

double recon_law_theta(const recon_law *law, int family)
{
    return family == RECON_SO2_UNIFORM ? sqrt(3) * law->width : law->width;
}

/* --- files ------------------------------------------------------------------------------------ */

size_t recon_law_width(const recon_group *group)
{
    return NUMBERS + RECON_MODES_MAX * (group->numbers + 1);
}

/* In the place of the last two modes. */
static size_t axis_at(const recon_group *group)
{
    return NUMBERS + (RECON_MODES_MAX - 2) * (group->numbers + 1);
}

static int has_axis(const recon_law *law, const recon_group *group)
{
    return law->symmetry && group->has_axis && law->modes <= RECON_MODES_MAX - 2;
}

void recon_law_write(float *out, const recon_law *law, const recon_group *group)
{
    memset(out, 0, recon_law_width(group) * sizeof *out);
    out[0] = (float)((int)law->natural + VERDICTS * law->symmetry);
    out[1] = (float)law->fold;
    out[2] = (float)law->modes;
    out[3] = (float)law->inputs;
    out[4] = (float)law->width;
    out[5] = (float)law->frame;
    out[6] = (float)law->ends;
    for (int a = 0; a < RECON_ENDS; a++)
        out[7 + a] = (float)law->template[a];
    for (int j = 0; j < law->modes; j++) {
        float *to = out + NUMBERS + (size_t)j * (group->numbers + 1);
        for (size_t i = 0; i < group->numbers; i++)
            to[i] = (float)law->mode[j].at[i];
        to[group->numbers] = (float)law->mode[j].weight;
    }
    for (int i = 0; i < 6 && has_axis(law, group); i++)
        out[axis_at(group) + (size_t)i] = (float)law->axis[i / 3][i % 3];
}

static int is_whole(float x, int least, int most)
{
    return x >= (float)least && x <= (float)most && x == floorf(x);
}

int recon_law_read(recon_law *out, const float *row, const recon_group *group)
{
    *out = (recon_law){ .natural = RECON_NATURAL_UNSURE };
    if (!is_whole(row[5], 0, RECON_LAWS_OF_DENSITY) ||
        !is_whole(row[0], 0, VERDICTS * RECON_SYMMETRY_SPIN) ||
        (int)row[0] % VERDICTS >= RECON_NATURAL_KINDS || !is_whole(row[1], 0, 360) ||
        !is_whole(row[2], 1, RECON_MODES_MAX) || !is_whole(row[3], 0, 1 << 24) || row[4] < 0 ||
        !is_whole(row[6], 0, 360))
        return 0;
    out->natural = (recon_natural)((int)row[0] % VERDICTS);
    out->symmetry = (int)row[0] / VERDICTS;
    out->fold = (int)row[1];
    out->modes = (int)row[2];
    out->inputs = (size_t)row[3];
    out->width = row[4];
    out->frame = (recon_laws_frame)row[5];
    out->ends = (int)row[6];
    for (int a = 0; a < RECON_ENDS; a++)
        out->template[a] = row[7 + a];
    double sum = 0;
    for (int j = 0; j < out->modes; j++) {
        const float *from = row + NUMBERS + (size_t)j * (group->numbers + 1);
        if (from[group->numbers] < 0)
            return 0;
        for (size_t i = 0; i < group->numbers; i++)
            out->mode[j].at[i] = from[i];
        sum += out->mode[j].weight = from[group->numbers];
    }
    for (int j = 0; j < out->modes; j++)
        out->mode[j].weight /= sum;
    for (int i = 0; i < 6 && has_axis(out, group); i++)
        out->axis[i / 3][i % 3] = row[axis_at(group) + (size_t)i];
    return sum > 0 && (!out->symmetry || out->fold > 0);
}
