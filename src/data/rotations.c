/* rotations.c - rotation rules, and data sets rotated by them. */
#include "core/text.h"
#include "core/fail.h"
#include "core/json.h"
#include "core/memory.h"
#include "core/threads.h"
#include "data/dataset.h"

#include <math.h>
#include <recon/group/so2.h>
#include "data/rotations.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ROTATIONS ((uint64_t)1 << 62) /* streams that nothing else draws from */

/* --- rules ------------------------------------------------------------------------------------ */

/* Known rules are files that need no disk. */
static const struct {
    const char *name, *text;
} known[] = {
    { "mnist", "{ \"classes\": { \"0-4\": { \"uniform\": 60 }, \"5-9\": { \"uniform\": 90 } } }" },
    { "fashion", "{ \"classes\": { \"0-2\": { \"normal\": 0 }, \"3-5\": { \"normal\": 32 },"
                 "                 \"6-9\": { \"normal\": 64 } } }" },
    { "all", "{ \"default\": { \"uniform\": 180 } }" },
};
enum { KNOWN = sizeof known / sizeof *known };

static recon_status read_rotation(recon_ctx *ctx, recon_rotation_law *out, json_t *value,
                                  const char *key, const char *path)
{
    json_t *uniform = json_object_get(value, "uniform"), *normal = json_object_get(value, "normal");
    json_t *width = uniform ? uniform : normal;
    double degrees = json_number_value(width);
    if (json_object_size(value) != 1 || !json_is_number(width))
        return recon_fail(ctx, RECON_ERR_FORMAT,
                          "%s: '%.40s' is not { \"uniform\": DEGREES } or { \"normal\": DEGREES }",
                          path, key);
    if (!(degrees >= 0 && degrees <= (uniform ? 180 : 3600)))
        return recon_fail(ctx, RECON_ERR_FORMAT, "%s: '%.40s': %g degrees: 0 to %d", path, key,
                          degrees, uniform ? 180 : 3600);
    *out = (recon_rotation_law){ uniform ? RECON_SO2_UNIFORM : RECON_SO2_NORMAL,
                                 degrees * RECON_TO_RADIANS };
    return RECON_OK;
}

/* "7" or "0-4". */
static recon_status read_range(recon_ctx *ctx, long *first, long *last, const char *key,
                               const char *path)
{
    const char *from = key;
    char *end;
    *first = *last = strtol(from, &end, 10);
    if (end != from && *end == '-') {
        from = end + 1;
        *last = strtol(from, &end, 10);
    }
    if (end == from || *end || *first < 0 || *last < *first || *last >= RECON_ROTATION_CLASSES)
        return recon_fail(
            ctx, RECON_ERR_FORMAT,
            "%s: '%.40s' is neither a class nor a range like 0-4, with classes below %d", path, key,
            RECON_ROTATION_CLASSES);
    return RECON_OK;
}

static recon_status read_classes(recon_ctx *ctx, recon_rotation_rule *out, json_t *classes,
                                 const char *path)
{
    unsigned char given[RECON_ROTATION_CLASSES] = { 0 };
    const char *key;
    json_t *value;
    json_object_foreach(classes, key, value)
    {
        recon_rotation_law rotation;
        long first, last;
        RECON_CHECK(read_range(ctx, &first, &last, key, path));
        RECON_CHECK(read_rotation(ctx, &rotation, value, key, path));
        for (long c = first; c <= last; c++) {
            if (given[c]++)
                return recon_fail(ctx, RECON_ERR_FORMAT, "%s: class %ld comes twice", path, c);
            out->of[c] = rotation;
        }
    }
    return RECON_OK;
}

/* Its place among them; KNOWN: it is none. */
static int find_known(const char *name)
{
    int which = 0;
    while (which < KNOWN && strcmp(name, known[which].name))
        which++;
    return which;
}

int recon_rotation_is_known(const char *rule)
{
    return find_known(rule) < KNOWN;
}

recon_status recon_rotation_rule_load(recon_ctx *ctx, recon_rotation_rule *out, const char *name)
{
    json_t *rule = NULL;
    int which = find_known(name);
    recon_status status;
    if (which == KNOWN && access(name, F_OK) != 0)
        return recon_fail(ctx, RECON_ERR_IO,
                          "unknown rotation rule '%s', and no such file: mnist, "
                          "fashion, all or a JSON file",
                          name);
    RECON_TRY(which < KNOWN
                  ? recon_json_parse(ctx, &rule, known[which].text, strlen(known[which].text), name)
                  : recon_json_read(ctx, &rule, name));
    json_t *other = json_object_get(rule, "default"), *classes = json_object_get(rule, "classes");
    const char *key;
    json_t *value;
    json_object_foreach(rule, key, value) if (value != other && value != classes)
        RECON_TRY(recon_fail(ctx, RECON_ERR_FORMAT,
                             "%s: '%.40s' is neither \"default\" nor \"classes\"", name, key));
    if ((!other && !classes) || (classes && !json_is_object(classes)))
        RECON_TRY(recon_fail(
            ctx, RECON_ERR_FORMAT,
            "%s: not an object with \"default\" or \"classes\", the latter an object", name));
    out->other = (recon_rotation_law){ RECON_SO2_UNIFORM, 0 };
    if (other)
        RECON_TRY(read_rotation(ctx, &out->other, other, "default", name));
    for (size_t i = 0; i < RECON_ROTATION_CLASSES; i++)
        out->of[i] = out->other;
    RECON_TRY(read_classes(ctx, out, classes, name));
done:
    json_decref(rule);
    return status;
}

recon_rotation_law recon_rotation_rule_of(const recon_rotation_rule *rule, int32_t label)
{
    return label >= 0 && label < RECON_ROTATION_CLASSES ? rule->of[label] : rule->other;
}

/* --- data sets -------------------------------------------------------------------------------- */

enum { TASK = 64 }; /* images */

typedef struct {
    recon_dataset *to;
    const recon_dataset *from;
    const recon_rotation_rule *rule;
    uint64_t seed;
} job;

static recon_status rotate_task(recon_ctx *ctx, void *arg, size_t index, int worker)
{
    const job *j = arg;
    size_t end = (index + 1) * TASK < j->to->info.n ? (index + 1) * TASK : j->to->info.n;
    float *plain;
    recon_status status =
        recon_alloc_raw(ctx, &plain, recon_dataset_pixels(&j->to->info), sizeof *plain);
    (void)worker;
    if (status != RECON_OK)
        return status;
    for (size_t i = index * TASK; i < end; i++) {
        const recon_dataset_info *info = &j->to->info;
        recon_rng rng = recon_rng_new(j->seed, ROTATIONS | recon_dataset_row(j->from, i));
        int32_t label = recon_dataset_get(plain, j->from, i);
        recon_rotation_law rotation = recon_rotation_rule_of(j->rule, label);
        recon_so2_density law = { .family = rotation.family, .width = rotation.width };
        double angle = rotation.width > 0 ? recon_so2_sample(&law, &rng) : 0;
        recon_image_rotate(j->to->own_floats + i * recon_dataset_pixels(info), plain, info->height,
                           info->width, info->channels, angle, RECON_BILINEAR);
        j->to->own_angles[i] = recon_so2_compose(angle, recon_dataset_angle(j->from, i));
        if (j->to->own_labels)
            j->to->own_labels[i] = label;
    }
    free(plain);
    return RECON_OK;
}

static recon_status check_rotation(recon_ctx *ctx, recon_rotation_law t)
{
    if (t.width == 0 || (t.width > 0 && isfinite(t.width) &&
                         (t.family == RECON_SO2_UNIFORM || t.family == RECON_SO2_NORMAL)))
        return RECON_OK;
    return recon_fail(ctx, RECON_ERR_INPUT,
                      "a rotation of width %g by family %d: uniform or normal", t.width,
                      (int)t.family);
}

static recon_status check_rule(recon_ctx *ctx, const recon_rotation_rule *rule)
{
    RECON_CHECK(check_rotation(ctx, rule->other));
    for (size_t i = 0; i < RECON_ROTATION_CLASSES; i++)
        RECON_CHECK(check_rotation(ctx, rule->of[i]));
    return RECON_OK;
}

/* What was rotated may outlive what it was made from. */
static recon_status copy_names(recon_ctx *ctx, recon_dataset *to, const char *names)
{
    size_t size = 1;
    if (!names)
        return RECON_OK;
    for (const char *name = names; *name; name += strlen(name) + 1)
        size += strlen(name) + 1;
    recon_status status = recon_alloc_raw(ctx, &to->own_class_names, size, 1);
    if (status == RECON_OK)
        memcpy(to->own_class_names, names, size);
    to->class_names = to->own_class_names;
    return status;
}

recon_status recon_dataset_rotate(recon_ctx *ctx, recon_dataset **out, const recon_dataset *data,
                                  const recon_rotation_rule *rule, uint64_t seed)
{
    recon_dataset *d;
    recon_status status;
    *out = NULL;
    RECON_CHECK(check_rule(ctx, rule));
    RECON_CHECK(recon_alloc(ctx, &d, 1, sizeof *d));
    d->data = data->data;
    d->info = data->info;
    d->cut = data->cut;
    d->cropped = data->cropped;
    RECON_TRY(recon_alloc_raw(ctx, &d->own_floats, d->info.n,
                              recon_dataset_pixels(&d->info) * sizeof(float)));
    RECON_TRY(recon_alloc_raw(ctx, &d->own_angles, d->info.n, sizeof *d->own_angles));
    if (data->labels)
        RECON_TRY(recon_alloc_raw(ctx, &d->own_labels, d->info.n, sizeof *d->own_labels));
    RECON_TRY(copy_names(ctx, d, data->class_names));
    d->floats = d->own_floats;
    d->angles = d->own_angles;
    d->labels = d->own_labels;
    RECON_TRY(recon_parallel(ctx, rotate_task, &(job){ d, data, rule, seed },
                             (d->info.n + TASK - 1) / TASK));
    *out = d;
done:
    if (status != RECON_OK)
        recon_dataset_close(d);
    return status;
}

recon_status recon_dataset_rotate_by(recon_ctx *ctx, recon_dataset **out, const recon_dataset *data,
                                     const char *name, uint64_t seed)
{
    recon_rotation_rule *rule = NULL; /* large */
    recon_status status;
    RECON_TRY(recon_alloc(ctx, &rule, 1, sizeof *rule));
    RECON_TRY(recon_rotation_rule_load(ctx, rule, name));
    RECON_TRY(recon_dataset_rotate(ctx, out, data, rule, seed));
done:
    free(rule);
    return status;
}
