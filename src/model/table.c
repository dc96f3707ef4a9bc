/* table.c - see table.h. */
#include "model/table.h"
#include "core/fail.h"
#include "core/memory.h"
#include "core/text.h"
#include "data/text.h"
#include "group/group.h"

#include <math.h>
#include <stdio.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

recon_status recon_table_text(recon_ctx *ctx, recon_writer *to, const char *text)
{
    RECON_CHECK(recon_writer_write(ctx, to, "\"", 1));
    for (; *text; text++)
        RECON_CHECK(
            recon_writer_write(ctx, to, *text == '"' ? "\"\"" : text, *text == '"' ? 2 : 1));
    return recon_writer_write(ctx, to, "\"", 1);
}

recon_status recon_table_fields(recon_ctx *ctx, recon_writer *to, const char *fmt, ...)
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

const char *recon_table_heading(const recon_inputs *inputs)
{
    return is_of(inputs, "images") ? "file" : is_of(inputs, "molecules") ? "molecule" : "input";
}

recon_status recon_table_open(recon_ctx *ctx, recon_table *t, const char *path,
                              const recon_inputs *inputs, const recon_group *group, int rotated)
{
    *t = (recon_table){ .to = { .fd = -1, .stream = t->to.stream }, inputs, group, rotated };
    if (!t->to.stream)
        RECON_CHECK(recon_writer_open(ctx, &t->to, path));
    return recon_table_fields(
        ctx, &t->to, "%s,index,%s,score,p_value,p_embedding,verdict,fold,candidates,cluster%s\n",
        recon_table_heading(inputs), group->column ? group->column : "pose",
        rotated ? ",rotated" : "");
}

static recon_status print_pose(recon_ctx *ctx, recon_table *t, const double *pose)
{
    recon_pose_text text;
    return recon_table_fields(ctx, &t->to, "%s", recon_group_print(text, t->group, pose));
}

static recon_status add_one(recon_ctx *ctx, recon_table *t, const recon_row *r, size_t i)
{
    char name[RECON_FILE_NAME];
    RECON_CHECK(recon_table_text(ctx, &t->to, recon_table_name(name, t->inputs, i)));
    RECON_CHECK(recon_table_fields(ctx, &t->to, ",%zu,", recon_inputs_row(t->inputs, i)));
    RECON_CHECK(print_pose(ctx, t, r->pose.absolute));
    RECON_CHECK(recon_table_fields(ctx, &t->to, ",%.6g,%.4g,", r->score, r->p_value));
    if (!isnan(r->p_embedding)) /* else the field is empty */
        RECON_CHECK(recon_table_fields(ctx, &t->to, "%.4g", r->p_embedding));
    RECON_CHECK(
        recon_table_fields(ctx, &t->to, ",%s,%d,", recon_natural_name(r->verdict), r->fold));
    for (size_t j = 0; j < r->candidates.count; j++) {
        RECON_CHECK(recon_table_fields(ctx, &t->to, "%s", j ? ";" : ""));
        RECON_CHECK(print_pose(ctx, t, r->candidates.pose[j].absolute));
        RECON_CHECK(recon_table_fields(ctx, &t->to, ":%.4g", r->candidates.weight[j]));
    }
    RECON_CHECK(recon_table_fields(ctx, &t->to, ","));
    if (r->cluster >= 0)
        RECON_CHECK(recon_table_fields(ctx, &t->to, "%lld", (long long)r->cluster));
    if (t->rotated)
        RECON_CHECK(recon_table_fields(ctx, &t->to, ",%d", r->rotated));
    return recon_table_fields(ctx, &t->to, "\n");
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
    RECON_CHECK(recon_table_fields(ctx, to, "%zu,%zu,%s,%zu,", at, count->inputs,
                                   recon_natural_name((recon_natural)verdict),
                                   count->verdict[verdict]));
    g->inverse(g, back, law->mode[0].at);
    recon_symmetry_words_text words;
    int named = verdict == RECON_NATURAL_MODULO && law->symmetry && g->has_axis;
    if (named)
        RECON_CHECK(recon_table_fields(ctx, to, "\"%s\"",
                                       recon_symmetry_words(words, law->symmetry, law->axis[1])));
    for (int j = 0; posed && !named && j < law->modes; j++) {
        g->compose(g, pose, law->mode[j].at, back);
        RECON_CHECK(recon_table_fields(ctx, to, "%s%s:%.4g", j ? ";" : "",
                                       recon_group_print(text, g, pose), law->mode[j].weight));
    }
    return recon_table_fields(ctx, to, ",%.2f,%.2f,%s", law->width * RECON_TO_DEGREES,
                              count->rotation / (double)count->inputs * RECON_TO_DEGREES,
                              posed ? "rotate" : "leave");
}

recon_status recon_clusters_write(recon_ctx *ctx, const char *path, const recon_group *group,
                                  const recon_laws *laws, const recon_cluster_count *counts,
                                  const recon_prior_cluster *prior, size_t n_prior)
{
    recon_writer to = { .fd = -1 };
    recon_pose_text text;
    recon_status status;
    RECON_TRY(recon_writer_open(ctx, &to, path));
    RECON_TRY(recon_table_fields(
        ctx, &to, "cluster,inputs,verdict,agree,poses,width_deg,rotation_deg,action%s\n",
        prior ? ",about_prior" : ""));
    for (size_t c = 0, p = 0; c < laws->n; c++) {
        int known = p < n_prior && prior[p].cluster == c;
        p += (size_t)known;
        if (!counts[c].inputs)
            continue;
        RECON_TRY(write_cluster(ctx, &to, c, group, &laws->law[c], &counts[c]));
        RECON_TRY(
            recon_table_fields(ctx, &to, "%s%s\n", prior ? "," : "",
                               known ? recon_group_print(text, group, prior[p - 1].pose) : ""));
    }
    RECON_TRY(recon_writer_commit(ctx, &to));
done:
    recon_writer_close(&to);
    return status;
}

/* --- read again ------------------------------------------------------------------------------- */

int recon_table_line(recon_span *line, recon_span *rest)
{
    const char *at = rest->at;
    int quoted = 0;
    if (at == rest->end)
        return 0;
    for (; at < rest->end && (quoted || *at != '\n'); at++)
        quoted ^= *at == '"';
    *line = (recon_span){ rest->at, at };
    rest->at = at < rest->end ? at + 1 : at;
    return 1;
}

int recon_table_field(char *out, const char **at, const char *end)
{
    const char *p = *at;
    int quoted = p && p < end && *p == '"';
    if (!p)
        return 0;
    for (p += quoted; p < end && (quoted || *p != ','); p++) {
        if (quoted && *p == '"' && !(p + 1 < end && p[1] == '"')) {
            p++;
            break;
        }
        p += quoted && *p == '"';
        *out++ = *p;
    }
    *out = '\0';
    *at = p < end && *p == ',' ? p + 1 : NULL;
    return 1;
}

enum { NAME, INDEX, POSE, SCORE, P_VALUE, P_EMBEDDING, VERDICT, CLUSTER, ROTATED, COLUMNS };

typedef struct {
    const char *path;
    const recon_group *group;
    size_t at;           /* of the line, from 1 */
    int column[COLUMNS]; /* where each is; -1: it is not there */
    char *field[COLUMNS + 1];
} reading;

static recon_status broken(recon_ctx *ctx, const reading *r, const char *what)
{
    return recon_fail(ctx, RECON_ERR_FORMAT, "%s: line %zu: %s", r->path, r->at, what);
}

/* The first three columns have names of their own, by the data and the group. */
static recon_status read_header(recon_ctx *ctx, reading *r, recon_lines *out, recon_span line)
{
    static const char *const known[COLUMNS] = { "",        "index",   "",
                                                "score",   "p_value", "p_embedding",
                                                "verdict", "cluster", "rotated" };
    const char *at = line.at;
    for (int c = 0; c < COLUMNS; c++)
        r->column[c] = c <= POSE ? c : -1;
    for (int i = 0; recon_table_field(r->field[0], &at, line.end); i++) {
        if (i == 0)
            strcpy(out->text, r->field[0]);
        for (int c = SCORE; c < COLUMNS; c++)
            if (!strcmp(known[c], r->field[0]))
                r->column[c] = i;
    }
    out->heading = out->text;
    for (int c = SCORE; c <= VERDICT; c++)
        if (r->column[c] < 0)
            return recon_fail(ctx, RECON_ERR_FORMAT, "%s: line 1: no column %s", r->path, known[c]);
    return RECON_OK;
}

static int read_number(double *out, const char *text)
{
    int inf = !strcmp(text, "inf");
    *out = inf ? INFINITY : NAN;
    return inf || !*text || !strcmp(text, "nan") ||
           recon_text_number(out, (recon_span){ text, text + strlen(text) });
}

static int read_pose(double *out, const recon_group *group, const char *text)
{
    recon_span rest = recon_text_begin(text, strlen(text));
    for (size_t i = 0; i < group->numbers; i++) {
        if (!recon_text_number(&out[i], recon_text_word(&rest)))
            return 0;
        out[i] *= group->text_degrees ? RECON_TO_RADIANS : 1;
    }
    if (group->numbers > group->dimension && group->log &&
        group->exp) { /* rounded, they are no pose */
        group->log(group, out, out);
        group->exp(group, out, out);
    }
    return recon_text_empty(rest);
}

static recon_status read_line(recon_ctx *ctx, reading *r, recon_line *out, char **names,
                              recon_span line)
{
    const char *at = line.at;
    char *scratch = r->field[COLUMNS];
    size_t cluster;
    int verdict = 0;
    *out = (recon_line){ .name = *names, .cluster = -1 };
    for (int c = 0; c < COLUMNS; c++)
        r->field[c][0] = '\0';
    for (int i = 0; recon_table_field(scratch, &at, line.end); i++)
        for (int c = 0; c < COLUMNS; c++)
            if (r->column[c] == i)
                memmove(r->field[c], scratch, strlen(scratch) + 1);
    *names += strlen(strcpy(*names, r->field[NAME])) + 1;
    if (!read_pose(out->pose, r->group, r->field[POSE]))
        return broken(ctx, r, "no pose");
    if (!read_number(&out->score, r->field[SCORE]) ||
        !read_number(&out->p_value, r->field[P_VALUE]) ||
        !read_number(&out->p_embedding, r->field[P_EMBEDDING]))
        return broken(ctx, r, "no number");
    while (verdict < RECON_NATURAL_KINDS &&
           strcmp(recon_natural_name((recon_natural)verdict), r->field[VERDICT]))
        verdict++;
    if (verdict == RECON_NATURAL_KINDS)
        return broken(ctx, r, "unknown verdict");
    out->verdict = (recon_natural)verdict;
    if (*r->field[CLUSTER] && !recon_parse_count(&cluster, r->field[CLUSTER], 0))
        return broken(ctx, r, "no cluster");
    out->cluster = *r->field[CLUSTER] ? (int64_t)cluster : -1;
    out->rotated = !strcmp(r->field[ROTATED], "1");
    return RECON_OK;
}

recon_status recon_lines_read(recon_ctx *ctx, recon_lines *out, const char *path,
                              const recon_group *group)
{
    reading r = { .path = path, .group = group };
    recon_file file = { 0 };
    recon_span rest, line;
    char *fields = NULL, *names;
    size_t lines = 0, longest = 0;
    recon_status status;
    *out = (recon_lines){ 0 };
    RECON_TRY(recon_file_open(ctx, &file, path));
    rest = recon_text_begin((const char *)file.bytes, file.size);
    for (recon_span all = rest; recon_table_line(&line, &all); lines++)
        longest = recon_span_size(line) > longest ? recon_span_size(line) : longest;
    RECON_TRY(recon_alloc_raw(ctx, &out->line, lines, sizeof *out->line));
    RECON_TRY(recon_alloc_raw(ctx, &out->text, file.size + lines + 1, 1));
    RECON_TRY(recon_alloc_raw(ctx, &fields, COLUMNS + 1, longest + 1));
    for (size_t c = 0; c <= COLUMNS; c++)
        r.field[c] = fields + c * (longest + 1);
    names = out->text;
    while (recon_table_line(&line, &rest)) {
        if (++r.at == 1) {
            RECON_TRY(read_header(ctx, &r, out, line));
            names += strlen(names) + 1;
        } else if (!recon_text_empty(line)) {
            RECON_TRY(read_line(ctx, &r, &out->line[out->n++], &names, line));
        }
    }
    if (!out->n)
        RECON_TRY(recon_fail(ctx, RECON_ERR_FORMAT, "%s: there are no inputs in it", path));
done:
    free(fields);
    recon_file_close(&file);
    return status;
}

void recon_lines_free(recon_lines *lines)
{
    free(lines->line);
    free(lines->text);
    *lines = (recon_lines){ 0 };
}
