/* codes.c - see codes.h. */
#include "model/codes.h"
#include "core/safetensors.h"
#include "core/f16.h"
#include "core/fail.h"
#include "core/memory.h"
#include "core/shuffle.h"
#include "knn/search.h"
#include "model/whiten.h"
#include "nn/params.h"

#include <float.h>
#include <stdlib.h>

#define Z         "codes.z"
#define SCALE     "codes.scale"
#define POSE      "codes.pose"
#define WHITEN    "codes.whiten"
#define LOCAL     "codes.local"
#define DISTANCES "codes.distances"
#define ANGLES    "codes.angles"
#define RARER     "codes.rarer"
#define HELD      "codes.held"
#define CLUSTER   "codes.cluster"
#define LAWS      "codes.laws"
#define DENSITY   "codes.density"
#define USUAL     "codes.usual"
#define COUNTED   "codes.counted"

/* --- the object ------------------------------------------------------------------------------- */

static recon_status codes_new(recon_ctx *ctx, recon_stored_embeddings **out,
                              const recon_group *group, size_t n, size_t d)
{
    recon_stored_embeddings *c;
    RECON_CHECK(recon_alloc(ctx, out, 1, sizeof **out));
    c = *out;
    *c = (recon_stored_embeddings){ .group = group, .n = n, .d = d };
    RECON_CHECK(recon_alloc_raw(ctx, &c->white, n * d, sizeof *c->white));
    return recon_alloc_raw(ctx, &c->poses, n, group->numbers * sizeof *c->poses);
}

void recon_codes_free(recon_stored_embeddings *c)
{
    if (!c)
        return;
    recon_points_free(&c->by_angle);
    recon_points_free(&c->by_distance);
    recon_free_all(c->z, c->white, c->whiten, c->poses, c->cluster, c->local);
    recon_laws_free(&c->laws);
    free(c);
}

/* When z and whiten are there. */
static recon_status make_ready(recon_ctx *ctx, recon_stored_embeddings *c)
{
    RECON_CHECK(recon_whiten(ctx, c->white, c->z, c->n, c->d, c->whiten, c->scale));
    RECON_CHECK(recon_points_make(ctx, &c->by_angle, c->z, c->n, c->d, RECON_COSINE, NULL, Z));
    return recon_points_make(ctx, &c->by_distance, c->white, c->n, c->d, RECON_EUCLIDEAN, NULL, Z);
}

/* --- made ------------------------------------------------------------------------------------- */

/* A power of two that the largest number is at most twice of. */
static float scale_of(const float *z, size_t count)
{
    float most = 0;
    int exponent = 1;
    for (size_t i = 0; i < count; i++)
        most = fmaxf(most, fabsf(z[i]));
    if (most > 0)
        frexpf(most, &exponent);
    return ldexpf(1, exponent - 1);
}

/* Points in a random order that never changes, those left out that are not of this sort; how many,
 * up to most. */
static size_t choose(size_t *which, const unsigned char *held, int sort, size_t n, size_t most)
{
    size_t count = 0;
    for (size_t i = 0; i < n && count < most; i++) {
        size_t point = recon_permute(i, n, 0, 0);
        if (!held[point] == !sort)
            which[count++] = point;
    }
    return count;
}

size_t recon_codes_points(size_t *which, const unsigned char *held, size_t n)
{
    size_t codes = choose(which, held, 0, n, RECON_CODES_MOST);
    return codes + choose(which + codes, held, 1, n, RECON_CODES_MOST);
}

/* Rounded as a file rounds them. */
static void fill(recon_stored_embeddings *c, const recon_embedded *data, const size_t *which)
{
    size_t d = c->d, numbers = c->group->numbers;
    c->scale = scale_of(data->z, data->n * d);
    for (size_t i = 0; i < c->n; i++) {
        const float *z = data->z + which[i] * d;
        for (size_t j = 0; j < d; j++)
            c->z[i * d + j] = recon_f16_to_float(recon_f16_from_float(z[j] / c->scale));
        for (size_t j = 0; j < numbers; j++)
            c->poses[i * numbers + j] = (float)data->poses[which[i] * numbers + j];
    }
}

/* Searches the nearest codes of each of m points; out has the mean of apart(score), over that of these codes where
 * local is known. 1 more where the points are the codes, each nearest to itself. */
static recon_status mean_apart(recon_ctx *ctx, double *out, const recon_points *codes,
                               const float *z, size_t m, size_t d, recon_metric metric,
                               double (*apart)(double score), const float *local, size_t more)
{
    size_t k = codes->n < RECON_CODES_NEAREST + more ? codes->n : RECON_CODES_NEAREST + more;
    recon_neighbor *found = NULL;
    recon_points q = { 0 };
    recon_status status;
    RECON_TRY(recon_alloc_raw(ctx, &found, m, k * sizeof *found));
    RECON_TRY(recon_points_make(ctx, &q, z, m, d, metric, codes, "embeddings"));
    RECON_TRY(recon_exact_search(ctx, found, &q, codes, k));
    for (size_t i = 0; i < m; i++) {
        double theirs = 0;
        out[i] = 0;
        for (size_t j = 0; j < k; j++) {
            out[i] += apart(found[i * k + j].score);
            theirs += local ? (double)local[found[i * k + j].index] : 1;
        }
        out[i] /= theirs;
    }
done:
    recon_points_free(&q);
    free(found);
    return status;
}

static double distance_of(double score)
{
    return sqrt(fmax(-score, 0));
}

static double angle_of(double score)
{
    return 1 - score;
}

static recon_status measure_distances(recon_ctx *ctx, double *out, const recon_stored_embeddings *c,
                                      const float *z, size_t m)
{
    float *white = NULL;
    recon_status status;
    RECON_TRY(recon_alloc_raw(ctx, &white, m * c->d, sizeof *white));
    RECON_TRY(recon_whiten(ctx, white, z, m, c->d, c->whiten, 1));
    RECON_TRY(mean_apart(ctx, out, &c->by_distance, white, m, c->d, RECON_EUCLIDEAN, distance_of,
                         c->local, 0));
done:
    free(white);
    return status;
}

int recon_code_is_zero(const float *z, size_t d)
{
    for (size_t j = 0; j < d; j++)
        if (z[j] != 0)
            return 0;
    return 1;
}

/* An embedding that is zero has no direction; it counts as at a right angle to all. */
static recon_status measure_angles(recon_ctx *ctx, double *out, const recon_stored_embeddings *c,
                                   const float *z, size_t m)
{
    float *direction = NULL;
    recon_status status;
    RECON_TRY(recon_alloc_raw(ctx, &direction, m * c->d, sizeof *direction));
    memcpy(direction, z, m * c->d * sizeof *direction);
    for (size_t i = 0; i < m; i++)
        direction[i * c->d] += (float)recon_code_is_zero(z + i * c->d, c->d);
    RECON_TRY(mean_apart(ctx, out, &c->by_angle, direction, m, c->d, RECON_COSINE, angle_of,
                         c->local ? c->local + c->n : NULL, 0));
    for (size_t i = 0; i < m; i++)
        out[i] = recon_code_is_zero(z + i * c->d, c->d) ? 1 : out[i];
done:
    free(direction);
    return status;
}

/* -log of the smaller of the two p-values. */
static double rarer_of(const recon_stored_embeddings *c, double distance, double angle)
{
    return -log(fmin(recon_calibration_p_value(&c->distances, distance),
                     recon_calibration_p_value(&c->angles, angle)));
}

/* By n embeddings of inputs that were held out. */
static recon_status calibrate(recon_ctx *ctx, recon_stored_embeddings *c, const float *z, size_t n)
{
    double *distance = NULL, *sorted = NULL;
    recon_status status;
    RECON_TRY(recon_alloc_raw(ctx, &distance, 2 * n, sizeof *distance));
    RECON_TRY(recon_alloc_raw(ctx, &sorted, n, sizeof *sorted));
    double *angle = distance + n;
    RECON_TRY(measure_distances(ctx, distance, c, z, n));
    RECON_TRY(measure_angles(ctx, angle, c, z, n));
    memcpy(sorted, distance, n * sizeof *sorted);
    recon_calibrate(&c->distances, sorted, n);
    memcpy(sorted, angle, n * sizeof *sorted);
    recon_calibrate(&c->angles, sorted, n);
    for (size_t i = 0; i < n; i++)
        sorted[i] = rarer_of(c, distance[i], angle[i]);
    recon_calibrate(&c->rarer, sorted, n);
done:
    recon_free_all(sorted, distance);
    return status;
}

/* How far codes are from the nearest others, by distance and by angle: where a kind is rare, they are sparse, and a new
 * one of it is no farther from them than they are. Half of it is the mean of all, so that a copy counts for little. */
static recon_status measure_local(recon_ctx *ctx, recon_stored_embeddings *c)
{
    double *own = NULL;
    float *local = NULL;
    recon_status status;
    RECON_TRY(recon_alloc_raw(ctx, &own, c->n, sizeof *own));
    RECON_TRY(recon_alloc_raw(ctx, &local, 2 * c->n, sizeof *local));
    for (int angle = 0; angle < 2; angle++) {
        double mean = 0;
        RECON_TRY(mean_apart(
            ctx, own, angle ? &c->by_angle : &c->by_distance, angle ? c->z : c->white, c->n, c->d,
            angle ? RECON_COSINE : RECON_EUCLIDEAN, angle ? angle_of : distance_of, NULL, 1));
        for (size_t i = 0; i < c->n; i++)
            mean += own[i] / (double)c->n;
        for (size_t i = 0; i < c->n; i++)
            local[(size_t)angle * c->n + i] = mean > 0 ? (float)((own[i] / mean + 1) / 2) : 1;
    }
    c->local = local;
    local = NULL;
done:
    recon_free_all(own, local);
    return status;
}

/* Of the codes, and of the same inputs rotated. */
static recon_status find_whiten(recon_ctx *ctx, recon_stored_embeddings *c, const float *rotated)
{
    size_t count = c->n * c->d, sets = rotated ? 2 : 1;
    float *z = NULL;
    recon_status status;
    RECON_TRY(recon_alloc_raw(ctx, &z, sets * count, sizeof *z));
    memcpy(z, c->z, count * sizeof *z);
    for (size_t i = 0; rotated && i < count; i++)
        z[count + i] = rotated[i] / c->scale;
    RECON_TRY(recon_whiten_find(ctx, c->whiten, z, sets * c->n, c->d));
    for (size_t i = 0; i < recon_whiten_count(c->d); i++)
        c->whiten[i] /= c->scale;
done:
    free(z);
    return status;
}

/* The embeddings of these points. */
static recon_status gather(recon_ctx *ctx, float **out, const recon_embedded *data,
                           const size_t *which, size_t n)
{
    RECON_CHECK(recon_alloc_raw(ctx, out, n * data->d, sizeof **out));
    for (size_t i = 0; i < n; i++)
        memcpy(*out + i * data->d, data->z + which[i] * data->d, data->d * sizeof **out);
    return RECON_OK;
}

recon_status recon_codes_make(recon_ctx *ctx, recon_stored_embeddings **out,
                              const recon_embedded *data, const unsigned char *held,
                              const float *rotated)
{
    recon_stored_embeddings *c = NULL;
    size_t *which = NULL, all, n = 0;
    float *as_they_are = NULL;
    recon_status status;
    *out = NULL;
    RECON_TRY(recon_alloc_raw(ctx, &which, data->n, sizeof *which));
    all = recon_codes_points(which, held, data->n);
    while (n < all && !held[which[n]])
        n++;
    RECON_TRY(codes_new(ctx, &c, data->group, n, data->d));
    RECON_TRY(recon_alloc_raw(ctx, &c->z, n * c->d, sizeof *c->z));
    RECON_TRY(recon_alloc_raw(ctx, &c->whiten, recon_whiten_count(c->d), sizeof *c->whiten));
    fill(c, data, which);
    RECON_TRY(find_whiten(ctx, c, rotated));
    RECON_TRY(make_ready(ctx, c));
    RECON_TRY(measure_local(ctx, c));
    if (!rotated)
        RECON_TRY(gather(ctx, &as_they_are, data, which + n, all - n));
    RECON_TRY(calibrate(ctx, c, rotated ? rotated + n * c->d : as_they_are, all - n));
    *out = c;
done:
    recon_free_all(as_they_are, which);
    if (status != RECON_OK)
        recon_codes_free(c);
    return status;
}

/* --- files ------------------------------------------------------------------------------------ */

/* A tensor of this shape, finite, as floats; *out is to be freed. Nothing is allocated before the file
 * has shown that it holds as much. */
static recon_status get(recon_ctx *ctx, float **out, const recon_safetensors *file,
                        const char *path, const char *name, const size_t *shape, int ndim)
{
    recon_array a = { 0 };
    recon_status status;
    RECON_TRY(recon_safetensors_get(ctx, &a, file, name));
    int same = a.ndim == ndim;
    for (int i = 0; same && i < ndim; i++)
        same = a.shape[i] == shape[i];
    if (!same)
        RECON_TRY(recon_fail(ctx, RECON_ERR_FORMAT, "%s: '%s' has another shape than the model's",
                             path, name));
    size_t count = recon_array_count(&a);
    RECON_TRY(recon_alloc_raw(ctx, out, count, sizeof **out));
    RECON_TRY(recon_array_to_f32(ctx, *out, &a));
    RECON_TRY(recon_numbers_check(ctx, *out, RECON_F32, count, name, path));
done:
    recon_array_free(&a);
    return status;
}

/* How many there are: [n][d] with n from 1 to RECON_CODES_MOST. */
static recon_status read_size(recon_ctx *ctx, size_t *n, const recon_safetensors *file,
                              const char *path, size_t d)
{
    recon_array z;
    recon_status status = recon_safetensors_get(ctx, &z, file, Z);
    if (status != RECON_OK)
        return status;
    *n = z.shape[0];
    if (z.ndim != 2 || z.shape[0] < 1 || z.shape[0] > RECON_CODES_MOST || z.shape[1] != d)
        status =
            recon_fail(ctx, RECON_ERR_FORMAT, "%s: '" Z "' must be 1 to %d codes of %zu numbers",
                       path, RECON_CODES_MOST, d);
    recon_array_free(&z);
    return status;
}

static recon_status read_poses(recon_ctx *ctx, recon_stored_embeddings *c,
                               const recon_safetensors *file, const char *path)
{
    size_t numbers = c->group->numbers;
    const size_t shape[] = { c->n, numbers };
    float *g = NULL;
    recon_status status;
    RECON_TRY(get(ctx, &g, file, path, POSE, shape, numbers > 1 ? 2 : 1));
    for (size_t i = 0; i < c->n * numbers; i++)
        c->poses[i] = g[i];
    if (c->group->check(ctx, c->group, c->poses, c->n) != RECON_OK)
        status = recon_note(ctx, RECON_ERR_FORMAT, "in '" POSE "' of %s", path);
done:
    free(g);
    return status;
}

static recon_status read_calibration(recon_ctx *ctx, recon_calibration *c,
                                     const recon_safetensors *file, const char *path,
                                     const char *name, const char *count)
{
    const size_t one = 1, quantiles = RECON_QUANTILES;
    float *x = NULL, *n = NULL;
    recon_status status;
    RECON_TRY(get(ctx, &x, file, path, name, &quantiles, 1));
    RECON_TRY(get(ctx, &n, file, path, count, &one, 1));
    for (size_t i = 0; i < RECON_QUANTILES; i++)
        c->quantile[i] = x[i];
    c->n = *n;
    if (!recon_calibration_good(c))
        RECON_TRY(recon_fail(ctx, RECON_ERR_FORMAT, "%s: '%s' is not a non-decreasing table", path,
                             name));
done:
    recon_free_all(x, n);
    return status;
}

static recon_status read_usual(recon_ctx *ctx, recon_laws *laws, const recon_safetensors *file,
                               const char *path)
{
    const size_t shape[] = { laws->n, RECON_POSE_BINS };
    recon_status status;
    int good = 1;
    RECON_TRY(get(ctx, &laws->density, file, path, DENSITY, shape, 2));
    RECON_TRY(read_calibration(ctx, &laws->usual, file, path, USUAL, COUNTED));
    for (size_t i = 0; i < laws->n * RECON_POSE_BINS; i++)
        good = good && laws->density[i] >= 0 &&
               (laws->density[i] > 0) == (laws->density[i - i % RECON_POSE_BINS] > 0);
    if (!good)
        RECON_TRY(recon_fail(ctx, RECON_ERR_FORMAT, "%s: '" DENSITY "' has no densities", path));
done:
    return status;
}

/* The natural poses of a law must be poses of the group. */
static recon_status check_law(recon_ctx *ctx, const recon_law *law, const recon_group *group,
                              const char *path)
{
    for (int j = 0; j < law->modes; j++)
        if (group->check(ctx, group, law->mode[j].at, 1) != RECON_OK)
            return recon_note(ctx, RECON_ERR_FORMAT, "in '" LAWS "' of %s", path);
    return RECON_OK;
}

/* Of files that have them. */
static recon_status read_laws(recon_ctx *ctx, recon_stored_embeddings *c,
                              const recon_safetensors *file, const char *path)
{
    float *cluster = NULL, *rows = NULL;
    size_t shape[] = { 0, recon_law_width(c->group) };
    recon_array a = { 0 };
    int good = 1;
    recon_status status;
    RECON_TRY(recon_safetensors_get(ctx, &a, file, LAWS));
    shape[0] = a.shape[0];
    RECON_TRY(get(ctx, &rows, file, path, LAWS, shape, 2));
    RECON_TRY(get(ctx, &cluster, file, path, CLUSTER, &c->n, 1));
    c->laws.n = shape[0];
    RECON_TRY(recon_alloc(ctx, &c->laws.law, c->laws.n, sizeof *c->laws.law));
    RECON_TRY(recon_alloc(ctx, &c->cluster, c->n, sizeof *c->cluster));
    for (size_t i = 0; good && i < c->laws.n; i++)
        good = recon_law_read(&c->laws.law[i], rows + i * shape[1], c->group);
    for (size_t i = 0; good && i < c->n; i++) {
        good = cluster[i] >= 0 && cluster[i] < (float)c->laws.n && cluster[i] == floorf(cluster[i]);
        c->cluster[i] = good ? (int64_t)cluster[i] : 0;
    }
    if (!good)
        RECON_TRY(
            recon_fail(ctx, RECON_ERR_FORMAT, "%s: '" LAWS "' are no laws of clusters", path));
    for (size_t i = 0; i < c->laws.n; i++)
        RECON_TRY(check_law(ctx, &c->laws.law[i], c->group, path));
    if (recon_safetensors_has(file, DENSITY))
        RECON_TRY(read_usual(ctx, &c->laws, file, path));
done:
    recon_array_free(&a);
    recon_free_all(rows, cluster);
    return status;
}

static recon_status read_all(recon_ctx *ctx, recon_stored_embeddings *c,
                             const recon_safetensors *file, const char *path)
{
    const size_t one = 1, z[] = { c->n, c->d }, u[] = { c->d, c->d }, local[] = { 2, c->n };
    float *scale = NULL;
    recon_status status;
    RECON_TRY(get(ctx, &c->z, file, path, Z, z, 2));
    RECON_TRY(get(ctx, &c->whiten, file, path, WHITEN, u, c->d <= RECON_WHITEN_MOST ? 2 : 1));
    RECON_TRY(get(ctx, &scale, file, path, SCALE, &one, 1));
    c->scale = *scale;
    RECON_TRY(read_poses(ctx, c, file, path));
    RECON_TRY(read_calibration(ctx, &c->distances, file, path, DISTANCES, HELD));
    if (recon_safetensors_has(file, RARER)) {
        RECON_TRY(read_calibration(ctx, &c->angles, file, path, ANGLES, HELD));
        RECON_TRY(read_calibration(ctx, &c->rarer, file, path, RARER, HELD));
    }
    if (recon_safetensors_has(file, LOCAL))
        RECON_TRY(get(ctx, &c->local, file, path, LOCAL, local, 2));
    if (recon_safetensors_has(file, LAWS))
        RECON_TRY(read_laws(ctx, c, file, path));
    RECON_TRY(make_ready(ctx, c));
done:
    free(scale);
    return status;
}

recon_status recon_codes_read(recon_ctx *ctx, recon_stored_embeddings **out,
                              const recon_safetensors *file, const char *path,
                              const recon_group *group, size_t d)
{
    recon_stored_embeddings *c = NULL;
    size_t n;
    recon_status status = RECON_OK;
    *out = NULL;
    if (!recon_safetensors_has(file, Z))
        return status;
    RECON_TRY(read_size(ctx, &n, file, path, d));
    RECON_TRY(codes_new(ctx, &c, group, n, d));
    RECON_TRY(read_all(ctx, c, file, path));
    *out = c;
done:
    if (status == RECON_OK)
        return status;
    recon_codes_free(c);
    return recon_note_file(ctx, status, path);
}

void recon_codes_tensors_free(recon_codes_tensors *t)
{
    recon_free_all(t->z, t->pose, t->cluster, t->laws);
}

static recon_tensor_entry entry(const char *name, recon_dtype dtype, const void *data, size_t rows,
                                size_t width)
{
    return (recon_tensor_entry){
        name, { .dtype = dtype, .ndim = width ? 2 : 1, .shape = { rows, width }, .data = data }
    };
}

static recon_status put_laws(recon_ctx *ctx, recon_codes_tensors *t,
                             const recon_stored_embeddings *c)
{
    size_t width = recon_law_width(c->group);
    RECON_CHECK(recon_alloc_raw(ctx, &t->cluster, c->n, sizeof *t->cluster));
    RECON_CHECK(recon_alloc_raw(ctx, &t->laws, c->laws.n, width * sizeof *t->laws));
    for (size_t i = 0; i < c->n; i++)
        t->cluster[i] = (float)c->cluster[i];
    for (size_t i = 0; i < c->laws.n; i++)
        recon_law_write(t->laws + i * width, &c->laws.law[i], c->group);
    t->entry[t->entries++] = entry(CLUSTER, RECON_F32, t->cluster, c->n, 0);
    t->entry[t->entries++] = entry(LAWS, RECON_F32, t->laws, c->laws.n, width);
    if (c->laws.usual.n > 0) {
        for (size_t i = 0; i < RECON_QUANTILES; i++)
            t->usual[i] = (float)c->laws.usual.quantile[i];
        t->counted = (float)c->laws.usual.n;
        t->entry[t->entries++] =
            entry(DENSITY, RECON_F32, c->laws.density, c->laws.n, RECON_POSE_BINS);
        t->entry[t->entries++] = entry(USUAL, RECON_F32, t->usual, RECON_QUANTILES, 0);
        t->entry[t->entries++] = entry(COUNTED, RECON_F32, &t->counted, 1, 0);
    }
    return RECON_OK;
}

recon_status recon_codes_tensors_make(recon_ctx *ctx, recon_codes_tensors *t,
                                      const recon_stored_embeddings *c)
{
    size_t n = c->n, d = c->d, numbers = c->group->numbers;
    *t = (recon_codes_tensors){ .scale = c->scale, .held = (float)c->distances.n };
    RECON_CHECK(recon_alloc_raw(ctx, &t->z, n * d, sizeof *t->z));
    RECON_CHECK(recon_alloc_raw(ctx, &t->pose, n, numbers * sizeof *t->pose));
    for (size_t i = 0; i < n * d; i++)
        t->z[i] = recon_f16_from_float(c->z[i]);
    for (size_t i = 0; i < n * numbers; i++)
        t->pose[i] = (float)c->poses[i];
    for (size_t i = 0; i < RECON_QUANTILES; i++) {
        t->distances[i] = (float)c->distances.quantile[i];
        t->angles[i] = (float)c->angles.quantile[i];
        t->rarer[i] = (float)c->rarer.quantile[i];
    }
    t->entry[0] = entry(Z, RECON_F16, t->z, n, d);
    t->entry[1] = entry(SCALE, RECON_F32, &t->scale, 1, 0);
    t->entry[2] = entry(POSE, RECON_F32, t->pose, n, numbers > 1 ? numbers : 0);
    t->entry[3] = entry(WHITEN, RECON_F32, c->whiten, d, d <= RECON_WHITEN_MOST ? d : 0);
    t->entry[4] = entry(DISTANCES, RECON_F32, t->distances, RECON_QUANTILES, 0);
    t->entry[5] = entry(HELD, RECON_F32, &t->held, 1, 0);
    t->entries = 6;
    if (c->rarer.n > 0) {
        t->entry[t->entries++] = entry(ANGLES, RECON_F32, t->angles, RECON_QUANTILES, 0);
        t->entry[t->entries++] = entry(RARER, RECON_F32, t->rarer, RECON_QUANTILES, 0);
    }
    if (c->local)
        t->entry[t->entries++] = entry(LOCAL, RECON_F32, c->local, 2, n);
    if (c->cluster)
        RECON_CHECK(put_laws(ctx, t, c));
    return RECON_OK;
}

#define SAME 1e-4 /* no code is nearer */

/* --- asked ------------------------------------------------------------------------------------ */

recon_status recon_codes_nearest(recon_ctx *ctx, int64_t *index, double *apart,
                                 const recon_stored_embeddings *c, const float *z, size_t m,
                                 size_t k)
{
    recon_neighbor *found = NULL;
    recon_points q = { 0 };
    float *some = NULL;
    recon_status status = RECON_OK;
    if (m == 0)
        return status;
    RECON_TRY(recon_alloc_raw(ctx, &found, m, k * sizeof *found));
    RECON_TRY(recon_alloc_raw(ctx, &some, m * c->d, sizeof *some));
    memcpy(some, z, m * c->d * sizeof *some);
    for (size_t i = 0; i < m; i++)
        some[i * c->d] += (float)recon_code_is_zero(z + i * c->d, c->d);
    RECON_TRY(recon_points_make(ctx, &q, some, m, c->d, RECON_COSINE, &c->by_angle, "embeddings"));
    RECON_TRY(recon_exact_search(ctx, found, &q, &c->by_angle, k));
    for (size_t i = 0; i < m * k; i++) {
        index[i] = recon_code_is_zero(z + i / k * c->d, c->d) ? -1 : (int64_t)found[i].index;
        if (apart)
            apart[i] = angle_of(found[i].score);
    }
done:
    recon_points_free(&q);
    recon_free_all(some, found);
    return status;
}

/* The first of those with most votes. A code has as many as it is near: of a kind with few, others are among the
 * nearest, too. */
static int64_t vote(const int64_t *cluster, const int64_t *nearest, const double *apart, size_t k)
{
    double most = 0;
    size_t best = 0;
    for (size_t j = 0; j < k; j++) {
        double votes = 0;
        for (size_t i = 0; i < k; i++)
            votes += cluster[nearest[i]] == cluster[nearest[j]] ? 1 / fmax(apart[i], SAME) : 0;
        best = votes > most ? j : best;
        most = votes > most ? votes : most;
    }
    return cluster[nearest[best]];
}

recon_status recon_codes_clusters(recon_ctx *ctx, int64_t *out, const recon_stored_embeddings *c,
                                  const float *z, size_t m, size_t k)
{
    int64_t *nearest = NULL;
    double *apart = NULL;
    recon_status status = RECON_OK;
    k = k < c->n ? k : c->n;
    for (size_t i = 0; i < m; i++)
        out[i] = -1;
    if (!c->cluster || m == 0)
        return status;
    RECON_TRY(recon_alloc_raw(ctx, &nearest, m, k * sizeof *nearest));
    RECON_TRY(recon_alloc_raw(ctx, &apart, m, k * sizeof *apart));
    RECON_TRY(recon_codes_nearest(ctx, nearest, apart, c, z, m, k));
    for (size_t i = 0; i < m; i++)
        if (nearest[i * k] >= 0)
            out[i] = vote(c->cluster, nearest + i * k, apart + i * k, k);
done:
    recon_free_all(nearest, apart);
    return status;
}

/* Beyond all inputs held out the tail goes on as the last tenth of them falls: exponentially. */
static double continued(const recon_calibration *c, double x)
{
    enum { LAST = RECON_QUANTILES - 1 };
    double top = c->quantile[LAST], before = c->quantile[LAST * 9 / 10];
    double falls = log((c->n + 1) / 10), p = recon_calibration_p_value(c, x);
    return x > top && falls > 0 ? p * exp(-falls * (x - top) / fmax(top - before, 1e-30)) : p;
}

recon_status recon_codes_p_values(recon_ctx *ctx, double *out, unsigned char *unlike,
                                  const recon_stored_embeddings *c, const float *z, size_t m)
{
    double *angle = NULL;
    recon_status status;
    if (m == 0)
        return RECON_OK;
    RECON_TRY(measure_distances(ctx, out, c, z, m));
    if (c->rarer.n > 0) {
        RECON_TRY(recon_alloc_raw(ctx, &angle, m, sizeof *angle));
        RECON_TRY(measure_angles(ctx, angle, c, z, m));
    }
    for (size_t i = 0; i < m; i++) {
        double least = continued(&c->distances, out[i]);
        least = angle ? fmin(least, continued(&c->angles, angle[i])) : least;
        if (unlike)
            unlike[i] = least < RECON_CODES_UNLIKE;
        out[i] = angle ? recon_calibration_p_value(&c->rarer, rarer_of(c, out[i], angle[i]))
                       : recon_calibration_p_value(&c->distances, out[i]);
    }
done:
    free(angle);
    return status;
}

double recon_codes_floor(const recon_stored_embeddings *c)
{
    return c->rarer.n > 0 ? recon_calibration_p_value(&c->rarer, rarer_of(c, DBL_MAX, DBL_MAX))
                          : recon_calibration_p_value(&c->distances, DBL_MAX);
}
