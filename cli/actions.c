/* actions.c - see actions.h. The table has a header; its columns file (or molecule) or cluster, action (or
 * rotated, as in poses.csv) and degrees are used, in any order, and others are ignored. */
#include "cli/actions.h"
#include "core/fail.h"
#include "core/file.h"
#include "core/memory.h"
#include "core/text.h"
#include "data/text.h"
#include "group/group.h"
#include "model/model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NAME, CLUSTER, ACTION, DEGREES, ROTATED, COLUMNS };

typedef struct {
    const char *path;
    const recon_inputs *inputs;
    const recon_group *group;
    size_t clusters; /* of the model, counted from 0 */
    size_t line;
    int column[COLUMNS];      /* where each is; -1: it is not there */
    int leaves;               /* the action of the line */
    size_t next;              /* the input after the last one that was named */
    char *field[COLUMNS + 1]; /* of a line, and one more as scratch */
} reading;

/* --- fields ----------------------------------------------------------------------------------- */

/* Which of the columns a heading is; COLUMNS: another. */
static int column_of(const char *heading)
{
    static const struct {
        const char *heading;
        int column;
    } known[] = { { "file", NAME },     { "molecule", NAME },   { "cluster", CLUSTER },
                  { "action", ACTION }, { "rotated", ROTATED }, { "degrees", DEGREES } };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (!strcmp(known[i].heading, heading))
            return known[i].column;
    return COLUMNS;
}

static recon_status read_header(recon_ctx *ctx, reading *r, recon_span line)
{
    const char *at = line.at;
    for (int c = 0; c < COLUMNS; c++)
        r->column[c] = -1;
    for (int i = 0; recon_table_field(r->field[0], &at, line.end); i++) {
        int c = column_of(r->field[0]);
        if (c < COLUMNS)
            r->column[c] = i;
    }
    if ((r->column[ACTION] < 0 && r->column[ROTATED] < 0) ||
        (r->column[NAME] < 0 && r->column[CLUSTER] < 0))
        return recon_fail(ctx, RECON_ERR_INPUT,
                          "%s: line 1: needs the columns action, and file (or molecule) or cluster",
                          r->path);
    return RECON_OK;
}

/* --- lines ------------------------------------------------------------------------------------ */

/* The input of this name. Lines mostly come in the order of the inputs. */
static recon_status find_input(recon_ctx *ctx, size_t *out, reading *r, const char *name)
{
    char other[RECON_FILE_NAME];
    for (size_t i = 0; i < r->inputs->n; i++) {
        *out = (r->next + i) % r->inputs->n;
        if (!strcmp(recon_table_name(other, r->inputs, *out), name)) {
            r->next = *out + 1;
            return RECON_OK;
        }
    }
    return recon_fail(ctx, RECON_ERR_INPUT, "%s: line %zu: no input is called '%s'", r->path,
                      r->line, name);
}

static recon_status read_degrees(recon_ctx *ctx, double *out, const reading *r, const char *text)
{
    recon_span word = { text, text + strlen(text) };
    *out = NAN;
    if (!*text)
        return RECON_OK;
    if (r->group->numbers != 1 || r->group->dimension != 1)
        return recon_fail(ctx, RECON_ERR_INPUT, "%s: line %zu: degrees are for images", r->path,
                          r->line);
    return recon_text_number(out, word)
               ? RECON_OK
               : recon_fail(ctx, RECON_ERR_INPUT, "%s: line %zu: degrees '%s' is not a number",
                            r->path, r->line, text);
}

static recon_status read_fields(recon_ctx *ctx, reading *r, recon_span line)
{
    const char *at = line.at;
    char *scratch = r->field[COLUMNS];
    for (int c = 0; c < COLUMNS; c++)
        r->field[c][0] = '\0';
    for (int i = 0; recon_table_field(scratch, &at, line.end); i++)
        for (int c = 0; c < COLUMNS; c++)
            if (r->column[c] == i)
                memmove(r->field[c], scratch, strlen(scratch) + 1);
    const char *action = r->column[ACTION] >= 0            ? r->field[ACTION]
                         : !strcmp(r->field[ROTATED], "1") ? "rotate"
                         : !strcmp(r->field[ROTATED], "0") ? "leave"
                                                           : r->field[ROTATED];
    r->leaves = action[0] == 'l';
    if (strcmp(action, "rotate") && strcmp(action, "leave"))
        return recon_fail(ctx, RECON_ERR_INPUT,
                          "%s: line %zu: the action is '%s', not rotate or leave", r->path, r->line,
                          action);
    return RECON_OK;
}

static recon_status read_line(recon_ctx *ctx, cli_actions *out, reading *r, recon_span line)
{
    cli_action *a = &out->action[out->n];
    size_t input = 0, cluster = 0;
    RECON_CHECK(read_fields(ctx, r, line));
    *a = (cli_action){ .cluster = -1, .leave = r->leaves };
    RECON_CHECK(read_degrees(ctx, &a->degrees, r, r->field[DEGREES]));
    out->n++;
    if (r->column[NAME] >= 0) {
        RECON_CHECK(find_input(ctx, &input, r, r->field[NAME]));
        out->of_input[input] = out->n;
        return RECON_OK;
    }
    if (!recon_parse_count(&cluster, r->field[CLUSTER], 0))
        return recon_fail(ctx, RECON_ERR_INPUT, "%s: line %zu: cluster '%s' is not a number",
                          r->path, r->line, r->field[CLUSTER]);
    if (cluster >= r->clusters)
        return recon_fail(ctx, RECON_ERR_INPUT, "%s: line %zu: the model has %s, no cluster %zu",
                          r->path, r->line, RECON_COUNT(r->clusters, "cluster"), cluster);
    a->cluster = (int64_t)cluster;
    return RECON_OK;
}

/* Room for as many actions as there are lines, and for fields as long as the longest. */
static recon_status make_room(recon_ctx *ctx, cli_actions *out, reading *r, recon_span rest,
                              char **fields)
{
    size_t lines = 0, longest = 0;
    for (recon_span line; recon_table_line(&line, &rest); lines++)
        longest = (size_t)(line.end - line.at) > longest ? (size_t)(line.end - line.at) : longest;
    RECON_CHECK(recon_alloc_raw(ctx, &out->action, lines, sizeof *out->action));
    RECON_CHECK(recon_alloc(ctx, &out->of_input, r->inputs->n, sizeof *out->of_input));
    RECON_CHECK(recon_alloc_raw(ctx, fields, COLUMNS + 1, longest + 1));
    for (size_t c = 0; c <= COLUMNS; c++)
        r->field[c] = *fields + c * (longest + 1);
    return RECON_OK;
}

recon_status cli_actions_open(recon_ctx *ctx, cli_actions *out, const char *path,
                              const recon_inputs *inputs, const recon_model *model)
{
    reading r = { .path = path,
                  .inputs = inputs,
                  .group = model->maps->kind->group,
                  .clusters = model->codes ? model->codes->laws.n : 0 };
    recon_file file = { 0 };
    recon_span rest, line;
    char *fields = NULL;
    recon_status status;
    *out = (cli_actions){ 0 };
    RECON_TRY(recon_file_open(ctx, &file, path));
    rest = recon_text_begin((const char *)file.bytes, file.size);
    RECON_TRY(make_room(ctx, out, &r, rest, &fields));
    while (recon_table_line(&line, &rest)) {
        r.line++;
        if (r.line == 1)
            RECON_TRY(read_header(ctx, &r, line));
        else if (!recon_text_empty(line))
            RECON_TRY(read_line(ctx, out, &r, line));
    }
    if (out->n == 0)
        RECON_TRY(recon_fail(ctx, RECON_ERR_INPUT, "%s: there are no actions in it", path));
done:
    free(fields);
    recon_file_close(&file);
    return status;
}

void cli_actions_close(cli_actions *a)
{
    recon_free_all(a->action, a->of_input);
}

/* --- done ------------------------------------------------------------------------------------- */

static const cli_action *action_for(const cli_actions *a, size_t i, int64_t cluster)
{
    if (a->of_input[i])
        return &a->action[a->of_input[i] - 1];
    for (size_t j = 0; j < a->n; j++)
        if (a->action[j].cluster >= 0 && a->action[j].cluster == cluster)
            return &a->action[j];
    return NULL;
}

void cli_actions_apply(const cli_actions *actions, recon_row *row, size_t i, const recon_group *g)
{
    const cli_action *a = action_for(actions, i, row->cluster);
    double lambda[RECON_NUMBERS_MAX];
    if (!a)
        return;
    memcpy(lambda, row->pose.lambda, sizeof lambda);
    if (!isnan(a->degrees)) {
        double angle = a->degrees * RECON_TO_RADIANS;
        g->compose(g, lambda, &angle, a->cluster < 0 ? row->pose.psi : lambda);
    }
    recon_pose_complete(&row->pose, g, lambda);
    row->candidates.pose[0] = row->pose;
    row->why = a->leave ? RECON_WHY_ASKED : RECON_WHY_ROTATED;
    if (a->leave)
        g->identity(g, row->pose.rotation);
    row->rotated = g->length(g, row->pose.rotation) != 0;
}
