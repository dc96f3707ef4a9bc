/* maps.c - the networks, their file, and their answers. */
#include "maps/maps.h"
#include "core/blocks.h"
#include "core/safetensors.h"
#include "core/fail.h"
#include "core/memory.h"
#include "core/threads.h"
#include "core/ctx.h"
#include "maps/standard.h"
#include "nn/params.h"

#include <stdio.h>
#include <string.h>

/* The key by which a file says what the heads of its maps are. */
#define METADATA_HEADS "heads"

enum {
    ROWS = RECON_BLOCK_MAPS,
    MOST = 1 << 16, /* numbers of an embedding, or of a layer */
    DENSITIES = RECON_BLOCK_DENSITIES
};

/* --- the object ------------------------------------------------------------------------------- */

/* Whether the file, if there is one, has this head. */
static int is_there(const recon_head_kind *head, const recon_safetensors *file)
{
    recon_layer_name name;
    snprintf(name, sizeof name, "%s.0.weight", head->name);
    return !file || !head->optional || recon_safetensors_has(file, name);
}

static recon_status add_heads(recon_ctx *ctx, recon_maps *m, double dropout,
                              const recon_safetensors *file)
{
    for (int h = m->first; h < m->kind->heads; h++) {
        const recon_head_kind *head = &m->kind->head[h];
        size_t sizes[] = { m->d, m->hidden, m->hidden, head->outputs };
        if (!is_there(head, file))
            continue;
        m->has |= 1u << h;
        recon_status status =
            recon_mlp_add(ctx, &m->head[h], m->params, head->name, sizes,
                          sizeof sizes / sizeof *sizes, head->dropout ? dropout : 0);
        if (status != RECON_OK)
            return status;
    }
    return RECON_OK;
}

static recon_status add_buffers(recon_ctx *ctx, recon_maps *m)
{
    const struct {
        recon_param **at;
        const char *name;
        size_t count;
    } buffer[] = { { &m->kept.mean, "standard.mean", m->d },
                   { &m->kept.scale, "standard.scale", m->d },
                   { &m->kept.quantiles, "calibration.quantiles", RECON_QUANTILES },
                   { &m->kept.scores, "calibration.scores", 1 },
                   { &m->kept.number, m->kind->number, 1 },
                   { &m->kept.tails, "calibration.tails", RECON_TAIL_NUMBERS } };
    for (size_t i = 0; i < sizeof buffer / sizeof *buffer; i++) {
        recon_status status = recon_params_add_buffer(ctx, buffer[i].at, m->params, buffer[i].name,
                                                      &buffer[i].count, 1, 0);
        if (status != RECON_OK)
            return status;
    }
    return RECON_OK;
}

/* With the weights of a file, or with first ones. */
static recon_status make(recon_ctx *ctx, recon_maps *m, double dropout,
                         const recon_safetensors *file, const char *path, uint64_t seed)
{
    RECON_CHECK(recon_params_new(ctx, &m->params, RECON_SINGLE));
    recon_params_expect(m->params, file, path, 0);
    RECON_CHECK(add_heads(ctx, m, dropout, file));
    RECON_CHECK(add_buffers(ctx, m));
    RECON_CHECK(recon_params_make(ctx, m->params, seed));
    RECON_CHECK(recon_alloc(ctx, &m->mean, m->d, sizeof *m->mean));
    RECON_CHECK(recon_alloc(ctx, &m->scale, m->d, sizeof *m->scale));
    m->weights = recon_params_count(m->params);
    if (m->nets)
        m->weights += recon_params_count(m->nets->params);
    return RECON_OK;
}

static void take_nets(recon_maps *m, recon_input_nets *nets)
{
    m->nets = nets;
    m->first = nets ? RECON_INPUT_NETS : 0;
}

recon_status recon_maps_new(recon_ctx *ctx, recon_maps **out, const recon_maps_kind *kind, size_t d,
                            size_t hidden, double dropout, recon_input_nets *nets, uint64_t seed)
{
    recon_status status = recon_alloc(ctx, out, 1, sizeof **out);
    if (status != RECON_OK) {
        recon_input_nets_free(ctx, nets);
        return status;
    }
    **out = (recon_maps){ .kind = kind, .d = d, .hidden = hidden };
    take_nets(*out, nets);
    return make(ctx, *out, dropout, NULL, NULL, seed);
}

void recon_maps_free(recon_ctx *ctx, recon_maps *m)
{
    if (!m)
        return;
    recon_input_nets_free(ctx, m->nets);
    recon_params_free(ctx, m->params);
    recon_free_all(m->mean, m->scale, m->held, m);
}

recon_maps_info recon_maps_describe(const recon_maps *m)
{
    int family = m->kind->parameter_is_family;
    return (recon_maps_info){ .group = m->kind->group,
                              .d = m->d,
                              .hidden = m->hidden,
                              .weights = m->weights,
                              .held_out = (size_t)m->calibration.n,
                              .family = family ? (recon_so2_family)m->number : RECON_SO2_AUTO,
                              .unit = family ? 0 : m->number,
                              .heads = m->nets ? RECON_HEADS_PAPER : RECON_HEADS_MLP };
}

size_t recon_maps_params(const recon_params *out[RECON_MAPS_PARAMS], const recon_maps *m)
{
    size_t n = 0;
    out[n++] = m->params;
    if (m->nets)
        out[n++] = m->nets->params;
    return n;
}

/* --- what is kept ----------------------------------------------------------------------------- */

recon_status recon_maps_keep(recon_ctx *ctx, recon_maps *m)
{
    double tails[RECON_TAIL_NUMBERS];
    recon_tails_pack(tails, &m->tails);
    RECON_CHECK(recon_param_write(ctx, m->kept.tails, tails));
    RECON_CHECK(recon_param_write(ctx, m->kept.mean, m->mean));
    RECON_CHECK(recon_param_write(ctx, m->kept.scale, m->scale));
    RECON_CHECK(recon_param_write(ctx, m->kept.quantiles, m->calibration.quantile));
    RECON_CHECK(recon_param_write(ctx, m->kept.scores, &m->calibration.n));
    return recon_param_write(ctx, m->kept.number, &m->number);
}

/* From the buffers, which may be a file's and hold any numbers. */
static recon_status recall(recon_ctx *ctx, recon_maps *m, const char *path)
{
    recon_calibration *c = &m->calibration;
    double tails[RECON_TAIL_NUMBERS];
    RECON_CHECK(recon_param_read(ctx, m->mean, m->kept.mean));
    RECON_CHECK(recon_param_read(ctx, m->scale, m->kept.scale));
    RECON_CHECK(recon_param_read(ctx, c->quantile, m->kept.quantiles));
    RECON_CHECK(recon_param_read(ctx, &c->n, m->kept.scores));
    RECON_CHECK(recon_param_read(ctx, &m->number, m->kept.number));
    RECON_CHECK(recon_param_read(ctx, tails, m->kept.tails));
    if (!recon_calibration_good(c) || !recon_tails_unpack(&m->tails, tails))
        return recon_fail(ctx, RECON_ERR_FORMAT, "%s: 'calibration' is not a non-decreasing table",
                          path);
    return RECON_OK;
}

/* --- files ------------------------------------------------------------------------------------ */

/* The sizes are those of the first layer of the first head on z. */
static recon_status read_sizes(recon_ctx *ctx, recon_maps *m, const recon_safetensors *file,
                               const char *path)
{
    recon_layer_name name;
    recon_array weight;
    snprintf(name, sizeof name, "%s.0.weight", m->kind->head[m->first].name);
    recon_status status = recon_safetensors_get(ctx, &weight, file, name);
    if (status != RECON_OK)
        return recon_note(ctx, status, "the file holds no maps");
    if (weight.ndim != 2 || weight.shape[0] < 1 || weight.shape[1] < 1 || weight.shape[0] > MOST ||
        weight.shape[1] > MOST)
        status = recon_fail(ctx, RECON_ERR_FORMAT, "%s: '%s' is no weight", path, name);
    m->hidden = weight.shape[0];
    m->d = weight.shape[1];
    recon_array_free(&weight);
    return status;
}

static recon_status find_kind(recon_ctx *ctx, const recon_maps_kind **out,
                              const recon_safetensors *file, const char *path)
{
    const char *maps = recon_safetensors_metadata(file, RECON_MAPS_METADATA);
    if (!maps)
        return recon_fail(ctx, RECON_ERR_INPUT,
                          "%s: a model without maps: run `{recon.discover()}` first", path);
    const recon_group *group;
    recon_status status = recon_group_find(ctx, &group, maps);
    if (status != RECON_OK)
        return recon_note(ctx, RECON_ERR_FORMAT, "maps of %s", path);
    *out = recon_maps_kind_of(group);
    return *out ? RECON_OK
                : recon_fail(ctx, RECON_ERR_FORMAT, "%s: maps of %s, which has no heads", path,
                             group->words);
}

const char *recon_lambda_name(recon_lambda lambda)
{
    static const char *const name[] = { "auto", "neighbours", "head", "density" };
    return (size_t)lambda < sizeof name / sizeof *name ? name[lambda] : "unknown";
}

/* By the metadata "lambda", which files before 0.3 lack. */
static recon_status find_lambda(recon_ctx *ctx, recon_lambda *out, const recon_safetensors *file,
                                const recon_maps_kind *kind, const char *path)
{
    const char *said = recon_safetensors_metadata(file, "lambda");
    *out = kind->usual;
    for (int l = RECON_LAMBDA_NEIGHBOURS; said && l <= RECON_LAMBDA_DENSITY; l++)
        if (!strcmp(said, recon_lambda_name((recon_lambda)l))) {
            *out = (recon_lambda)l;
            return RECON_OK;
        }
    return !said ? RECON_OK
                 : recon_fail(ctx, RECON_ERR_FORMAT,
                              "%s: 'lambda' is '%.16s': neighbours, head or density", path, said);
}

const char *recon_heads_name(recon_heads heads)
{
    static const char *const name[] = { "mlp", "paper" };
    return (size_t)heads < sizeof name / sizeof *name ? name[heads] : "unknown";
}

/* By the metadata "heads", which files before 0.3 lack: there all are on z. */
static recon_status read_nets(recon_ctx *ctx, recon_maps *m, const recon_safetensors *file,
                              const char *path, const recon_backbone *backbone)
{
    const char *heads = recon_safetensors_metadata(file, METADATA_HEADS);
    recon_input_nets *nets;
    if (!heads || !strcmp(heads, recon_heads_name(RECON_HEADS_MLP)))
        return RECON_OK;
    if (strcmp(heads, recon_heads_name(RECON_HEADS_PAPER)) != 0)
        return recon_fail(ctx, RECON_ERR_FORMAT, "%s: 'heads' is '%.16s': mlp or paper", path,
                          heads);
    if (backbone && backbone->kind->group != m->kind->group)
        return recon_fail(ctx, RECON_ERR_FORMAT,
                          "%s: its maps and its backbone are of different groups", path);
    RECON_CHECK(recon_input_nets_read(ctx, &nets, backbone, file, path));
    take_nets(m, nets);
    return RECON_OK;
}

recon_status recon_maps_read(recon_ctx *ctx, recon_maps **out, const recon_safetensors *file,
                             const char *path, const recon_backbone *backbone)
{
    const recon_maps_kind *kind;
    recon_maps *m = NULL;
    recon_status status;
    *out = NULL;
    RECON_TRY(find_kind(ctx, &kind, file, path));
    RECON_TRY(recon_alloc(ctx, &m, 1, sizeof *m));
    m->kind = kind;
    RECON_TRY(read_nets(ctx, m, file, path, backbone));
    RECON_TRY(read_sizes(ctx, m, file, path));
    RECON_TRY(make(ctx, m, 0, file, path, 0));
    RECON_TRY(recall(ctx, m, path));
    RECON_TRY(find_lambda(ctx, &m->lambda, file, kind, path));
    if (!kind->parameter_fits(m->number))
        RECON_TRY(recon_fail(ctx, RECON_ERR_FORMAT, "%s: '%s' is %g: %s", path, kind->number,
                             m->number, kind->parameter_is));
    *out = m;
done:
    if (status == RECON_OK)
        return status;
    recon_maps_free(ctx, m);
    return recon_note_file(ctx, status, path);
}

recon_metadata_entry recon_maps_metadata(const recon_maps *m)
{
    return (recon_metadata_entry){ RECON_MAPS_METADATA, m->kind->group->name };
}

recon_metadata_entry recon_maps_metadata_heads(const recon_maps *m)
{
    return (recon_metadata_entry){ METADATA_HEADS, recon_heads_name(recon_maps_describe(m).heads) };
}

/* --- answers ---------------------------------------------------------------------------------- */

/* A pass over at most ROWS inputs. */
typedef struct {
    recon_tape *tape;
    float *rows;
    double *y;
    char *inputs; /* [ROWS], where networks read them from data */
} pass;

static recon_status pass_new(recon_ctx *ctx, pass *p, const recon_maps *m, const recon_data *data)
{
    *p = (pass){ 0 };
    if (m->nets && data)
        RECON_CHECK(recon_alloc_raw(ctx, &p->inputs, ROWS, recon_data_describe(data).bytes));
    RECON_CHECK(recon_tape_new(ctx, &p->tape, RECON_SINGLE, 0));
    RECON_CHECK(recon_alloc_raw(ctx, &p->rows, ROWS * m->d, sizeof *p->rows));
    return recon_alloc_raw(ctx, &p->y, ROWS * RECON_HEAD_OUTPUTS, sizeof *p->y);
}

static void pass_free(pass *p)
{
    recon_tape_free(p->tape);
    recon_free_all(p->rows, p->y, p->inputs);
}

/* The networks' part of the answers: to the n inputs from `at` on. */
static recon_status pass_nets(recon_ctx *ctx, const pass *p, const recon_maps *m, unsigned heads,
                              char *maps, const recon_maps_inputs *in, size_t at, size_t n)
{
    const char *inputs = p->inputs;
    if (!m->nets)
        return RECON_OK;
    if (in->data)
        in->data->kind->read(p->inputs, in->data, at, n);
    else
        inputs = (const char *)in->inputs + at * m->nets->kind->bytes(m->nets);
    return recon_input_nets_apply(ctx, maps, m->nets, heads, m->number, inputs, n);
}

/* That of the heads on z. */
static recon_status pass_over(const pass *p, const recon_maps *m, unsigned heads, char *maps,
                              const float *z, size_t n)
{
    size_t shape[2] = { n, m->d };
    recon_standardize(p->rows, z, n, m->d, m->mean, m->scale);
    RECON_CHECK(recon_tape_begin(p->tape, RECON_INFER, 0));
    recon_var x = recon_var_input(p->tape, p->rows, RECON_F32, shape, 2);
    for (int h = 0; h < m->kind->heads; h++) {
        const recon_head_kind *head = &m->kind->head[h];
        if (!(heads & m->has & 1u << h))
            continue;
        RECON_CHECK(recon_var_read(p->tape, p->y, recon_mlp_apply(p->tape, &m->head[h], x)));
        for (size_t i = 0; i < n; i++)
            head->read(maps + i * m->kind->map, p->y + i * head->outputs, m->number);
    }
    return RECON_OK;
}

recon_status recon_maps_apply(recon_ctx *ctx, void *out, const recon_maps *m,
                              const recon_maps_inputs *in, recon_maps_part part)
{
    unsigned by_head = m->lambda == RECON_LAMBDA_HEAD ? m->kind->by_head : 0;
    unsigned heads = part == RECON_MAPS_LAMBDA ? m->kind->lambda | by_head : ~0u;
    char *maps = out;
    pass p;
    recon_status status;
    RECON_TRY(pass_new(ctx, &p, m, in->data));
    RECON_TRY(recon_embeddings_check(ctx, in->z, in->n, m->d));
    if (m->nets && !in->data && !in->inputs)
        RECON_TRY(recon_fail(ctx, RECON_ERR_INPUT,
                             "heads paper: Lambda and Theta are networks on the inputs, and only "
                             "embeddings are given"));
    for (size_t at = 0; at < in->n; at += ROWS) {
        size_t some = in->n - at < ROWS ? in->n - at : ROWS;
        char *to = maps + at * m->kind->map;
        memset(to, 0, some * m->kind->map);
        RECON_TRY(pass_nets(ctx, &p, m, heads, to, in, at, some));
        RECON_TRY(pass_over(&p, m, heads, to, in->z + at * m->d, some));
        RECON_TRY(m->kind->finish(ctx, to, some, part, m->number));
        for (size_t i = 0; m->nets && m->kind->after_nets && i < some; i++)
            m->kind->after_nets(to + i * m->kind->map);
        RECON_TRY(recon_interrupted(ctx));
    }
done:
    pass_free(&p);
    return status;
}

typedef struct {
    char *maps;
    const recon_maps *m;
    const double *psi;
    const float *density;
    size_t n;
    recon_maps_part part;
} density_pass;

static recon_status put_some(recon_ctx *ctx, void *arg, size_t task, int worker)
{
    const density_pass *p = arg;
    size_t end = (task + 1) * DENSITIES < p->n ? (task + 1) * DENSITIES : p->n;
    (void)ctx;
    (void)worker;
    for (size_t i = task * DENSITIES; i < end; i++)
        p->m->kind->put_density(p->maps + i * p->m->kind->map,
                                p->psi + i * p->m->kind->group->numbers,
                                p->density + i * RECON_POSE_BINS, p->part,
                                p->m->lambda != RECON_LAMBDA_DENSITY, p->m->nets != NULL);
    return RECON_OK;
}

recon_status recon_maps_put_densities(recon_ctx *ctx, void *maps, const recon_maps *m,
                                      const double *psi, const float *density, size_t n,
                                      recon_maps_part part)
{
    density_pass p = { maps, m, psi, density, n, part };
    return density && m->kind->put_density
               ? recon_parallel(ctx, put_some, &p, (n + DENSITIES - 1) / DENSITIES)
               : RECON_OK;
}

double recon_maps_p_value(const recon_maps *m, const void *map, const double *psi)
{
    return recon_tails_p_value(&m->tails, m->kind->tail(map, psi));
}

double recon_maps_threshold(const recon_maps *m, double false_alarms)
{
    return recon_calibration_threshold(&m->calibration, false_alarms);
}

const recon_maps_kind *recon_maps_kind_of(const recon_group *group)
{
    static const recon_maps_kind *const kinds[] = { &recon_so2_maps, &recon_so3_maps };
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (kinds[i]->group == group)
            return kinds[i];
    return NULL;
}
