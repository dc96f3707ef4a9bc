/* table.c - see table.h. */
#include "model/table.h"
#include "core/fail.h"
#include "core/text.h"
#include "group/group.h"

#include <math.h>
#include <stdio.h>
#include <stdarg.h>
#include <string.h>

/* A text as a field: between quotation marks, its own doubled. */
static recon_status put_text(recon_ctx *ctx, recon_writer *to, const char *text)
{
    RECON_CHECK(recon_writer_write(ctx, to, "\"", 1));
    for (; *text; text++)
        RECON_CHECK(
            recon_writer_write(ctx, to, *text == '"' ? "\"\"" : text, *text == '"' ? 2 : 1));
    return recon_writer_write(ctx, to, "\"", 1);
}

/* Whatever else there is: numbers, commas, the end of a line. */
static recon_status put_fields(recon_ctx *ctx, recon_writer *to, const char *fmt, ...)
    RECON_PRINTF(3, 4);
static recon_status put_fields(recon_ctx *ctx, recon_writer *to, const char *fmt, ...)
{
    char line[256];
    va_list ap;
    va_start(ap, fmt);
    int n = vsnprintf(line, sizeof line, fmt, ap);
    va_end(ap);
    return recon_writer_write(ctx, to, line, (size_t)n < sizeof line ? (size_t)n : sizeof line - 1);
}

/* --- written ---------------------------------------------------------------------------------- */

static int is_of(const recon_inputs *inputs, const char *data)
{
    return !strcmp(inputs->use->kind->name, data);
}

const char *recon_table_name(char out[RECON_FILE_NAME], const recon_inputs *inputs, size_t i)
{
    const char *name = recon_inputs_name(inputs, i);
    if (!name)
        snprintf(out, RECON_FILE_NAME, "%06zu%s", i, is_of(inputs, "images") ? ".png" : "");
    return name ? name : out;
}

recon_status recon_table_open(recon_ctx *ctx, recon_table *t, const char *path,
                              const recon_inputs *inputs, const recon_group *group, int rotated)
{
    *t = (recon_table){ .to = { .fd = -1 }, inputs, group, rotated };
    RECON_CHECK(recon_writer_open(ctx, &t->to, path));
    return put_fields(ctx, &t->to,
                      "%s,index,%s,score,p_value,p_embedding,verdict,fold,candidates,cluster%s\n",
                      is_of(inputs, "images")      ? "file"
                      : is_of(inputs, "molecules") ? "molecule"
                                                   : "input",
                      group->column ? group->column : "pose", rotated ? ",rotated" : "");
}

static recon_status print_pose(recon_ctx *ctx, recon_table *t, const double *pose)
{
    recon_pose_text text;
    return put_fields(ctx, &t->to, "%s", recon_group_print(text, t->group, pose));
}

static recon_status add_one(recon_ctx *ctx, recon_table *t, const recon_row *r, size_t i)
{
    char name[RECON_FILE_NAME];
    RECON_CHECK(put_text(ctx, &t->to, recon_table_name(name, t->inputs, i)));
    RECON_CHECK(put_fields(ctx, &t->to, ",%zu,", recon_inputs_row(t->inputs, i)));
    RECON_CHECK(print_pose(ctx, t, r->pose.absolute));
    RECON_CHECK(put_fields(ctx, &t->to, ",%.6g,%.4g,", r->score, r->p_value));
    if (!isnan(r->p_embedding)) /* else the field is empty */
        RECON_CHECK(put_fields(ctx, &t->to, "%.4g", r->p_embedding));
    RECON_CHECK(put_fields(ctx, &t->to, ",%s,%d,", recon_natural_name(r->verdict), r->fold));
    for (size_t j = 0; j < r->candidates.count; j++) {
        RECON_CHECK(put_fields(ctx, &t->to, "%s", j ? ";" : ""));
        RECON_CHECK(print_pose(ctx, t, r->candidates.pose[j].absolute));
        RECON_CHECK(put_fields(ctx, &t->to, ":%.4g", r->candidates.weight[j]));
    }
    RECON_CHECK(put_fields(ctx, &t->to, ","));
    if (r->cluster >= 0)
        RECON_CHECK(put_fields(ctx, &t->to, "%lld", (long long)r->cluster));
    if (t->rotated)
        RECON_CHECK(put_fields(ctx, &t->to, ",%d", r->rotated));
    return put_fields(ctx, &t->to, "\n");
}

recon_status recon_table_add(recon_ctx *ctx, recon_table *t, const recon_row *rows, size_t first,
                             size_t n)
{
    for (size_t i = 0; i < n; i++)
        RECON_CHECK(add_one(ctx, t, &rows[i], first + i));
    return RECON_OK;
}

recon_status recon_table_sync(recon_ctx *ctx, recon_table *t)
{
    return recon_writer_sync(ctx, &t->to);
}

recon_status recon_table_commit(recon_ctx *ctx, recon_table *t)
{
    return recon_writer_commit(ctx, &t->to);
}

void recon_table_close(recon_table *t)
{
    recon_writer_close(&t->to);
}

/* --- clusters --------------------------------------------------------------------------------- */

void recon_cluster_add(recon_cluster_count *count, const recon_group *group, const recon_row *row)
{
    count->inputs++;
    count->verdict[row->verdict]++;
    count->rotation += group->length(group, row->pose.absolute);
}

/* What most of its inputs are told, and the poses of its law about the one that they take. */
static recon_status write_cluster(recon_ctx *ctx, recon_writer *to, size_t at, const recon_group *g,
                                  const recon_law *law, const recon_cluster_count *count)
{
    double back[RECON_NUMBERS_MAX], pose[RECON_NUMBERS_MAX];
    recon_pose_text text;
    int verdict = 0;
    for (int v = 1; v < RECON_NATURAL_KINDS; v++)
        verdict = count->verdict[v] > count->verdict[verdict] ? v : verdict;
    int posed = verdict != RECON_NATURAL_NONE && verdict != RECON_NATURAL_UNSURE;
    RECON_CHECK(put_fields(ctx, to, "%zu,%zu,%s,%zu,", at, count->inputs,
                           recon_natural_name((recon_natural)verdict), count->verdict[verdict]));
    g->inverse(g, back, law->mode[0].at);
    for (int j = 0; posed && j < law->modes; j++) {
        g->compose(g, pose, law->mode[j].at, back);
        RECON_CHECK(put_fields(ctx, to, "%s%s:%.4g", j ? ";" : "", recon_group_print(text, g, pose),
                               law->mode[j].weight));
    }
    return put_fields(ctx, to, ",%.2f,%.2f,%s\n", law->width * RECON_TO_DEGREES,
                      count->rotation / (double)count->inputs * RECON_TO_DEGREES,
                      posed ? "rotate" : "leave");
}

recon_status recon_clusters_write(recon_ctx *ctx, const char *path, const recon_group *group,
                                  const recon_laws *laws, const recon_cluster_count *counts)
{
    recon_writer to = { .fd = -1 };
    recon_status status;
    RECON_TRY(recon_writer_open(ctx, &to, path));
    RECON_TRY(
        put_fields(ctx, &to, "cluster,inputs,verdict,agree,poses,width_deg,rotation_deg,action\n"));
    for (size_t c = 0; c < laws->n; c++)
        if (counts[c].inputs)
            RECON_TRY(write_cluster(ctx, &to, c, group, &laws->law[c], &counts[c]));
    RECON_TRY(recon_writer_commit(ctx, &to));
done:
    recon_writer_close(&to);
    return status;
}
