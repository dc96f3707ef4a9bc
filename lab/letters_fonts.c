/* letters_fonts.c - finds the fonts of the system and draws their letters at any angle, with
 * FreeType.
 *
 * The choice of faces must not depend on the order of files or on other installed fonts, so it is
 * made by name. A face is left out if it lacks a letter, a letter does not fit the frame or is an
 * ornament, its lower case is its upper case made smaller, or it looks like one chosen before (one
 * design often has several names). */
#include "lab/letters.h"
#include "core/ctx.h"
#include "core/fail.h"

#define SYSTEM_FONTS "/usr/share/fonts"

/* FNV-1a: short, and the same in any language (tools/make-general-corpus has it too). */
uint32_t letters_hash(const char *text, uint64_t seed)
{
    uint32_t hash = 2166136261u ^ (uint32_t)(seed * 2654435761u);
    for (; *text; text++)
        hash = (hash ^ (unsigned char)*text) * 16777619u;
    return hash;
}

static const char *name_of(const char *path)
{
    const char *slash = path;
    for (const char *c = path; *c; c++)
        slash = *c == '/' ? c + 1 : slash;
    return slash;
}

/* The first letters of the file's name: "DejaVuSansMono-Bold.ttf" is of "dejavusa". */
const char *letters_family_of(letters_family out, const char *path)
{
    enum { LETTERS = 8 };
    size_t n = 0;
    for (const char *c = name_of(path); *c && *c != '-' && *c != '.' && n < LETTERS; c++)
        if ((*c | 32) >= 'a' && (*c | 32) <= 'z')
            out[n++] = (char)(*c | 32);
    out[n] = '\0';
    return out;
}

int letters_is_held(const char *family)
{
    enum { OF = 4 };
    return letters_hash(family, 0) % OF == 0;
}

#ifdef RECON_HAVE_FREETYPE

#include "core/memory.h"
#include <dirent.h>
#include <limits.h>
#include <ft2build.h>
#include FT_BBOX_H
#include FT_FREETYPE_H
#include FT_OUTLINE_H
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

enum {
    DEPTH = 6,   /* of folders */
    COARSE = 14, /* the side of what faces are compared by */
    ALIKE = 4,   /* percent of the ink in which the same design may differ */
    ALIKE_CASE = 25,
    MARGIN = 4, /* pixels around an upright letter, at least */
    LEAST = 8   /* pixels of a letter's height */
};

typedef struct {
    char *path;
    uint32_t order;
} candidate;

typedef struct {
    char *path;
    FT_Face font;
    uint8_t *looks; /* [kinds][COARSE][COARSE] */
} face;

struct letters_fonts {
    letters_plan plan;
    FT_Library library;
    candidate *found;
    size_t n_found, room_found;
    face *of[LETTERS_PARTS];
    size_t n[LETTERS_PARTS];
};

/* --- files ------------------------------------------------------------------------------------ */

static int is_font(const char *name)
{
    static const char *const ends[] = { ".ttf", ".otf", ".pfb", ".t1" };
    const char *dot = strrchr(name, '.');
    for (size_t i = 0; dot && i < sizeof ends / sizeof *ends; i++)
        if (!strcasecmp(dot, ends[i]))
            return 1;
    return 0;
}

static recon_status find_fonts(recon_ctx *ctx, letters_fonts *f, const char *folder, uint64_t seed,
                               int depth)
{
    DIR *dir = depth ? opendir(folder) : NULL;
    recon_status status = RECON_OK;
    for (struct dirent *e; dir && (e = readdir(dir));) {
        char path[4096];
        struct stat info;
        if (e->d_name[0] == '.' ||
            (size_t)snprintf(path, sizeof path, "%s/%s", folder, e->d_name) >= sizeof path ||
            stat(path, &info) != 0)
            continue;
        if (S_ISDIR(info.st_mode))
            RECON_TRY(find_fonts(ctx, f, path, seed, depth - 1));
        else if (is_font(e->d_name)) {
            RECON_TRY(recon_grow(ctx, &f->found, &f->room_found, f->n_found, f->n_found + 1,
                                 sizeof *f->found));
            f->found[f->n_found] = (candidate){ strdup(path), letters_hash(e->d_name, seed) };
            if (!f->found[f->n_found++].path)
                RECON_TRY(recon_fail(ctx, RECON_ERR_MEMORY, "out of memory"));
        }
    }
done:
    if (dir)
        closedir(dir);
    return status;
}

static int by_order(const void *a, const void *b)
{
    const candidate *x = a, *y = b;
    return x->order != y->order ? (x->order > y->order) - (x->order < y->order)
                                : strcmp(x->path, y->path);
}

/* --- outlines --------------------------------------------------------------------------------- */

/* The outline of a letter in the font's slot, in 64ths of a pixel, and its box; 0: there is
 * none. */
static FT_Outline *load(FT_Face font, uint32_t code, FT_BBox *box)
{
    FT_UInt glyph = FT_Get_Char_Index(font, code);
    if (!glyph || FT_Load_Glyph(font, glyph, FT_LOAD_NO_HINTING | FT_LOAD_NO_BITMAP) ||
        font->glyph->format != FT_GLYPH_FORMAT_OUTLINE ||
        FT_Outline_Get_BBox(&font->glyph->outline, box) || box->xMin >= box->xMax ||
        box->yMin >= box->yMax)
        return NULL;
    return &font->glyph->outline;
}

/* The outline by a matrix about the middle of its box, into the middle of a frame. */
static int paint(uint8_t *out, size_t size, FT_Library library, FT_Outline *outline,
                 const FT_BBox *box, const double matrix[2][2])
{
    const FT_Matrix m = { .xx = (FT_Fixed)lround(matrix[0][0] * 65536),
                          .xy = (FT_Fixed)lround(matrix[0][1] * 65536),
                          .yx = (FT_Fixed)lround(matrix[1][0] * 65536),
                          .yy = (FT_Fixed)lround(matrix[1][1] * 65536) };
    FT_Bitmap bitmap = { .rows = (unsigned)size,
                         .width = (unsigned)size,
                         .pitch = (int)size,
                         .buffer = out,
                         .num_grays = 256,
                         .pixel_mode = FT_PIXEL_MODE_GRAY };
    memset(out, 0, size * size);
    FT_Outline_Translate(outline, -(box->xMin + box->xMax) / 2, -(box->yMin + box->yMax) / 2);
    FT_Outline_Transform(outline, &m);
    FT_Outline_Translate(outline, (FT_Pos)size * 32, (FT_Pos)size * 32);
    return FT_Outline_Get_Bitmap(library, outline, &bitmap) == 0;
}

static int paint_rotated(uint8_t *out, const letters_fonts *f, FT_Face font, uint32_t code,
                         double angle)
{
    const double rotation[2][2] = { { cos(angle), -sin(angle) }, { sin(angle), cos(angle) } };
    FT_BBox box;
    FT_Outline *outline = load(font, code, &box);
    return outline && paint(out, f->plan.size, f->library, outline, &box, rotation);
}

/* --- texts ------------------------------------------------------------------------------------ */

/* Calls visit with every letter's outline and where it stands; 0: a letter is not there. A blank
 * has no outline. */
typedef int visit_letter(void *user, const FT_Outline *outline, FT_Pos x);
static int each_letter(FT_Face font, const char *text, visit_letter *visit, void *user)
{
    FT_UInt before = 0;
    FT_Pos x = 0;
    for (; *text; text++) {
        FT_UInt glyph = FT_Get_Char_Index(font, (unsigned char)*text);
        FT_Vector kern = { 0, 0 };
        if (!glyph || FT_Load_Glyph(font, glyph, FT_LOAD_NO_HINTING | FT_LOAD_NO_BITMAP) ||
            font->glyph->format != FT_GLYPH_FORMAT_OUTLINE)
            return 0;
        if (before && !FT_Get_Kerning(font, before, glyph, FT_KERNING_UNFITTED, &kern))
            x += kern.x;
        if (!visit(user, &font->glyph->outline, x))
            return 0;
        x += font->glyph->advance.x;
        before = glyph;
    }
    return 1;
}

static int count_points(void *user, const FT_Outline *one, FT_Pos x)
{
    FT_Outline *sum = user;
    (void)x;
    if (sum->n_points + one->n_points > SHRT_MAX || sum->n_contours + one->n_contours > SHRT_MAX)
        return 0;
    sum->n_points = (short)(sum->n_points + one->n_points);
    sum->n_contours = (short)(sum->n_contours + one->n_contours);
    return 1;
}

static int append(void *user, const FT_Outline *one, FT_Pos x)
{
    FT_Outline *all = user;
    for (int i = 0; i < one->n_points; i++) {
        all->points[all->n_points + i] =
            (FT_Vector){ .x = one->points[i].x + x, .y = one->points[i].y };
        all->tags[all->n_points + i] = one->tags[i];
    }
    for (int i = 0; i < one->n_contours; i++)
        all->contours[all->n_contours + i] = (short)(one->contours[i] + all->n_points);
    all->flags = one->flags & ~FT_OUTLINE_OWNER;
    return count_points(all, one, x);
}

/* The outlines of a text's letters as one, and its box; free it with FT_Outline_Done. 0: a letter
 * is not there. */
static int load_text(FT_Outline *out, FT_BBox *box, const letters_fonts *f, FT_Face font,
                     const char *text)
{
    FT_Outline sum = { 0 };
    if (!each_letter(font, text, count_points, &sum) || sum.n_points == 0 ||
        FT_Outline_New(f->library, (FT_UInt)sum.n_points, sum.n_contours, out))
        return 0;
    out->n_points = out->n_contours = 0; /* as many as were appended */
    int flags = out->flags;
    int whole = each_letter(font, text, append, out) && !FT_Outline_Get_BBox(out, box);
    out->flags |= flags;
    if (!whole)
        FT_Outline_Done(f->library, out);
    return whole;
}

int letters_text_size(const letters_fonts *f, int part, size_t i, const char *text, double size[2])
{
    FT_Outline outline;
    FT_BBox box;
    if (!load_text(&outline, &box, f, f->of[part][i].font, text))
        return 0;
    FT_Outline_Done(f->library, &outline);
    size[0] = (double)(box.xMax - box.xMin) / 64;
    size[1] = (double)(box.yMax - box.yMin) / 64;
    return 1;
}

recon_status letters_draw_text(recon_ctx *ctx, uint8_t *out, size_t size, const letters_fonts *f,
                               int part, size_t i, const char *text, double scale, double angle)
{
    const double c = scale * cos(angle), s = scale * sin(angle);
    FT_Outline outline;
    FT_BBox box;
    if (load_text(&outline, &box, f, f->of[part][i].font, text)) {
        int drawn = paint(out, size, f->library, &outline, &box,
                          (const double[2][2]){ { c, -s }, { s, c } });
        FT_Outline_Done(f->library, &outline);
        if (drawn)
            return RECON_OK;
    }
    return recon_fail(ctx, RECON_ERR_FORMAT, "%s: '%s' cannot be drawn", f->of[part][i].path, text);
}

/* --- which faces ------------------------------------------------------------------------------ */

static int are_alike(const uint8_t *a, const uint8_t *b, size_t n, int percent)
{
    size_t differ = 0, ink = 0;
    for (size_t i = 0; i < n; i++) {
        differ += (size_t)abs(a[i] - b[i]);
        ink += (size_t)(a[i] + b[i]) / 2;
    }
    return differ * 100 < ink * (size_t)percent;
}

/* A letter stretched to fill a small frame. */
static int paint_stretched(uint8_t *out, size_t size, FT_Library library, FT_Face font,
                           uint32_t code)
{
    FT_BBox box;
    FT_Outline *outline = load(font, code, &box);
    if (!outline)
        return 0;
    const double side = (double)size * 64;
    const double stretch[2][2] = { { side / (double)(box.xMax - box.xMin), 0 },
                                   { 0, side / (double)(box.yMax - box.yMin) } };
    return paint(out, size, library, outline, &box, stretch);
}

/* Capitals in place of small letters: the same letter would be two kinds. */
static int lacks_lower_case(const letters_fonts *f, FT_Face font)
{
    enum { SIDE = 2 * COARSE };
    static const char upper[] = "AEGR", lower[] = "aegr";
    uint8_t a[SIDE * SIDE], b[SIDE * SIDE];
    int alike = 0, seen = 0;
    for (size_t i = 0; upper[i]; i++)
        if (paint_stretched(a, SIDE, f->library, font, (uint32_t)upper[i]) &&
            paint_stretched(b, SIDE, f->library, font, (uint32_t)lower[i])) {
            seen++;
            alike += are_alike(a, b, sizeof a, ALIKE_CASE);
        }
    return seen && 2 * alike > seen;
}

/* Ornaments in the places of letters: their own name for what stands there is not the letter's. */
static int is_symbols(FT_Face font)
{
    char name[8] = "";
    FT_UInt glyph = FT_Get_Char_Index(font, 'A');
    return glyph && FT_HAS_GLYPH_NAMES(font) &&
           FT_Get_Glyph_Name(font, glyph, name, sizeof name) == 0 && strcmp(name, "A") != 0;
}

static int fits(const letters_fonts *f, FT_Face font, uint32_t code)
{
    const FT_Pos most = (FT_Pos)(f->plan.size - 2 * MARGIN) * 64;
    FT_BBox box;
    return load(font, code, &box) && box.xMax - box.xMin <= most && box.yMax - box.yMin <= most &&
           box.yMax - box.yMin >= LEAST * 64;
}

/* size x size made COARSE x COARSE by means. */
static void coarsen(uint8_t *out, const uint8_t *in, size_t size)
{
    for (size_t p = 0; p < COARSE; p++)
        for (size_t q = 0; q < COARSE; q++) {
            size_t sum = 0, n = 0;
            for (size_t i = p * size / COARSE; i < (p + 1) * size / COARSE; i++)
                for (size_t j = q * size / COARSE; j < (q + 1) * size / COARSE; j++, n++)
                    sum += in[i * size + j];
            out[p * COARSE + q] = (uint8_t)(sum / (n ? n : 1));
        }
}

/* How its letters look; 0: they cannot be used. */
static int look(uint8_t *looks, uint8_t *room, const letters_fonts *f, FT_Face font)
{
    const size_t coarse = COARSE * COARSE;
    for (size_t k = 0; k < f->plan.kinds; k++) {
        uint32_t code = f->plan.kind[k].code;
        if (!fits(f, font, code) || !paint_rotated(room, f, font, code, 0))
            return 0;
        coarsen(looks + k * coarse, room, f->plan.size);
        for (size_t j = 0; j < k; j++)
            if (are_alike(looks + j * coarse, looks + k * coarse, coarse, ALIKE))
                return 0;
    }
    return 1;
}

static int is_taken(const letters_fonts *f, const uint8_t *looks)
{
    for (int part = 0; part < LETTERS_PARTS; part++)
        for (size_t i = 0; i < f->n[part]; i++)
            if (are_alike(f->of[part][i].looks, looks, f->plan.kinds * COARSE * COARSE, ALIKE))
                return 1;
    return 0;
}

static int is_usable(uint8_t *looks, uint8_t *room, const letters_fonts *f, FT_Face font)
{
    return !FT_Select_Charmap(font, FT_ENCODING_UNICODE) &&
           !FT_Set_Pixel_Sizes(font, 0, (FT_UInt)f->plan.em) && !is_symbols(font) &&
           look(looks, room, f, font) && !lacks_lower_case(f, font) && !is_taken(f, looks);
}

static size_t count_family(const letters_fonts *f, int part, const char *family)
{
    letters_family other;
    size_t n = 0;
    for (size_t i = 0; i < f->n[part]; i++)
        n += !strcmp(letters_family_of(other, f->of[part][i].path), family);
    return n;
}

static recon_status consider(recon_ctx *ctx, letters_fonts *f, const char *path, uint8_t *room)
{
    const size_t wanted[LETTERS_PARTS] = { f->plan.fonts, f->plan.test_fonts };
    letters_family family;
    int part = letters_is_held(letters_family_of(family, path)) ? LETTERS_TEST : LETTERS_TRAIN;
    face one = { 0 };
    recon_status status = RECON_OK;
    if (f->n[part] == wanted[part] || count_family(f, part, family) >= f->plan.per_family)
        return RECON_OK;
    RECON_TRY(recon_alloc(ctx, &one.looks, f->plan.kinds, COARSE * COARSE));
    if (FT_New_Face(f->library, path, 0, &one.font) == 0 &&
        is_usable(one.looks, room, f, one.font)) {
        one.path = strdup(path);
        if (!one.path)
            RECON_TRY(recon_fail(ctx, RECON_ERR_MEMORY, "out of memory"));
        f->of[part][f->n[part]++] = one;
        return RECON_OK;
    }
done:
    if (one.font)
        FT_Done_Face(one.font);
    free(one.looks);
    return status;
}

static recon_status choose(recon_ctx *ctx, letters_fonts *f)
{
    uint8_t *room = NULL;
    recon_status status;
    RECON_TRY(recon_alloc_raw(ctx, &room, f->plan.size, f->plan.size));
    RECON_TRY(recon_alloc(ctx, &f->of[LETTERS_TRAIN], f->plan.fonts, sizeof(face)));
    RECON_TRY(recon_alloc(ctx, &f->of[LETTERS_TEST], f->plan.test_fonts, sizeof(face)));
    for (size_t i = 0; i < f->n_found; i++) {
        RECON_TRY(recon_interrupted(ctx));
        RECON_TRY(consider(ctx, f, f->found[i].path, room));
    }
done:
    free(room);
    return status;
}

static recon_status check_numbers(recon_ctx *ctx, const letters_fonts *f, const char *folder)
{
    size_t train = f->n[LETTERS_TRAIN], test = f->n[LETTERS_TEST];
    if (!train || !test)
        return recon_fail(
            ctx, RECON_ERR_INPUT,
            "%s: %zu different fonts with these letters for training and %zu for tests "
            "among %zu files: `tools/setup fonts` installs more",
            folder, train, test, f->n_found);
    if (train < f->plan.fonts || test < f->plan.test_fonts)
        recon_log(
            ctx, RECON_LOG_WARN,
            "%s: %zu different fonts for training and %zu for tests, fewer than the %zu and %zu "
            "of the plan: `tools/setup fonts` installs more",
            folder, train, test, f->plan.fonts, f->plan.test_fonts);
    return RECON_OK;
}

recon_status letters_fonts_open(recon_ctx *ctx, letters_fonts **out, const letters_plan *plan,
                                const char *folder, uint64_t seed)
{
    letters_fonts *f;
    folder = folder ? folder : SYSTEM_FONTS;
    RECON_CHECK(recon_alloc(ctx, out, 1, sizeof **out));
    f = *out;
    f->plan = *plan;
    if (FT_Init_FreeType(&f->library))
        return recon_fail(ctx, RECON_ERR_MEMORY, "FreeType does not start");
    RECON_CHECK(find_fonts(ctx, f, folder, seed, DEPTH));
    if (f->n_found)
        qsort(f->found, f->n_found, sizeof *f->found, by_order);
    RECON_CHECK(choose(ctx, f));
    return check_numbers(ctx, f, folder);
}

void letters_fonts_free(letters_fonts *f)
{
    if (!f)
        return;
    for (int part = 0; part < LETTERS_PARTS; part++) {
        for (size_t i = 0; i < f->n[part]; i++) {
            FT_Done_Face(f->of[part][i].font);
            recon_free_all(f->of[part][i].path, f->of[part][i].looks);
        }
        free(f->of[part]);
    }
    for (size_t i = 0; i < f->n_found; i++)
        free(f->found[i].path);
    free(f->found);
    if (f->library)
        FT_Done_FreeType(f->library);
    free(f);
}

size_t letters_fonts_count(const letters_fonts *f, int part)
{
    return f->n[part];
}

const char *letters_fonts_path(const letters_fonts *f, int part, size_t i)
{
    return f->of[part][i].path;
}

recon_status letters_draw(recon_ctx *ctx, uint8_t *out, const letters_fonts *f, int part, size_t i,
                          size_t kind, double angle)
{
    const face *one = &f->of[part][i];
    if (paint_rotated(out, f, one->font, f->plan.kind[kind].code, angle))
        return RECON_OK;
    return recon_fail(ctx, RECON_ERR_FORMAT, "%s: '%s' cannot be drawn", one->path,
                      f->plan.kind[kind].name);
}

#else

#include <stddef.h>

struct letters_fonts {
    char none;
};

recon_status letters_fonts_open(recon_ctx *ctx, letters_fonts **out, const letters_plan *plan,
                                const char *folder, uint64_t seed)
{
    (void)plan, (void)folder, (void)seed;
    *out = NULL;
    return recon_fail(ctx, RECON_ERR_UNSUPPORTED,
                      "fonts: built without FreeType: install libfreetype-dev and build again");
}

void letters_fonts_free(letters_fonts *f)
{
    (void)f;
}

size_t letters_fonts_count(const letters_fonts *f, int part)
{
    (void)f, (void)part;
    return 0;
}

const char *letters_fonts_path(const letters_fonts *f, int part, size_t i)
{
    (void)f, (void)part, (void)i;
    return NULL;
}

recon_status letters_draw(recon_ctx *ctx, uint8_t *out, const letters_fonts *f, int part, size_t i,
                          size_t kind, double angle)
{
    (void)out, (void)f, (void)part, (void)i, (void)kind, (void)angle;
    return recon_fail(ctx, RECON_ERR_UNSUPPORTED, "built without FreeType");
}

int letters_text_size(const letters_fonts *f, int part, size_t i, const char *text, double size[2])
{
    (void)f, (void)part, (void)i, (void)text, (void)size;
    return 0;
}

recon_status letters_draw_text(recon_ctx *ctx, uint8_t *out, size_t size, const letters_fonts *f,
                               int part, size_t i, const char *text, double scale, double angle)
{
    (void)out, (void)size, (void)f, (void)part, (void)i, (void)text, (void)scale, (void)angle;
    return recon_fail(ctx, RECON_ERR_UNSUPPORTED, "built without FreeType");
}

#endif
