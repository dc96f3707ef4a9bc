/* letters.h - `recon reproduce letters`: letters of many fonts, each kind rotated by a law of its own.
 *
 * What a user's own pictures are like: about a thousand of a dozen kinds, no labels. The laws are known
 * here, so every answer of a model can be held to the truth, on fonts that it has not seen. */
#ifndef LAB_LETTERS_H
#define LAB_LETTERS_H

#include "core/folder.h"

#include <jansson.h>
#include <recon/recon.h>

enum { LETTERS_KINDS = 64, LETTERS_MODES = 4 };

/* --- the plan: which kinds, laws, numbers and sizes ------------------------------------------- */

/* The angles of a kind: one of its natural poses at random, and a deviation from it. Radians. */
typedef struct {
    double at[LETTERS_MODES]; /* natural poses                                                  */
    size_t modes;
    recon_so2_family family; /* RECON_SO2_UNIFORM or RECON_SO2_NORMAL                           */
    double width;            /* half-width or sigma; 0: no deviation; pi or more: a full circle */
} letters_law;

typedef struct {
    uint32_t code; /* Unicode      */
    char name[8];  /* the same, as UTF-8 */
    letters_law law;
} letters_kind;

typedef struct {
    size_t kinds;
    letters_kind kind[LETTERS_KINDS];
    size_t size, em;          /* pixels of a side of the pictures, and of an em              */
    size_t fit;               /* the side that the model's inputs are fitted into            */
    size_t fonts, test_fonts; /* different ones                                              */
    size_t per_family;        /* faces of one family, at most                                */
    size_t fresh, anyway;     /* test pictures of a kind and font: by the laws, at any angle */
    size_t epochs;            /* 0: the preset's                                             */
} letters_plan;

/* The plan in a JSON file (docs/notebook/letters.md describes it), or the experiment's own; quick: the small one. */
recon_status letters_plan_load(recon_ctx *ctx, letters_plan *out, const char *path /* or NULL */,
                               int quick);

int letters_is_still(const letters_law *law);  /* it is never rotated   */
int letters_is_circle(const letters_law *law); /* every angle is as likely as any other */
int letters_is_one(const letters_law *law);    /* it has one natural pose */
/* An angle by the law. */
double letters_law_draw(const letters_law *law, recon_rng *rng);
/* How far an angle is from the nearest natural pose: 0 .. pi. */
double letters_law_distance(const letters_law *law, double angle);
/* -log p of an angle: what the best possible score is. Infinite where it cannot occur, minus infinity
 * where it always does. */
double letters_law_score(const letters_law *law, double angle);
/* The width as a standard deviation, so that families can be compared. */
double letters_sigma(recon_so2_family family, double width);

/* --- fonts ------------------------------------------------------------------------------------ */

typedef struct letters_fonts letters_fonts;
enum { LETTERS_TRAIN, LETTERS_TEST, LETTERS_PARTS };

/* Faces below a folder that have every kind, look different from each other and have a lower case of
 * their own. A family is for training or for tests, whatever else is installed: its name decides
 * (letters_is_held). seed: which faces are taken where there are more than enough. Free always. */
recon_status letters_fonts_open(recon_ctx *ctx, letters_fonts **out, const letters_plan *plan,
                                const char *folder /* NULL: the system's */, uint64_t seed);
void letters_fonts_free(letters_fonts *fonts);
size_t letters_fonts_count(const letters_fonts *fonts, int part);
const char *letters_fonts_path(const letters_fonts *fonts, int part, size_t i);

/* Of a name: the same in any language, whatever else there is. */
uint32_t letters_hash(const char *text, uint64_t seed);

/* The family of a font file, by its name, and whether it is held out for tests. */
typedef char letters_family[16];
const char *letters_family_of(letters_family out, const char *path);
int letters_is_held(const char *family);

/* A kind of face i, rotated counter-clockwise about the middle of its upright box: size x size bytes,
 * white on black. The outline is rotated, not its pixels. */
recon_status letters_draw(recon_ctx *ctx, uint8_t *out, const letters_fonts *fonts, int part,
                          size_t i, size_t kind, double angle);

/* The width and height of a text in face i, of letters of the plan's em; 0: it lacks one. */
int letters_text_size(const letters_fonts *fonts, int part, size_t i, const char *text /* ASCII */,
                      double size[2]);
/* The same text, `scale` times as large, as letters_draw draws a letter, into size x size. */
recon_status letters_draw_text(recon_ctx *ctx, uint8_t *out, size_t size,
                               const letters_fonts *fonts, int part, size_t i, const char *text,
                               double scale, double angle);

/* --- sets of pictures ------------------------------------------------------------------------- */

typedef struct {
    size_t n;
    uint8_t *pixels; /* [n][size][size] */
    size_t *kind;
    double *angle;
} letters_set;

/* times pictures of each kind and face of a part, in random order; anyway: at any angle instead of by
 * the laws. Free always. */
recon_status letters_set_make(recon_ctx *ctx, letters_set *out, const letters_plan *plan,
                              const letters_fonts *fonts, int part, size_t times, int anyway,
                              uint64_t seed);
void letters_set_free(letters_set *set);
recon_status letters_write_pgm(recon_ctx *ctx, const char *path, const uint8_t *pixels,
                               size_t height, size_t width);
/* As DIR/00000.pgm and so on, names that say nothing; which letter each is, and at which angle, is in
 * DIR.csv. */
recon_status letters_set_write(recon_ctx *ctx, const letters_set *set, const letters_plan *plan,
                               const char *dir);

/* n pictures of a folder that was written so, as a model takes them. */
recon_status letters_load(recon_ctx *ctx, float **out, size_t n, const char *dir,
                          const recon_model *model);

/* --- what a model says of them ---------------------------------------------------------------- */

/* --- the folder that an experiment works in ---------------------------------------------------- */

enum { RUN_FOLDER = RECON_PATH - 256 }; /* shorter than a path: files are called in it */

typedef struct {
    char path[RUN_FOLDER];
    int temporary;
} run_folder;

/* OUT/seed-SEED, or, where out is NULL, a temporary one called by `name`. */
recon_status run_folder_make(recon_ctx *ctx, run_folder *folder, const char *out, const char *name,
                             size_t seed);
/* Removes a temporary one with all that is in it. */
void run_folder_remove(const run_folder *folder);

#endif
