/* sdf.c - records of SDF files; a MOL file is one record without its end.
 *
 * The title and the atoms of a record are used; its bonds are only checked, which detects a wrong
 * number of atoms, and the rest is skipped. */
#include "data/formats.h"
#include "core/fail.h"
#include "core/file.h"
#include "core/memory.h"
#include "data/elements.h"
#include "data/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    recon_span rest;
    recon_place at;
    size_t atoms, bonds;
    uint8_t z[RECON_ATOMS_MAX];
    float xyz[3 * RECON_ATOMS_MAX];
} record;

/* --- lines ------------------------------------------------------------------------------------ */

static int begins(recon_span line, const char *text)
{
    size_t n = strlen(text);
    return recon_span_size(line) >= n && !memcmp(line.at, text, n);
}

/* Within the record: its end and the end of the file are none of its lines. */
static recon_status next_line(recon_ctx *ctx, recon_span *line, record *r)
{
    if (r->rest.at == r->rest.end || begins(r->rest, "$$$$"))
        return recon_bad_place(ctx, &r->at, "the record is cut short");
    recon_text_line(line, &r->rest);
    r->at.line++;
    return RECON_OK;
}

/* Columns first .. first + width - 1, without blanks around. */
static recon_span columns(recon_span line, size_t first, size_t width)
{
    size_t n = recon_span_size(line);
    const char *at = line.at + (first < n ? first : n);
    recon_span cut = { at, at + (first + width < n ? width : first < n ? n - first : 0) };
    while (cut.at < cut.end && recon_text_blank(*cut.at))
        cut.at++;
    while (cut.at < cut.end && recon_text_blank(cut.end[-1]))
        cut.end--;
    return cut;
}

static int shown(recon_span word)
{
    return recon_span_size(word) < 20 ? (int)recon_span_size(word) : 20;
}

static recon_status take_atom(recon_ctx *ctx, record *r, size_t i, recon_span symbol,
                              const recon_span place[3])
{
    r->z[i] = (uint8_t)recon_element_number(symbol.at, recon_span_size(symbol));
    if (!r->z[i])
        return recon_bad_place(ctx, &r->at, "atom %zu: no element is called '%.*s'", i + 1,
                               shown(symbol), symbol.at);
    for (size_t k = 0; k < 3; k++) {
        double x;
        if (!recon_text_number(&x, place[k]))
            return recon_bad_place(ctx, &r->at, "%c of atom %zu is '%.*s'", "xyz"[k], i + 1,
                                   shown(place[k]), place[k].at);
        r->xyz[3 * i + k] = (float)x;
    }
    return RECON_OK;
}

static recon_status check_counts(recon_ctx *ctx, record *r, recon_span atoms, recon_span bonds)
{
    if (!recon_text_count(&r->atoms, atoms) || !recon_text_count(&r->bonds, bonds))
        return recon_bad_place(ctx, &r->at, "expected numbers of atoms and bonds");
    if (r->atoms > RECON_ATOMS_MAX)
        return recon_bad_place(ctx, &r->at, "%zu atoms: %d at most", r->atoms, RECON_ATOMS_MAX);
    return RECON_OK;
}

/* --- V2000: columns --------------------------------------------------------------------------- */

static recon_status read_v2000(recon_ctx *ctx, record *r, recon_span counts)
{
    recon_span line;
    RECON_CHECK(check_counts(ctx, r, columns(counts, 0, 3), columns(counts, 3, 3)));
    for (size_t i = 0; i < r->atoms; i++) {
        RECON_CHECK(next_line(ctx, &line, r));
        const recon_span place[] = { columns(line, 0, 10), columns(line, 10, 10),
                                     columns(line, 20, 10) };
        RECON_CHECK(take_atom(ctx, r, i, columns(line, 31, 3), place));
    }
    for (size_t i = 0; i < r->bonds; i++) {
        RECON_CHECK(next_line(ctx, &line, r));
        size_t a, b;
        if (!recon_text_count(&a, columns(line, 0, 3)) ||
            !recon_text_count(&b, columns(line, 3, 3)) || a - 1 >= r->atoms || b - 1 >= r->atoms)
            return recon_bad_place(ctx, &r->at, "bond %zu is not between two of %zu atoms", i + 1,
                                   r->atoms);
    }
    RECON_CHECK(next_line(ctx, &line, r));
    if (line.at == line.end || !strchr("MAVGS", *line.at))
        return recon_bad_place(ctx, &r->at, "more than %zu atoms and %zu bonds", r->atoms,
                               r->bonds);
    while (!begins(line, "M  END"))
        RECON_CHECK(next_line(ctx, &line, r));
    return RECON_OK;
}

/* --- V3000: words ----------------------------------------------------------------------------- */

static recon_status next_part(recon_ctx *ctx, recon_span *line, record *r)
{
    RECON_CHECK(next_line(ctx, line, r));
    if (!begins(*line, "M  V30"))
        return recon_bad_place(ctx, &r->at, "expected a line that begins with 'M  V30'");
    *line = columns(*line, 6, recon_span_size(*line));
    return RECON_OK;
}

/* A line may go on in the next, after a dash; what is read here stands in its first part. */
static recon_status next_words(recon_ctx *ctx, recon_span *line, record *r)
{
    recon_status status = next_part(ctx, line, r);
    recon_span part = *line;
    while (status == RECON_OK && part.at < part.end && part.end[-1] == '-')
        status = next_part(ctx, &part, r);
    return status;
}

static recon_status expect(recon_ctx *ctx, record *r, const char *verb, const char *noun)
{
    recon_span line;
    RECON_CHECK(next_words(ctx, &line, r));
    if (!recon_text_is(recon_text_word(&line), verb) ||
        !recon_text_is(recon_text_word(&line), noun))
        return recon_bad_place(ctx, &r->at, "expected %s %s", verb, noun);
    return RECON_OK;
}

static recon_status read_v3000(recon_ctx *ctx, record *r)
{
    recon_span line;
    RECON_CHECK(expect(ctx, r, "BEGIN", "CTAB"));
    RECON_CHECK(next_words(ctx, &line, r));
    recon_text_word(&line); /* COUNTS */
    recon_span atoms = recon_text_word(&line), bonds = recon_text_word(&line);
    RECON_CHECK(check_counts(ctx, r, atoms, bonds));
    RECON_CHECK(expect(ctx, r, "BEGIN", "ATOM"));
    for (size_t i = 0; i < r->atoms; i++) {
        RECON_CHECK(next_words(ctx, &line, r));
        recon_text_word(&line); /* its number */
        recon_span symbol = recon_text_word(&line), place[3];
        for (size_t k = 0; k < 3; k++)
            place[k] = recon_text_word(&line);
        RECON_CHECK(take_atom(ctx, r, i, symbol, place));
    }
    RECON_CHECK(expect(ctx, r, "END", "ATOM"));
    while (!begins(line, "M  END"))
        RECON_CHECK(next_line(ctx, &line, r));
    return RECON_OK;
}

/* --- records ---------------------------------------------------------------------------------- */

static int is_v3000(recon_span counts)
{
    recon_span last = { 0 }, word;
    while (word = recon_text_word(&counts), word.at < word.end)
        last = word;
    return last.at && recon_text_is(last, "V3000");
}

static recon_status read_record(recon_ctx *ctx, recon_assembly *to, record *r)
{
    recon_span title, program, comment, counts;
    recon_place first = r->at;
    first.line++;
    RECON_CHECK(next_line(ctx, &title, r));
    RECON_CHECK(next_line(ctx, &program, r));
    if (recon_text_is(columns(program, 20, 2), "2D"))
        return recon_bad_place(ctx, &r->at, "a drawing (2D): it has no pose");
    RECON_CHECK(next_line(ctx, &comment, r));
    RECON_CHECK(next_line(ctx, &counts, r));
    RECON_CHECK(is_v3000(counts) ? read_v3000(ctx, r) : read_v2000(ctx, r, counts));
    const recon_conformer c = {
        .atoms = r->atoms, .z = r->z, .xyz = r->xyz, .energy = NAN, .rmsd = NAN
    };
    title = columns(title, 0, recon_span_size(title));
    return recon_assembly_add(ctx, to, &c, title.at, recon_span_size(title), &first);
}

static int is_over(recon_span rest)
{
    while (rest.at < rest.end && (*rest.at == '\n' || recon_text_blank(*rest.at)))
        rest.at++;
    return rest.at == rest.end;
}

static recon_status read_records(recon_ctx *ctx, recon_assembly *to, record *r)
{
    while (!is_over(r->rest)) {
        r->at.number++;
        RECON_CHECK(recon_assembly_skip(ctx, to, read_record(ctx, to, r)));
        for (recon_span line = { 0 }; recon_text_line(&line, &r->rest);) {
            r->at.line++;
            if (begins(line, "$$$$"))
                break;
        }
    }
    return RECON_OK;
}

recon_status recon_sdf_parse(recon_ctx *ctx, recon_assembly *to, const void *bytes, size_t size,
                             const char *path)
{
    const char *text = bytes;
    record *r;
    RECON_CHECK(recon_alloc_raw(ctx, &r, 1, sizeof *r));
    r->rest = recon_text_begin(text, size);
    r->at = (recon_place){ path, "record", 0, 0 };
    recon_status status = read_records(ctx, to, r);
    free(r);
    return status;
}

recon_status recon_sdf_read(recon_ctx *ctx, recon_assembly *to, const char *path)
{
    recon_file file;
    RECON_CHECK(recon_file_open(ctx, &file, path));
    recon_status status = recon_sdf_parse(ctx, to, file.bytes, file.size, path);
    recon_file_close(&file);
    return status;
}
