/* cmd_upright.c - recon upright: from pictures or molecules as they come to upright ones, in one go.
 *
 * What it does is what train, discover and canonicalize do; what it adds is which model is taken, and that an
 * input is rotated only where nobody contradicts. A model that has learned from these inputs answers alone,
 * unless another one has learned from them too: then both must not disagree. A shipped model that has never
 * seen them knows how such things usually lie, which may be true of these or not. It has to say the same of
 * an image mirrored, narrower and flatter, and of a folder what the folder says of itself. */
#include "cli/rotate.h"
#include "backbone/kinds.h"
#include "core/ctx.h"
#include "core/fail.h"
#include "core/memory.h"
#include "core/text.h"
#include "core/picture.h"
#include "data/dataset.h"
#include "group/group.h"
#include "model/model.h"
#include "model/trust.h"

#include <math.h>
#include <recon/report/found.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int run(int argc, char **argv);
const cli_command cli_upright = {
    .name = "upright",
    .purpose = "rotate pictures or molecules upright where that is clear",
    .arguments = "PATH...",
    .example =
        "  recon upright photo.jpg\n"
        "  recon upright photos\n"
        "  recon upright photos -o straight --quick\n"
        "  recon upright molecules.xyz\n"
        "\n"
        "PATH is a picture, a folder of pictures, or an XYZ file or folder. The result is photo-upright.jpg, or\n"
        "a folder PATH-upright with all of the pictures: those that are rotated, and the others byte for\n"
        "byte as they are (as hard links where the disk allows it), with poses.csv, a table of all. Of\n"
        "24 pictures and more there are also report.html and found/, the result of `recon discover`.\n"
        "Molecules go to upright.xyz in that folder.\n"
        "\n"
        "From 60 pictures on a network is trained on them, which takes minutes. If it is not trustworthy\n"
        "(see `recon discover`) another one is, from the shipped model. The one that knows more of the\n"
        "poses of held-out pictures is taken, and a picture is left as it is where the other one\n"
        "contradicts. --quick trains nothing.\n"
        "Without training, a shipped model has to say the same of a picture, of its mirror image and of\n"
        "stretched copies, and of 24 pictures and more what they say themselves. If natural poses cannot\n"
        "be trusted (`recon discover`: do not use), nothing is rotated.\n"
        "\n"
        "The commands that do the same step by step are printed. In poses.csv the column `rotated` can\n"
        "be edited, for `recon canonicalize --actions`.\n"
        "\n"
        "Exit codes: 0 done, 1 failed, 2 wrong usage, 3 nothing could be determined.",
    .run = run,
};

enum { PATHS = 256, BLOCK = 256, TRAIN_LEAST = 60, DISCOVER_LEAST = 24, CANDIDATES = 2, VIEWS = 4 };
#define KNOWN      0.05 /* p-value of an embedding below which a thing is not known */
#define APART      (20 * RECON_TO_RADIANS) /* of two answers that contradict */
#define STRETCH    1.25                    /* of a view */
#define ERROR      (3 * RECON_TO_RADIANS)  /* of a model that has not measured it, and ... */
#define ERROR_MOST (5 * RECON_TO_RADIANS)  /* ... at most */
#define LEARNED    "learned.safetensors"

/* By kind of data, which shipped model is asked, and whether training pays. */
static const struct {
    const char *data, *model;
    int trains;
} kinds[] = { { "images", "general", 1 }, { "molecules", "conformers", 0 } };

typedef struct {
    const char *path, *out, *model;
    int quick;
    cli_data data; /* of one PATH */
    cli_common common;
    int *undetermined;
} settings;

/* What somebody says of an input: where to rotate it, in any of several ways. */
typedef struct {
    unsigned char clear, count;
    double to[RECON_MODES_MAX][RECON_NUMBERS_MAX];
} opinion;

/* Who is heard before inputs are rotated. */
typedef struct {
    opinion *of; /* [n] */
    int must;    /* agree; else not contradict */
} witness;

/* A model of these inputs. */
typedef struct {
    char dir[RECON_PATH], model[RECON_PATH]; /* its discovery, and what that was made with */
    char command[3][2 * RECON_PATH];         /* that stand for it */
    recon_discovery found;
    int usable;
} candidate;

typedef struct {
    const settings *s;
    const char *path;
    char out[RECON_PATH];
    char words[RECON_PATH + 64]; /* the path in a command line */
    const char *shipped;         /* the model that comes with recon for such data */
    recon_stage work;            /* for what is tried */
    candidate tried[CANDIDATES];
    size_t n_tried;
    candidate *taken; /* NULL: none, or the shipped model alone */
    witness witnesses[CANDIDATES + VIEWS];
    size_t n_witnesses;
    double error; /* of what is taken: an input that is nearer to its natural pose is upright */
    cli_inputs inputs;
    recon_model *model; /* that rotates */
    cli_rotated did;
} job;

/* --- opinions --------------------------------------------------------------------------------- */

/* Image x as view v has it: as it is, mirrored, narrower, flatter. Returns whether it is mirrored. */
static int view_image(float *x, float *room, const recon_dataset_info *d, int v)
{
    double fx = v == 1 ? -1 : v == 2 ? STRETCH : 1, fy = v == 3 ? STRETCH : 1;
    double cx = (d->width - 1) / 2.0, cy = (d->height - 1) / 2.0;
    size_t c = d->channels, w = d->width, h = d->height;
    memcpy(room, x, h * w * c * sizeof *x);
    for (size_t i = 0; v && i < h * w; i++) {
        double px = fmin(fmax(cx + fx * ((double)(i % w) - cx), 0), (double)w - 1);
        double py = fmin(fmax(cy + fy * ((double)(i / w) - cy), 0), (double)h - 1);
        size_t x0 = (size_t)px, y0 = (size_t)py, x1 = x0 + (x0 + 1 < w), y1 = y0 + (y0 + 1 < h);
        float u = (float)(px - (double)x0), t = (float)(py - (double)y0);
        for (size_t k = 0; k < c; k++)
            x[i * c + k] =
                (1 - t) *
                    ((1 - u) * room[(y0 * w + x0) * c + k] + u * room[(y0 * w + x1) * c + k]) +
                t * ((1 - u) * room[(y1 * w + x0) * c + k] + u * room[(y1 * w + x1) * c + k]);
    }
    return v == 1;
}

/* Of several natural poses a model that must agree cannot say which: a flip agrees with itself. */
static void note_opinion(opinion *o, const recon_row *r, const recon_group *g, int mirrored,
                         int must)
{
    o->clear = r->why == RECON_WHY_ROTATED && !(r->p_embedding < KNOWN) &&
               !(must && r->verdict != RECON_NATURAL_ONE);
    o->count = (unsigned char)r->candidates.count;
    for (size_t j = 0; j < r->candidates.count; j++)
        if (mirrored)
            g->inverse(g, o->to[j], r->candidates.pose[j].rotation);
        else
            memcpy(o->to[j], r->candidates.pose[j].rotation, sizeof o->to[j]);
}

/* Another witness: what this model says of view v of the inputs. */
static recon_status hear(recon_ctx *ctx, job *j, const recon_model *model, const cli_inputs *in,
                         int view, int must)
{
    const recon_dataset *images = recon_data_images(in->use);
    const recon_dataset_info d =
        images ? recon_dataset_describe(images) : (recon_dataset_info){ 0 };
    const recon_group *g = recon_model_describe(model).group;
    const recon_canonicalize_options how = { .only = RECON_ONLY_CLEAR };
    size_t bytes = recon_data_describe(in->use).bytes;
    witness *w = &j->witnesses[j->n_witnesses++];
    recon_row *rows = NULL;
    char *x = NULL;
    float *room = NULL;
    int mirrored = 0;
    recon_status status;
    w->must = must;
    RECON_TRY(recon_alloc(ctx, &w->of, in->n, sizeof *w->of));
    RECON_TRY(recon_alloc_raw(ctx, &rows, BLOCK, sizeof *rows));
    RECON_TRY(recon_alloc_raw(ctx, &x, BLOCK, bytes));
    RECON_TRY(recon_alloc_raw(ctx, &room, 1, bytes));
    for (size_t at = 0; at < in->n; at += BLOCK) {
        size_t n = in->n - at < BLOCK ? in->n - at : BLOCK;
        in->use->kind->read(x, in->use, at, n);
        for (size_t i = 0; images && i < n; i++)
            mirrored = view_image((float *)(void *)x + i * (bytes / sizeof(float)), room, &d, view);
        RECON_TRY(recon_rows_find(ctx, rows, model, x, n, &how));
        for (size_t i = 0; i < n; i++)
            note_opinion(&w->of[at + i], &rows[i], g, mirrored, must);
    }
done:
    free(rows);
    free(x);
    free(room);
    return status;
}

/* The shipped model as it is, of all views. */
static recon_status hear_shipped(recon_ctx *ctx, job *j, const recon_model *model,
                                 const cli_inputs *in)
{
    recon_status status = RECON_OK;
    for (int v = 0; status == RECON_OK && v < (recon_data_images(in->use) ? VIEWS : 1); v++)
        status = hear(ctx, j, model, in, v, 1);
    return status;
}

/* A witness who is sure of nothing: where it must agree, no input is rotated. */
static recon_status hear_nobody(recon_ctx *ctx, job *j)
{
    witness *w = &j->witnesses[j->n_witnesses++];
    w->must = 1;
    return recon_alloc(ctx, &w->of, j->inputs.n, sizeof *w->of);
}

/* What another model of these inputs says of them. */
static recon_status hear_model(recon_ctx *ctx, job *j, const char *path, int as_shipped)
{
    cli_subject other = { 0 };
    recon_status status;
    RECON_TRY(cli_open(ctx, &other, path, &j->s->data));
    if (other.inputs.n == j->inputs.n) /* they may take other molecules */
        RECON_TRY(as_shipped ? hear_shipped(ctx, j, other.model, &other.inputs)
                             : hear(ctx, j, other.model, &other.inputs, 0, 0));
    else if (as_shipped)
        RECON_TRY(hear_nobody(ctx, j));
done:
    cli_close(ctx, &other);
    return status;
}

static int agrees(const opinion *o, const recon_row *row, const recon_group *g)
{
    for (int i = 0; i < o->count; i++)
        if (g->distance(g, o->to[i], row->pose.rotation) <= APART)
            return 1;
    return 0;
}

static void amend(void *arg, recon_row *row, size_t i, const recon_group *g)
{
    const job *j = arg;
    for (size_t k = 0; k < j->n_witnesses && row->why == RECON_WHY_ROTATED; k++) {
        const opinion *o = &j->witnesses[k].of[i];
        if (o->clear ? !agrees(o, row, g) : j->witnesses[k].must)
            row->why = RECON_WHY_VERDICT;
    }
    if (row->why == RECON_WHY_ROTATED && g->length(g, row->pose.rotation) <= j->error)
        row->why = RECON_WHY_USUAL;
    if (row->why != RECON_WHY_ROTATED)
        g->identity(g, row->pose.rotation);
    row->rotated = row->why == RECON_WHY_ROTATED;
}

/* --- models that are tried -------------------------------------------------------------------- */

/* from: NULL or the model that training starts from. */
static recon_status learn(recon_ctx *ctx, job *j, candidate *c, const char *from)
{
    enum { SIDE = 28 }; /* of pictures that a network learns from nothing, in minutes on a CPU */
    recon_training t = { .from = from };
    recon_train_result result;
    cli_data data = j->s->data;
    cli_inputs inputs = { 0 };
    recon_status status;
    data.crop = from ? CLI_CROP_BY_MODEL : 1;
    data.size = from ? 0 : SIDE;
    snprintf(c->command[0], sizeof *c->command, "recon train %s %s -o " LEARNED, j->words,
             from ? "--from general" : "--crop auto --size 28");
    RECON_TRY(cli_training_complete(ctx, &t, &data));
    RECON_TRY(cli_inputs_open(ctx, &inputs, &data, NULL));
    recon_log(ctx, RECON_LOG_INFO, "%s: %s, training a network on them%s%s", j->path,
              recon_count((recon_count_text){ 0 }, inputs.n, inputs.use->kind->one,
                          inputs.use->kind->many),
              from ? ", once more, from the shipped model " : "", from ? from : "");
    RECON_TRY(recon_backbone_train(ctx, &result, inputs.use, c->model, &t));
done:
    recon_inputs_end(&inputs);
    return status;
}

/* A failure of the inputs, such as of too few, is no failure here: there is nothing to be found. */
static recon_status try_model(recon_ctx *ctx, job *j, candidate *c, const char *name)
{
    recon_discover_options o = { .folds = -1 };
    recon_backbone *backbone = NULL;
    cli_inputs inputs = { 0 };
    recon_status status;
    snprintf(c->command[1], sizeof *c->command, "recon discover %s -m %s --folds 0 -o found",
             j->words, name);
    RECON_TRY(recon_backbone_open(ctx, &backbone, c->model,
                                  cli_use_precision(ctx, j->s->data.precision)));
    status = cli_discover_in(ctx, &c->found, &inputs, backbone, c->model, &j->s->data, c->dir, &o);
    c->usable = status == RECON_OK && c->found.trust.level != RECON_TRUST_NOT;
done:
    recon_inputs_end(&inputs);
    recon_backbone_close(ctx, backbone);
    return status;
}

static candidate *next_candidate(job *j)
{
    candidate *c = &j->tried[j->n_tried++];
    char name[32];
    snprintf(name, sizeof name, "%zu", j->n_tried);
    recon_folder_join(c->dir, j->work.path, name);
    snprintf(name, sizeof name, "%zu.model", j->n_tried);
    recon_folder_join(c->model, j->work.path, name);
    return c;
}

static int is_better(const candidate *a, const candidate *b)
{
    const recon_trust *x = &a->found.trust, *y = &b->found.trust;
    return x->level != y->level ? x->level < y->level : x->information > y->information;
}

static recon_status try_all(recon_ctx *ctx, job *j, int trains)
{
    const char *given = j->s->model ? j->s->model : trains ? NULL : j->shipped;
    recon_status status = RECON_OK;
    for (int i = 0; i < (given ? 1 : CANDIDATES); i++) {
        candidate *c = next_candidate(j);
        if (given)
            snprintf(c->model, sizeof c->model, "%s", given);
        else
            RECON_TRY(learn(ctx, j, c, i ? j->shipped : NULL));
        RECON_TRY(try_model(ctx, j, c, given ? given : LEARNED));
        if (given == j->shipped) /* of a model that has not seen them no doubt is left */
            c->usable &= c->found.trust.level == RECON_TRUST_GOOD;
        if (c->usable && (!j->taken || is_better(c, j->taken)))
            j->taken = c;
        if (c->usable && c->found.trust.level == RECON_TRUST_GOOD)
            break;
    }
done:
    return status;
}

/* --- the result -------------------------------------------------------------------------------- */

/* The discovery beside what was rotated by it, and a page of what was done with each input. */
static recon_status put_found(recon_ctx *ctx, const job *j, cli_sink *to, const char *dir)
{
    char found[RECON_PATH], page[RECON_PATH], named[RECON_PATH], table[RECON_PATH];
    const candidate *c = j->taken ? j->taken : &j->tried[0];
    if (!j->n_tried)
        return RECON_OK;
    recon_folder_join(found, dir, RECON_FOUND);
    if (rename(c->dir, found) != 0)
        return recon_fail(ctx, RECON_ERR_IO, "%s: cannot be written", found);
    RECON_CHECK(cli_sink_complete_table(ctx, to));
    const recon_found_data shown = { .data = j->inputs.use,
                                     .table = recon_folder_join(table, dir, "poses.csv"),
                                     .folder = recon_folder_join(named, j->out, RECON_FOUND) };
    return recon_found_save(ctx, recon_folder_join(page, dir, "report.html"), found, &shown);
}

/* A picture file alone becomes a file, all else a folder. */
static int is_picture(const job *j)
{
    struct stat info;
    const char *path = recon_images_folder(j->s->data.spec);
    return path && stat(path, &info) == 0 && S_ISREG(info.st_mode);
}

static recon_status rotate_into(recon_ctx *ctx, job *j, cli_sink *to, const char *path,
                                const char *table)
{
    const cli_rotation how = { .most = cli_picture_most(&j->s->data), .link = 1 };
    const recon_canonicalize_options clear = { .only = RECON_ONLY_CLEAR };
    const recon_group *g = recon_model_describe(j->model).group;
    recon_status status;
    RECON_TRY(cli_sink_open(ctx, to, path, table, &j->inputs, g, &how));
    RECON_TRY(cli_rotate(
        ctx, &j->did,
        &(cli_rotating){ .model = j->model, .to = to, .how = &clear, .amend = amend, .arg = j }));
done:
    return status;
}

static recon_status commit(recon_ctx *ctx, const job *j, cli_sink *to)
{
    return cli_sink_commit(ctx, to, NULL, recon_model_describe(j->model).group, j->did.absolute);
}

static recon_status write_picture(recon_ctx *ctx, job *j, cli_sink *to)
{
    char dir[RECON_PATH], from[RECON_PATH], room[RECON_FILE_NAME], name[RECON_FILE_NAME + 8];
    recon_status status;
    recon_folder_join(dir, j->work.path, "picture");
    RECON_TRY(rotate_into(ctx, j, to, dir, NULL));
    RECON_TRY(commit(ctx, j, to));
    recon_picture_name(name, sizeof name, recon_table_name(room, &j->inputs, 0));
    if (rename(recon_folder_join(from, dir, name), j->out) != 0)
        RECON_TRY(recon_fail(ctx, RECON_ERR_IO, "%s: cannot be written", j->out));
done:
    return status;
}

static recon_status write_molecules(recon_ctx *ctx, job *j, cli_sink *to)
{
    char path[RECON_PATH], table[RECON_PATH];
    recon_stage stage = RECON_NO_STAGE;
    recon_status status;
    RECON_TRY(recon_stage_open(ctx, &stage, j->out, RECON_PICTURES));
    RECON_TRY(rotate_into(ctx, j, to, recon_folder_join(path, stage.path, RECON_UPRIGHT_XYZ),
                          recon_folder_join(table, stage.path, "poses.csv")));
    RECON_TRY(put_found(ctx, j, to, stage.path));
    RECON_TRY(commit(ctx, j, to));
    RECON_TRY(recon_stage_commit(ctx, &stage));
done:
    recon_stage_close(ctx, &stage);
    return status;
}

static recon_status write_all(recon_ctx *ctx, job *j)
{
    cli_sink to = CLI_NO_SINK;
    recon_status status;
    if (is_picture(j))
        status = write_picture(ctx, j, &to);
    else if (!recon_data_images(j->inputs.use))
        status = write_molecules(ctx, j, &to);
    else {
        RECON_TRY(rotate_into(ctx, j, &to, j->out, NULL));
        RECON_TRY(put_found(ctx, j, &to, to.folder));
        RECON_TRY(commit(ctx, j, &to));
    }
done:
    cli_sink_close(ctx, &to);
    return status;
}

/* --- said ------------------------------------------------------------------------------------- */

static const char *trust_of(const job *j)
{
    return !j->n_tried ? "not judged"
                       : recon_trust_name((j->taken ? j->taken : &j->tried[0])->found.trust.level);
}

static void print_commands(const job *j)
{
    for (size_t i = 0; i < j->n_tried; i++) {
        const candidate *c = &j->tried[i];
        printf("  %s %s, %+.2f nats about held-out poses%s\n", i ? "            " : "tried       ",
               recon_trust_name(c->found.trust.level), c->found.trust.information,
               c == j->taken ? ": taken" : "");
        for (int k = 0; k < 2; k++)
            if (*c->command[k])
                printf("               %s\n", c->command[k]);
    }
    if ((is_picture(j) || !j->n_tried) && j->did.rotated)
        printf("  as by        recon canonicalize %s -m %s -o DIR\n", j->words, j->shipped);
    else if (!is_picture(j) && j->n_tried)
        printf("  to change    edit the column rotated of %s/poses.csv, then\n"
               "               recon canonicalize %s -m %s/" RECON_FOUND
               " --actions %s/poses.csv -o DIR\n",
               j->out, j->words, j->out, j->out);
}

static void print_sentence(const job *j)
{
    const size_t *why = j->did.why;
    size_t n = j->inputs.n, unknown = why[RECON_WHY_VERDICT];
    if (is_picture(j) && n == 1 && j->did.rotated)
        printf("%s was rotated by %+.1f degrees: see %s\n", j->path,
               -j->did.absolute[0] * RECON_TO_DEGREES, j->out);
    else if (is_picture(j) && n == 1)
        printf("%s %s: see %s\n", j->path,
               why[RECON_WHY_USUAL] ? "is upright already" : "is undetermined, and left as it is",
               j->out);
    else if (unknown == n)
        printf("nothing could be determined, %zu of %zu are left as they are: see %s%s\n", n, n,
               j->out, j->n_tried && !is_picture(j) ? "/report.html" : "");
    else
        printf(
            "%zu of %zu were upright already, %zu were rotated, %zu are undetermined: see %s%s\n",
            why[RECON_WHY_USUAL], n, j->did.rotated, unknown, j->out,
            j->n_tried && !is_picture(j) ? "/report.html" : "");
}

static recon_status show(recon_ctx *ctx, const job *j)
{
    const size_t *why = j->did.why;
    if (j->s->common.json)
        return cli_print_json(
            ctx,
            json_pack("{s:s, s:I, s:I, s:I, s:I, s:I, s:o, s:s, s:s}", "path", j->path,
                      j->inputs.use->kind->many, (json_int_t)j->inputs.n, "upright",
                      (json_int_t)why[RECON_WHY_USUAL], "rotated", (json_int_t)j->did.rotated,
                      "undetermined", (json_int_t)why[RECON_WHY_VERDICT], "skipped",
                      (json_int_t)j->inputs.skipped, "skipped_why",
                      cli_skipped_json(&j->inputs.skips), "trust", trust_of(j), "out", j->out));
    if (j->s->common.quiet)
        return RECON_OK;
    cli_print_skipped(j->inputs.skipped, &j->inputs.skips);
    print_commands(j);
    if (j->n_tried && !j->taken)
        cli_print_reasons(&j->tried[0].found.trust, 2);
    print_sentence(j);
    return RECON_OK;
}

/* --- the work --------------------------------------------------------------------------------- */

/* Where nothing is known nothing is rotated; what the table says is what the first model thought. */
static recon_status open_model(recon_ctx *ctx, job *j)
{
    const candidate *c = j->taken ? j->taken : &j->tried[0];
    char path[RECON_PATH];
    cli_subject subject;
    recon_status status =
        cli_open(ctx, &subject,
                 j->n_tried ? recon_folder_join(path, c->dir, "model.safetensors") : j->shipped,
                 &j->s->data);
    j->model = subject.model;
    j->inputs = subject.inputs;
    j->error = ERROR;
    /* that is between two copies of an input, either of which is wrong */
    if (j->taken && isfinite(c->found.trust.moved))
        j->error = fmin(c->found.trust.moved / 2, ERROR_MOST);
    return status;
}

static recon_status hear_all(recon_ctx *ctx, job *j, int trained)
{
    char path[RECON_PATH];
    recon_status status = RECON_OK;
    for (size_t i = 0; i < j->n_tried; i++)
        if (&j->tried[i] != j->taken && j->tried[i].usable)
            RECON_TRY(hear_model(ctx, j,
                                 recon_folder_join(path, j->tried[i].dir, "model.safetensors"), 0));
    if (!trained && !(j->s->model && j->n_tried))
        RECON_TRY(hear_model(ctx, j, j->shipped, 1));
    if (j->n_tried && !j->taken)
        RECON_TRY(hear_nobody(ctx, j));
done:
    return status;
}

/* The path as a shell reads it, and with what these inputs need besides. */
static void write_path(job *j, size_t skipped)
{
    const char *plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./:=@%+,-";
    int quote = j->path[strspn(j->path, plain)] != '\0';
    snprintf(j->words, sizeof j->words, "%s%.*s%s%s", quote ? "'" : "", RECON_PATH, j->path,
             quote ? "'" : "", skipped ? " --skip-bad" : "");
}

/* The page is written after the table, so that a table that is newer has been edited. */
static recon_status keep_edited(recon_ctx *ctx, const job *j)
{
    char table[RECON_PATH], page[RECON_PATH];
    struct stat t, p;
    if (stat(recon_folder_join(table, j->out, "poses.csv"), &t) != 0 ||
        stat(recon_folder_join(page, j->out, "report.html"), &p) != 0 ||
        t.st_mtim.tv_sec < p.st_mtim.tv_sec ||
        (t.st_mtim.tv_sec == p.st_mtim.tv_sec && t.st_mtim.tv_nsec <= p.st_mtim.tv_nsec))
        return RECON_OK;
    return recon_fail(
        ctx, RECON_ERR_INPUT,
        "%s was edited, and would be replaced: recon canonicalize %s -m %s/" RECON_FOUND
        " --actions %s -o DIR applies it; or choose another --out",
        table, j->path, j->out, table);
}

static recon_status find(recon_ctx *ctx, job *j)
{
    cli_subject first = { 0 };
    int trained = 0;
    size_t kind = 0, n;
    char place[RECON_PATH];
    recon_status status;
    while (strcmp(kinds[kind].data, recon_data_kind_of(j->s->data.spec)->name) != 0)
        if (++kind == sizeof kinds / sizeof *kinds)
            return recon_fail(ctx, RECON_ERR_UNSUPPORTED, "%s: there is no model for such data",
                              j->path);
    j->shipped = kinds[kind].model;
    if (kinds[kind].trains && recon_data_is(j->s->data.spec) &&
        !recon_images_folder(j->s->data.spec))
        return recon_fail(ctx, RECON_ERR_INPUT,
                          "%s: pictures in files are needed; `recon train`, discover and "
                          "canonicalize take arrays, too",
                          j->path);
    RECON_TRY(cli_keep_apart(ctx, j->s->data.spec, j->out));
    RECON_TRY(keep_edited(ctx, j));
    RECON_TRY(cli_open(ctx, &first, j->shipped, &j->s->data));
    n = first.inputs.n;
    write_path(j, recon_data_describe(first.inputs.whole).skipped);
    cli_close(ctx, &first);
    first = (cli_subject){ 0 };
    snprintf(place, sizeof place, "%.*s.work", RECON_PATH - 16, j->out);
    RECON_TRY(recon_stage_open(ctx, &j->work, place, RECON_RESULT));
    trained = kinds[kind].trains && n >= TRAIN_LEAST && !j->s->quick && !j->s->model;
    if (n >= DISCOVER_LEAST)
        RECON_TRY(try_all(ctx, j, trained));
    else if (
        j->s->model) /* too few to find anything in: the model is asked as the shipped one would be */
        j->shipped = j->s->model;
    RECON_TRY(open_model(ctx, j));
    RECON_TRY(hear_all(ctx, j, trained));
    RECON_TRY(write_all(ctx, j));
    *j->s->undetermined = j->did.why[RECON_WHY_VERDICT] == j->inputs.n;
done:
    cli_close(ctx, &first);
    return status;
}

static recon_status work(recon_ctx *ctx, const void *arg)
{
    const settings *s = arg;
    job j = { .s = s, .path = s->path, .work = RECON_NO_STAGE };
    recon_status status;
    snprintf(j.out, sizeof j.out, "%.*s", RECON_PATH - 64, s->out);
    RECON_TRY(find(ctx, &j));
    RECON_TRY(show(ctx, &j));
done:
    for (size_t i = 0; i < j.n_tried; i++)
        recon_discovery_free(&j.tried[i].found);
    for (size_t i = 0; i < j.n_witnesses; i++)
        free(j.witnesses[i].of);
    free(j.did.absolute);
    recon_inputs_end(&j.inputs);
    recon_model_close(ctx, j.model);
    recon_stage_close(ctx, &j.work);
    return status == RECON_ERR_INTERRUPTED
               ? recon_fail(ctx, status, "interrupted: nothing was written")
               : status;
}

/* PATH-upright; of a picture the file beside it. -1, or the exit code. */
static int name_result(settings *s, char out[RECON_PATH], const char *path)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    int n = (int)strlen(path);
    struct stat info;
    int is_file = stat(path, &info) == 0 && S_ISREG(info.st_mode);
    const char *dot = is_file ? strrchr(name, '.') : NULL;
    char plain[RECON_PATH];
    while (n > 1 && path[n - 1] == '/')
        n--;
    if (!s->out && (n >= RECON_PATH - 64 || !strcmp(path + n - 1, ".") || !strcmp(path, "/")))
        return cli_misuse(&cli_upright, "%s: say with --out where the result goes", path);
    if (is_file && recon_picture_is_read(name)) {
        snprintf(plain, sizeof plain, "%.*s-upright%s", (int)(dot - path), path, dot);
        recon_picture_name(out, RECON_PATH, plain);
    } else {
        snprintf(out, RECON_PATH, "%.*s-upright", dot ? (int)(dot - path) : n, path);
    }
    s->path = path;
    s->data.spec = cli_spec(path);
    if (!is_file || !recon_picture_is_read(name) || access(s->out ? s->out : out, F_OK) != 0)
        return -1;
    return cli_misuse(&cli_upright, "%s exists: choose another --out", s->out ? s->out : out);
}

static int run(int argc, char **argv)
{
    const char *words[PATHS], *asked;
    char out[RECON_PATH];
    size_t n;
    int undetermined, any = 0;
    settings s = { .data = { .skip_bad = 1 }, .undetermined = &undetermined };
    const cli_option options[] = {
        { "--out", "PATH", NULL, "the result (default: PATH-upright)", CLI_TEXT | CLI_WRITES, 0,
          &s.out },
        { "--quick", NULL, NULL, "train nothing: use the model that comes with recon", CLI_FLAG, 0,
          &s.quick },
        { "--model", "MODEL", NULL, "use this model, of `recon train`, and train nothing",
          CLI_MODEL, 0, &s.model },
        { "--seed", "S", NULL, "random seed (default 1)", CLI_COUNT, 0, &s.data.seed },
        { "--device", NULL, "cpu|cuda|ref", "device (default cpu)", CLI_CHOICE, 0, &s.data.device },
        { 0 },
    };
    int code = cli_parse(&cli_upright, options, &s.common, argc, argv, words, PATHS, &n);
    if (code < 0 && n == 0)
        code = cli_misuse(&cli_upright, "PATH is required: a picture or a folder of pictures");
    if (code < 0 && n > 1 && s.out)
        code = cli_misuse(&cli_upright, "--out is for one PATH, but there are %zu", n);
    asked = s.out;
    for (size_t i = 0; code <= 0 && i < n; i++) {
        s.out = asked;
        undetermined = 0;
        code = name_result(&s, out, words[i]);
        if (code >= 0)
            break;
        s.out = asked ? asked : out;
        code = cli_run(&cli_upright, &s.common, work, &s);
        any |= undetermined;
    }
    return code == EXIT_DONE && any ? EXIT_UNDETERMINED : code;
}
