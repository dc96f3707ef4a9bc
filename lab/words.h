/* words.h - `recon reproduce words`: words at any angle before frozen readers that others have made.
 *
 * A word in letters of 32 pixels stands in the middle of a square of 160. A reader gets the middle 48
 * rows as they are: upright words fill them, others leave them. The model of poses has learned from
 * other words, in fonts of other families, without labels; it looks at a small copy of the square, which
 * is then rotated once, at its full size. */
#ifndef LAB_WORDS_H
#define LAB_WORDS_H

#include "lab/letters.h"

enum { WORDS_SIDE = 160, WORDS_BAND = 48, WORDS_EM = 32, WORDS_PIXELS = WORDS_SIDE * WORDS_SIDE };

/* --- the dictionary --------------------------------------------------------------------------- */

/* Words of ASCII letters that are neither short nor long. One in four is held out for tests: by its
 * name, whatever else the dictionary has. */
typedef struct {
    size_t n;
    const char **word;
    char *text; /* that they lie in */
} words_list;

recon_status words_list_read(recon_ctx *ctx, words_list *out,
                             const char *path /* NULL: wamerican's */, int part);
void words_list_free(words_list *list);
int words_is_held(const char *word);

/* --- pictures --------------------------------------------------------------------------------- */

typedef enum {
    WORDS_VARIED,  /* upright within 10 degrees, of many sizes, dark on light or light on dark */
    WORDS_UPRIGHT, /* dark on light, as the readers expect it                                   */
    WORDS_ROTATED  /* the same words in the same fonts, by any angle                            */
} words_pose;

typedef char words_text[48];

typedef struct {
    size_t n;
    uint8_t *pixels;  /* [n][WORDS_SIDE][WORDS_SIDE] */
    words_text *text; /* what is written there       */
    double *angle;    /* counter-clockwise           */
} words_set;

/* Faces that have the letters of words. */
recon_status words_fonts_open(recon_ctx *ctx, letters_fonts **out, const char *folder, size_t fonts,
                              size_t test_fonts, uint64_t seed);

/* So many words in each face of a part, each face its own. Free always. */
recon_status words_set_make(recon_ctx *ctx, words_set *out, const letters_fonts *fonts, int part,
                            const words_list *list, size_t each, words_pose pose, uint64_t seed);
void words_set_free(words_set *set);
/* As DIR/00000.pgm and so on, without loss. */
recon_status words_set_write(recon_ctx *ctx, const words_set *set, const char *dir);

/* --- readers ---------------------------------------------------------------------------------- */

enum { WORDS_PPOCR, WORDS_TESSERACT, WORDS_READERS };
extern const char *const words_reader_name[WORDS_READERS], *const words_reader_title[WORDS_READERS];

/* What a reader reads in n bands, DIR/00000.pgm and so on. own: NULL, or of PP-OCRv4 what it reads after
 * its own classifier of 0 and 180 degrees. */
recon_status words_read(recon_ctx *ctx, words_text *out, words_text *own, int reader,
                        const char *dir, size_t n);
/* By how many quarter turns, counter-clockwise, Tesseract's OSD would make n whole pictures upright; 0
 * where it cannot tell. */
recon_status words_osd(recon_ctx *ctx, int *quarters, const char *dir, size_t n);
/* Whether a reader reads at all, or why not and what helps. It writes into the folder. */
recon_status words_reader_check(recon_ctx *ctx, int reader, const char *dir);

/* The middle rows of a square picture. */
const uint8_t *words_band(const uint8_t *picture);
/* A square picture rotated by an angle, its surroundings white. */
void words_rotate(uint8_t *out, const uint8_t *picture, double angle);

#endif
