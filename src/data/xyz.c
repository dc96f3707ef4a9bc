/* xyz.c - frames of XYZ text: a number of atoms, a comment, one line per atom.
 *
 * The number is checked against the lines: nothing is allocated by it, and the last atom must be
 * followed by a frame or the end. With skip_bad reading continues at the next line that is only a
 * number. */
#include "data/xyz.h"
#include "core/ctx.h"
#include "core/fail.h"
#include "core/file.h"
#include "core/memory.h"
#include "data/elements.h"
#include "data/text.h"

#include <dirent.h>
#include <glob.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

enum { NAME = 256, COLUMNS = 1000, PATH = 4096 };

typedef struct {
    recon_span rest;
    recon_place at;
    char name[NAME];          /* of this frame */
    char file[NAME];          /* what frames without a name are called */
    size_t species, position; /* columns */
    float energy;
    int types; /* as in recon_assembly */
    uint8_t z[RECON_ATOMS_MAX];
    float xyz[3 * RECON_ATOMS_MAX];
} frame;

/* --- the comment ------------------------------------------------------------------------------ */

typedef struct {
    recon_span key, value;
    char quote; /* around the value; '=': none, 0: there is no value */
} pair;

/* The next key=value of a line, or a lone word. */
static int next_pair(pair *p, recon_span *line)
{
    while (line->at < line->end && recon_text_blank(*line->at))
        line->at++;
    *p = (pair){ .key = { line->at, line->at } };
    while (line->at < line->end && !recon_text_blank(*line->at) && *line->at != '=')
        line->at++;
    p->key.end = line->at;
    if (line->at == line->end || *line->at != '=')
        return line->at > p->key.at;
    p->quote = *line->at++;
    if (line->at < line->end && (*line->at == '"' || *line->at == '\''))
        p->quote = *line->at++;
    p->value.at = line->at;
    while (line->at < line->end &&
           (p->quote == '=' ? !recon_text_blank(*line->at) : *line->at != p->quote))
        line->at += p->quote != '=' && *line->at == '\\' && line->at + 1 < line->end ? 2 : 1;
    p->value.end = line->at;
    line->at += line->at < line->end; /* the blank or the quote */
    return 1;
}

/* In quotes a backslash stands before what is meant as it is. */
static void copy_name(char out[NAME], recon_span from, int quoted)
{
    size_t n = 0;
    for (; from.at < from.end && n + 1 < NAME; from.at++) {
        if (quoted && *from.at == '\\' && from.at + 1 < from.end)
            from.at++;
        out[n++] = *from.at;
    }
    out[n] = '\0';
}

static recon_span cut_at_colon(recon_span *list)
{
    const char *colon = list->at < list->end ? memchr(list->at, ':', recon_span_size(*list)) : NULL;
    recon_span part = { list->at, colon ? colon : list->end };
    list->at = colon ? colon + 1 : list->end;
    return part;
}

/* Columns of species and pos in "species:S:1:pos:R:3:forces:R:3", in whatever order. */
static recon_status read_properties(recon_ctx *ctx, frame *f, recon_span list)
{
    size_t column = 0, width;
    f->species = f->position = COLUMNS;
    for (; list.at < list.end; column += width) {
        recon_span name = cut_at_colon(&list);
        cut_at_colon(&list); /* the type: it follows from the name */
        if (!recon_text_count(&width, cut_at_colon(&list)) || width < 1 || width > COLUMNS - column)
            return recon_bad_place(ctx, &f->at, "Properties is not name:type:columns, repeated");
        if (width == 1 && (recon_text_is(name, "species") || recon_text_is(name, "Z")))
            f->species = column;
        if (width == 3 && recon_text_is(name, "pos"))
            f->position = column;
    }
    if (f->species == COLUMNS || f->position == COLUMNS)
        return recon_bad_place(ctx, &f->at, "Properties lacks species:S:1 or pos:R:3");
    return RECON_OK;
}

/* SMILES hold '=' too: only a key that is known makes the comment an extended one. */
static int is_known(recon_span key)
{
    static const char *const keys[] = { "Properties", "Lattice", "pbc",  "energy",
                                        "name",       "smiles",  "title" };
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (recon_text_is(key, keys[i]))
            return 1;
    return 0;
}

/* "12", "12:", "#12", "step=12", "t:0.5", "frame_012". In SMILES no number stands so: the rings of
 * "C=1CC=1" are followed by more. */
static int is_number(recon_span word)
{
    double number;
    while (word.at < word.end && strchr(",:;.)", word.end[-1]))
        word.end--;
    while (word.at < word.end && strchr("#(", *word.at))
        word.at++;
    if (recon_text_number(&number, word))
        return 1;
    const char *cut = word.at;
    while (cut < word.end && !strchr("=:#_", *cut))
        cut++;
    for (const char *c = cut; c < word.end && *cut == '_'; c++) /* the last of them */
        cut = *c == '_' ? c : cut;
    return cut < word.end && recon_text_number(&number, (recon_span){ cut + 1, word.end });
}

/* Words lie between spaces here, not between commas: "1,2-ethanediol" is a name. */
static int holds_number(recon_span line)
{
    for (recon_span word = { line.at, line.at }; word.at < line.end; word.at = word.end + 1) {
        word.end = word.at;
        while (word.end < line.end && !strchr(" \t\r", *word.end))
            word.end++;
        if (is_number(word))
            return 1;
    }
    return 0;
}

static recon_status read_comment(recon_ctx *ctx, frame *f, recon_span line)
{
    recon_span rest = line;
    int extended = 0;
    f->name[0] = '\0';
    f->species = 0;
    f->position = 1;
    f->energy = NAN;
    for (pair p; next_pair(&p, &rest);) {
        if (!p.quote || !is_known(p.key))
            continue;
        double energy;
        if (recon_text_is(p.key, "Properties"))
            RECON_CHECK(read_properties(ctx, f, p.value));
        if (recon_text_is(p.key, "energy") && recon_text_number(&energy, p.value))
            f->energy = (float)(energy * RECON_EV);
        if (recon_text_is(p.key, "name") || recon_text_is(p.key, "smiles") ||
            recon_text_is(p.key, "title"))
            copy_name(f->name, p.value, p.quote != '=');
        extended = 1;
    }
    if (!extended && !recon_text_empty(line) && !holds_number(line)) {
        while (recon_text_blank(*line.at))
            line.at++;
        while (recon_text_blank(line.end[-1]))
            line.end--;
        copy_name(f->name, line, 0);
    }
    return RECON_OK;
}

/* --- frames ----------------------------------------------------------------------------------- */

static int next_line(recon_span *line, frame *f)
{
    int found = recon_text_line(line, &f->rest);
    f->at.line += (size_t)found;
    return found;
}

/* A number alone, as a frame begins. */
static int is_count(size_t *out, recon_span line)
{
    return recon_text_count(out, recon_text_word(&line)) && recon_text_empty(line);
}

/* A symbol or a number; some programs number their atoms: "C12" is carbon. 0: neither. */
static uint8_t element_of(recon_span word)
{
    int z = recon_element_number(word.at, recon_span_size(word));
    while (!z && recon_span_size(word) > 1 && word.end[-1] >= '0' && word.end[-1] <= '9') {
        word.end--;
        z = word.at[0] > '9' ? recon_element_number(word.at, recon_span_size(word)) : 0;
    }
    return (uint8_t)z;
}

/* Force fields number the types of atoms from 1 on; helium to boron are rare in molecules. */
static int is_type(recon_span word, uint8_t z)
{
    return *word.at <= '9' && z >= 2 && z <= 5;
}

static recon_status read_atom(recon_ctx *ctx, frame *f, size_t i, recon_span line)
{
    size_t last = f->position + 2 > f->species ? f->position + 2 : f->species;
    for (size_t k = 0; k <= last; k++) {
        recon_span word = recon_text_word(&line);
        size_t axis = k - f->position;
        double x = 0;
        int shown = recon_span_size(word) < 20 ? (int)recon_span_size(word) : 20;
        if (!shown)
            return recon_bad_place(ctx, &f->at, "atom %zu: %zu columns, expected %zu", i + 1, k,
                                   last + 1);
        if (k == f->species && !(f->z[i] = element_of(word)))
            return recon_bad_place(ctx, &f->at, "atom %zu: no element is called '%.*s'", i + 1,
                                   shown, word.at);
        if (k == f->species)
            f->types |= is_type(word, f->z[i]);
        if (axis < 3 && !recon_text_number(&x, word))
            return recon_bad_place(ctx, &f->at, "%c of atom %zu is '%.*s'", "xyz"[axis], i + 1,
                                   shown, word.at);
        if (axis < 3)
            f->xyz[3 * i + axis] = (float)x;
    }
    return RECON_OK;
}

static recon_status read_atoms(recon_ctx *ctx, frame *f, size_t count)
{
    recon_span line;
    for (size_t i = 0; i < count; i++) {
        if (!next_line(&line, f))
            return recon_bad_place(ctx, &f->at, "the file ends before atom %zu of %zu", i + 1,
                                   count);
        RECON_CHECK(read_atom(ctx, f, i, line));
    }
    recon_span rest = f->rest;
    while (recon_text_line(&line, &rest))
        if (is_count(&count, line))
            break;
        else if (!recon_text_empty(line))
            return recon_bad_place(
                ctx, &f->at, "more than its atoms: neither the end nor another frame follows");
    return RECON_OK;
}

/* From its first line on, which next_line gave. */
static recon_status read_frame(recon_ctx *ctx, recon_assembly *to, frame *f, recon_span line)
{
    recon_place first = f->at;
    size_t count;
    if (!is_count(&count, line))
        return recon_bad_place(ctx, &f->at, "expected a number of atoms");
    if (count > RECON_ATOMS_MAX)
        return recon_bad_place(ctx, &f->at, "%zu atoms: %d at most", count, RECON_ATOMS_MAX);
    if (!next_line(&line, f))
        return recon_bad_place(ctx, &f->at, "the file ends before the comment");
    RECON_CHECK(read_comment(ctx, f, line));
    RECON_CHECK(read_atoms(ctx, f, count));
    const char *name = f->name[0] ? f->name : f->file;
    const recon_conformer c = {
        .atoms = count, .z = f->z, .xyz = f->xyz, .energy = f->energy, .rmsd = NAN
    };
    return recon_assembly_add(ctx, to, &c, name, strlen(name), &first);
}

static recon_status read_frames(recon_ctx *ctx, recon_assembly *to, frame *f)
{
    size_t count;
    int lost = 0; /* after a bad frame: the next one is looked for */
    for (recon_span line; next_line(&line, f);) {
        if (recon_text_empty(line) || (lost && !is_count(&count, line)))
            continue;
        f->at.number++;
        const recon_span after = f->rest;
        const size_t first = f->at.line;
        recon_status status = read_frame(ctx, to, f, line);
        lost = status != RECON_OK;
        if ((status = recon_assembly_skip(ctx, to, status)) != RECON_OK)
            return status;
        if (lost) {
            f->rest = after;
            f->at.line = first;
        }
    }
    return RECON_OK;
}

recon_status recon_xyz_parse(recon_ctx *ctx, recon_assembly *to, const void *bytes, size_t size,
                             const char *path)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    const char *dot = strrchr(name, '.'), *text = bytes;
    frame *f;
    RECON_CHECK(recon_alloc_raw(ctx, &f, 1, sizeof *f));
    f->rest = recon_text_begin(text, size);
    f->at = (recon_place){ path, "frame", 0, 0 };
    f->types = 0;
    copy_name(f->file, (recon_span){ name, dot > name ? dot : name + strlen(name) }, 0);
    recon_status status = read_frames(ctx, to, f);
    to->types |= f->types;
    free(f);
    return status;
}

/* --- files, folders, patterns, lists ---------------------------------------------------------- */

static int ends_in_xyz(const char *path)
{
    const char *dot = strrchr(path, '.');
    return dot && (!strcasecmp(dot, ".xyz") || !strcasecmp(dot, ".extxyz"));
}

/* A list of files: see molecules.h. */
static int is_list(const recon_file *file, const char *path)
{
    const char *text = (const char *)file->bytes;
    recon_span rest = recon_text_begin(text, file->size), line;
    size_t count;
    while (recon_text_line(&line, &rest))
        if (!recon_text_empty(line))
            return !ends_in_xyz(path) && !is_count(&count, line);
    return 0;
}

static recon_status read_frames_of(recon_ctx *ctx, recon_assembly *to, const char *path)
{
    recon_file file;
    RECON_CHECK(recon_file_open(ctx, &file, path));
    recon_status status = recon_xyz_parse(ctx, to, file.bytes, file.size, path);
    recon_file_close(&file);
    return status;
}

/* One line of a list, without blanks around; where it is no path of its own, beside the list. */
static recon_status read_listed(recon_ctx *ctx, recon_assembly *to, recon_span line,
                                const char *list)
{
    const char *slash = strrchr(list, '/');
    char path[PATH];
    while (line.at < line.end && recon_text_blank(*line.at))
        line.at++;
    while (line.at < line.end && recon_text_blank(line.end[-1]))
        line.end--;
    if (line.at == line.end || *line.at == '#')
        return RECON_OK;
    int folder = slash && *line.at != '/' ? (int)(slash - list) + 1 : 0;
    if (folder + recon_span_size(line) >= PATH)
        return recon_fail(ctx, RECON_ERR_FORMAT, "a path of more than %d characters", PATH - 1);
    snprintf(path, sizeof path, "%.*s%.*s", folder, list, (int)recon_span_size(line), line.at);
    return read_frames_of(ctx, to, path);
}

static recon_status read_list(recon_ctx *ctx, recon_assembly *to, const recon_file *file,
                              const char *path)
{
    const char *text = (const char *)file->bytes;
    recon_span rest = recon_text_begin(text, file->size), line;
    for (size_t number = 1; recon_text_line(&line, &rest); number++) {
        recon_status status = read_listed(ctx, to, line, path);
        if (status != RECON_OK)
            return recon_note(ctx, status, "line %zu of the list %s", number, path);
    }
    return RECON_OK;
}

static recon_status read_one(recon_ctx *ctx, recon_assembly *to, const char *path)
{
    recon_file file;
    RECON_CHECK(recon_file_open(ctx, &file, path));
    recon_status status = is_list(&file, path)
                              ? read_list(ctx, to, &file, path)
                              : recon_xyz_parse(ctx, to, file.bytes, file.size, path);
    recon_file_close(&file);
    return status;
}

static int is_xyz(const struct dirent *e)
{
    return e->d_name[0] != '.' && ends_in_xyz(e->d_name);
}

int recon_xyz_is_folder(const char *path)
{
    DIR *dir = opendir(path);
    int found = 0;
    for (struct dirent *e; dir && !found && (e = readdir(dir));)
        found = is_xyz(e);
    if (dir)
        closedir(dir);
    return found;
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

static recon_status read_folder(recon_ctx *ctx, recon_assembly *to, const char *folder)
{
    struct dirent **entry;
    char path[PATH];
    int n = scandir(folder, &entry, is_xyz, by_name);
    recon_status status = RECON_OK;
    if (n < 0)
        return recon_refused(ctx, folder, "cannot list");
    if (n == 0)
        status = recon_fail(ctx, RECON_ERR_INPUT, "%s: no .xyz or .extxyz files", folder);
    for (int i = 0; i < n; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, entry[i]->d_name);
        if (status == RECON_OK)
            status = read_frames_of(ctx, to, path);
        free(entry[i]);
    }
    free(entry);
    return status;
}

static recon_status read_pattern(recon_ctx *ctx, recon_assembly *to, const char *pattern)
{
    glob_t found = { 0 };
    recon_status status = RECON_OK;
    int code = glob(pattern, 0, NULL, &found);
    if (code == GLOB_NOSPACE)
        status = recon_fail(ctx, RECON_ERR_MEMORY, "out of memory");
    else if (code)
        status = recon_fail(ctx, RECON_ERR_IO, "%s: no file fits this", pattern);
    for (size_t i = 0; status == RECON_OK && i < found.gl_pathc; i++)
        status = read_frames_of(ctx, to, found.gl_pathv[i]);
    globfree(&found);
    return status;
}

recon_status recon_xyz_read(recon_ctx *ctx, recon_assembly *to, const char *path)
{
    struct stat info;
    int there = stat(path, &info) == 0;
    recon_status status;
    if (!there && strpbrk(path, "*?["))
        status = read_pattern(ctx, to, path);
    else
        status = (there && S_ISDIR(info.st_mode) ? read_folder : read_one)(ctx, to, path);
    if (to->types)
        recon_log(ctx, RECON_LOG_WARN,
                  "%s: atoms are numbered 2 to 5: these are taken for helium to boron; where they "
                  "are types of a force field, put symbols",
                  path);
    return status;
}

/* --- writing ---------------------------------------------------------------------------------- */

enum { LINE = 1024 };

struct recon_xyz_writer {
    recon_writer file;
    size_t frames;
};

/* 8 decimals; |x| < 1e9. */
static int put_number(char *out, size_t room, double x)
{
    long long units = llrint(fabs(x) * 1e8);
    return snprintf(out, room, "%s%lld.%08lld", x < 0 && units ? "-" : "", units / 100000000,
                    units % 100000000);
}

static recon_status put_name(recon_ctx *ctx, recon_xyz_writer *w, const char *name)
{
    char text[LINE];
    size_t n = (size_t)snprintf(text, sizeof text, " name=\"");
    for (; *name && n < LINE - 4; name++) {
        if (*name == '"' || *name == '\\')
            text[n++] = '\\';
        text[n++] = *name == '\n' ? ' ' : *name;
    }
    text[n++] = '"';
    return recon_writer_write(ctx, &w->file, text, n);
}

static recon_status put_head(recon_ctx *ctx, recon_xyz_writer *w, const recon_conformer *c,
                             const char *name)
{
    char text[LINE], number[32];
    int n = snprintf(text, sizeof text, "%zu\nProperties=species:S:1:pos:R:3", c->atoms);
    RECON_CHECK(recon_writer_write(ctx, &w->file, text, (size_t)n));
    if (name && *name)
        RECON_CHECK(put_name(ctx, w, name));
    n = 0;
    if (fabsf(c->energy) < 1e9f) {
        put_number(number, sizeof number, c->energy / RECON_EV);
        n = snprintf(text, sizeof text, " energy=%s", number);
    }
    text[n] = '\n';
    return recon_writer_write(ctx, &w->file, text, (size_t)n + 1);
}

recon_status recon_xyz_writer_add(recon_ctx *ctx, recon_xyz_writer *w, const recon_conformer *c,
                                  const char *name)
{
    const recon_place at = { NULL, "frame", ++w->frames, 0 };
    char text[LINE], x[3][32];
    RECON_CHECK(recon_conformer_check(ctx, c, &at));
    RECON_CHECK(put_head(ctx, w, c, name));
    for (size_t i = 0; i < c->atoms; i++) {
        for (size_t k = 0; k < 3; k++)
            put_number(x[k], sizeof x[k], c->xyz[3 * i + k]);
        int n = snprintf(text, sizeof text, "%-2s %16s %16s %16s\n", recon_element_symbol(c->z[i]),
                         x[0], x[1], x[2]);
        RECON_CHECK(recon_writer_write(ctx, &w->file, text, (size_t)n));
    }
    return RECON_OK;
}

recon_status recon_xyz_writer_open(recon_ctx *ctx, recon_xyz_writer **out, const char *path)
{
    recon_status status = recon_alloc(ctx, out, 1, sizeof **out);
    if (status == RECON_OK && (status = recon_writer_open(ctx, &(*out)->file, path)) != RECON_OK) {
        recon_xyz_writer_close(*out);
        *out = NULL;
    }
    return status;
}

recon_status recon_xyz_writer_sync(recon_ctx *ctx, recon_xyz_writer *writer)
{
    return recon_writer_sync(ctx, &writer->file);
}

recon_status recon_xyz_writer_commit(recon_ctx *ctx, recon_xyz_writer *writer)
{
    return recon_writer_commit(ctx, &writer->file);
}

void recon_xyz_writer_close(recon_xyz_writer *writer)
{
    if (!writer)
        return;
    recon_writer_close(&writer->file);
    free(writer);
}

recon_status recon_xyz_write(recon_ctx *ctx, const char *path, const recon_molecules *data)
{
    recon_xyz_writer *writer;
    recon_status status = recon_xyz_writer_open(ctx, &writer, path);
    for (size_t i = 0; status == RECON_OK && i < recon_molecules_describe(data).n; i++) {
        const recon_conformer c = recon_molecules_get(data, i);
        status =
            recon_xyz_writer_add(ctx, writer, &c, recon_molecules_name(data, (size_t)c.molecule));
    }
    if (status == RECON_OK)
        status = recon_xyz_writer_commit(ctx, writer);
    recon_xyz_writer_close(writer);
    return status;
}
