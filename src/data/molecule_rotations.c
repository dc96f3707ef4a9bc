/* molecule_rotations.c - rotates conformers, with a distribution for each molecule. */
#include <recon/data/molecules.h>
#include "core/fail.h"
#include "core/json.h"
#include "core/memory.h"
#include "core/threads.h"
#include "data/molecule_store.h"
#include "data/rotations.h"
#include "data/molecules.h"

#include <math.h>
#include <recon/group/matrix_fisher.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Streams that nothing else draws from: of conformers, and of molecules that draw their F. */
#define ROTATIONS ((uint64_t)1 << 61)
#define CHOICES   ((uint64_t)3 << 60)

/* Known rules are files that need no disk. */
static const struct {
    const char *name, *text;
} known[] = {
    { "fisher",
      "{ \"default\": [[100, 0.001, 0.001], [0.001, 100, 0.001], [0.001, 0.001, 100]] }" },
    { "haar", "{ \"default\": [0, 0, 0] }" },
    { "none", "{ \"molecules\": {} }" },
};
enum { KNOWN = sizeof known / sizeof *known };

/* --- rules ------------------------------------------------------------------------------------ */

/* A list of matrices leaves a choice. */
static recon_status choose(recon_ctx *ctx, double f[9], json_t *law, uint64_t choice,
                           const char *key, const char *path)
{
    if (json_is_array(json_array_get(law, 0)))
        law = json_array_get(law, choice % json_array_size(law));
    /* F from 3 or 9 numbers. */
    size_t n = json_array_size(law);
    memset(f, 0, 9 * sizeof *f);
    if (n != 3 && n != 9)
        return recon_fail(ctx, RECON_ERR_FORMAT,
                          "%s: '%.40s' is not 3 or 9 numbers, nor a list of such", path, key);
    for (size_t i = 0; i < n; i++) {
        json_t *entry = json_array_get(law, i);
        if (!json_is_number(entry))
            return recon_fail(ctx, RECON_ERR_FORMAT, "%s: '%.40s': entry %zu is not a number", path,
                              key, i);
        f[n == 3 ? 4 * i : i] = json_number_value(entry);
    }
    return RECON_OK;
}

static recon_status check_rule(recon_ctx *ctx, json_t *rule, const char *path)
{
    json_t *other = json_object_get(rule, "default"), *by_name = json_object_get(rule, "molecules");
    const char *key;
    json_t *value;
    json_object_foreach(rule, key, value) if (value != other && value != by_name) return recon_fail(
        ctx, RECON_ERR_FORMAT, "%s: '%.40s' is neither \"default\" nor \"molecules\"", path, key);
    if ((!other && !by_name) || (by_name && !json_is_object(by_name)))
        return recon_fail(
            ctx, RECON_ERR_FORMAT,
            "%s: not an object with \"default\" or \"molecules\", the latter an object", path);
    return RECON_OK;
}

/* store->fisher[m] for every molecule; NaN where none is rotated. */
static recon_status choose_all(recon_ctx *ctx, recon_store *store, json_t *rule, const char *path,
                               uint64_t seed)
{
    json_t *other = json_object_get(rule, "default"), *by_name = json_object_get(rule, "molecules");
    int own = !strcmp(path, "fisher") && store->axis;
    for (size_t m = 0; m < store->molecules; m++) {
        const char *name = store->text + store->name[m];
        json_t *law = json_object_get(by_name, name);
        recon_rng rng = recon_rng_new(seed, CHOICES | m);
        uint64_t choice = own ? (uint64_t)store->axis[m] : recon_rng_u64(&rng);
        recon_status status = RECON_OK;
        store->fisher[m][0] = NAN;
        if (law || other)
            status = choose(ctx, store->fisher[m], law ? law : other, choice,
                            law ? name : "default", path);
        if (status != RECON_OK)
            return status;
    }
    return RECON_OK;
}

/* Its place among them; KNOWN: it is none. */
static size_t find_known(const char *name)
{
    size_t which = 0;
    while (which < KNOWN && strcmp(name, known[which].name))
        which++;
    return which;
}

int recon_molecule_rotation_is_known(const char *rule)
{
    return find_known(rule) < KNOWN;
}

static recon_status load_rule(recon_ctx *ctx, json_t **out, const char *name)
{
    size_t which = find_known(name);
    if (which < KNOWN)
        return recon_json_parse(ctx, out, known[which].text, strlen(known[which].text), name);
    if (access(name, F_OK) != 0)
        return recon_fail(ctx, RECON_ERR_IO,
                          "unknown rotation rule for molecules '%s', and no such file: "
                          "fisher, haar, none or a JSON file",
                          name);
    RECON_CHECK(recon_json_read(ctx, out, name));
    return check_rule(ctx, *out, name);
}

/* --- rotating --------------------------------------------------------------------------------- */

enum { TASK = 256 }; /* conformers */

typedef struct {
    recon_store *to;
    const recon_molecules *from;
    const recon_fisher *law; /* [molecules] */
    uint64_t seed;
} job;

static void rotate_about_centre(float *xyz, size_t atoms, recon_so3 rotation)
{
    double centre[3] = { 0 }, m[9];
    recon_so3_to_matrix(m, rotation);
    for (size_t i = 0; i < 3 * atoms; i++)
        centre[i % 3] += xyz[i] / (double)atoms;
    for (float *p = xyz; p < xyz + 3 * atoms; p += 3) {
        const double v[3] = { p[0] - centre[0], p[1] - centre[1], p[2] - centre[2] };
        for (size_t k = 0; k < 3; k++)
            p[k] = (float)(centre[k] + m[3 * k] * v[0] + m[3 * k + 1] * v[1] + m[3 * k + 2] * v[2]);
    }
}

static void rotate_one(const job *j, size_t i)
{
    const recon_entry *e = &j->to->entry[i];
    recon_rng rng = recon_rng_new(j->seed, ROTATIONS | recon_molecules_row(j->from, i));
    recon_so3 rotation;
    j->to->rotation[i] = recon_molecules_rotation(j->from, i);
    if (isnan(j->to->fisher[e->molecule][0]))
        return;
    recon_fisher_sample(&rotation, &j->law[e->molecule], 1, &rng);
    rotate_about_centre(j->to->xyz + 3 * e->first, e->atoms, rotation);
    j->to->rotation[i] = recon_so3_compose(rotation, j->to->rotation[i]);
}

static recon_status rotate_task(recon_ctx *ctx, void *arg, size_t index, int worker)
{
    const job *j = arg;
    size_t end = (index + 1) * TASK < j->to->n ? (index + 1) * TASK : j->to->n;
    (void)ctx;
    (void)worker;
    for (size_t i = index * TASK; i < end; i++)
        rotate_one(j, i);
    return RECON_OK;
}

static recon_status rotate_all(recon_ctx *ctx, recon_store *store, const recon_molecules *data,
                               uint64_t seed)
{
    recon_fisher *law = NULL;
    recon_status status;
    RECON_TRY(recon_alloc(ctx, &law, store->molecules, sizeof *law));
    RECON_TRY(recon_alloc_raw(ctx, &store->rotation, store->n, sizeof *store->rotation));
    for (size_t m = 0; m < store->molecules; m++)
        if (!isnan(store->fisher[m][0]))
            RECON_TRY(recon_fisher_of(ctx, &law[m], store->fisher[m]));
    RECON_TRY(recon_parallel(ctx, rotate_task, &(job){ store, data, law, seed },
                             (store->n + TASK - 1) / TASK));
    for (size_t m = 0; data->store->rotation && m < store->molecules; m++)
        if (isnan(store->fisher[m][0])) /* not now: as it was */
            memcpy(store->fisher[m], data->store->fisher[m], sizeof *store->fisher);
        else
            store->fisher[m][0] = NAN; /* rotated twice: by no matrix Fisher distribution */
done:
    free(law);
    return status;
}

/* --- sets ------------------------------------------------------------------------------------- */

recon_status recon_molecules_rotate(recon_ctx *ctx, recon_molecules **out,
                                    const recon_molecules *data, const char *rule, uint64_t seed)
{
    recon_store *store = NULL;
    json_t *law = NULL;
    recon_status status;
    *out = NULL;
    RECON_TRY(load_rule(ctx, &law, rule));
    RECON_TRY(recon_store_new(ctx, &store));
    /* What data holds, in a store of its own. */
    const recon_store *from = data->store;
    for (size_t i = 0; i < data->info.n; i++) {
        const recon_conformer c = recon_molecules_get(data, i);
        RECON_TRY(recon_store_add(ctx, store, &c));
    }
    for (size_t m = 0; m < from->molecules; m++) {
        const char *name = recon_molecules_name(data, m);
        RECON_TRY(recon_store_name(ctx, store, name, strlen(name)));
    }
    if (from->axis) {
        RECON_TRY(recon_alloc_raw(ctx, &store->axis, from->molecules, sizeof *store->axis));
        memcpy(store->axis, from->axis, from->molecules * sizeof *store->axis);
    }
    if (from->rotors) {
        RECON_TRY(recon_alloc_raw(ctx, &store->rotors, from->molecules, sizeof *store->rotors));
        memcpy(store->rotors, from->rotors, from->molecules * sizeof *store->rotors);
    }
    RECON_TRY(recon_alloc_raw(ctx, &store->fisher, from->molecules, sizeof *store->fisher));
    RECON_TRY(choose_all(ctx, store, law, rule, seed));
    status = rotate_all(ctx, store, data, seed);
    if (status != RECON_OK)
        RECON_TRY(recon_note_file(ctx, status, rule));
    status = recon_molecules_of(ctx, out, recon_store_share(store));
    if (status == RECON_OK)
        (*out)->info.skipped = data->info.skipped;
done:
    recon_store_release(store);
    json_decref(law);
    return status;
}
