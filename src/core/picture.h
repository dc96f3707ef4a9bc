/* picture.h (private) - picture files of every format, whole or row by row.
 *
 * A picture is read into a sink. Its `begin` receives the head and may refuse it, or provide memory
 * for the whole picture; otherwise each row is lent to `row`, from top to bottom, and only one row
 * is held in memory, or the whole picture if the file is interlaced. The first bytes tell the
 * format.
 *
 * A page of a TIFF file is named FILE#N, N from 1. */
#ifndef CORE_PICTURE_H
#define CORE_PICTURE_H

#include "core/pixels.h"

/* Formats that are written. */
typedef enum {
    RECON_PICTURE_OTHER,
    RECON_PICTURE_PNG,
    RECON_PICTURE_JPEG,
    RECON_PICTURE_TIFF
} recon_picture_kind;

/* The endings of the names of picture files, in upper or lower case. */
typedef struct {
    const char *ending;
    recon_picture_kind kind;
    int is_read;
    const char *library; /* the library that a build needs to read them; NULL: none */
} recon_picture_ending;
enum { RECON_PICTURE_ENDINGS = 31 };
extern const recon_picture_ending recon_picture_endings[RECON_PICTURE_ENDINGS];

/* Returns the entry for a file's name; NULL if it is not that of a picture. */
const recon_picture_ending *recon_picture_ending_of(const char *name);
int recon_picture_is_read(const char *name);

/* Returns the format of a file, or of a page of one, by its name. */
recon_picture_kind recon_picture_kind_of(const char *file);
/* Writes the name of the file that a picture is written to: ".png" is appended for formats that
 * cannot be written, and the pages of a TIFF file go into one file. */
void recon_picture_name(char *out, size_t room, const char *file);

typedef struct recon_picture_sink {
    int shallow;       /* 1: reduce samples of 16 bits to 8 */
    size_t most;       /* the most bytes that the pixels may take; 0: RECON_PIXELS_MOST */
    recon_pixels head; /* begin may set its bytes, which are then filled */
    int interlaced;    /* 1: has to be decoded as a whole, for this or another reason */
    int oriented;      /* 1: the file stores its pixels in another orientation */
    size_t page;       /* of a TIFF file, from 0 */
    recon_status (*begin)(recon_ctx *ctx,
                          struct recon_picture_sink *sink); /* NULL: only the head is needed */
    void (*row)(struct recon_picture_sink *sink, size_t y, const uint8_t *samples);
} recon_picture_sink;

/* The sink must free what it allocated, also after a failure. */
recon_status recon_picture_scan(recon_ctx *ctx, recon_picture_sink *sink, const void *bytes,
                                size_t size, const char *name);
/* The same for a file, or for a page of one. */
recon_status recon_picture_scan_file(recon_ctx *ctx, recon_picture_sink *sink, const char *path);

/* Returns the length of the path without #N; *page receives N - 1, or SIZE_MAX without #N. */
size_t recon_picture_page(const char *path, size_t *page);
/* Counts the pages of a file: 1 unless it is a TIFF file, or if it cannot be read. */
recon_status recon_picture_pages(recon_ctx *ctx, size_t *pages, const char *path);

/* The end of the message about a picture beyond the limit, for callers that can raise it. */
#define RECON_PICTURE_LIMIT "MB are allowed"

/* Reads a picture as its file has it. most: as in the sink. */
recon_status recon_picture_read(recon_ctx *ctx, recon_pixels *out, const char *path, size_t most);

/* --- for those who read one format ------------------------------------------------------------ */

typedef recon_status recon_picture_format(recon_ctx *ctx, recon_picture_sink *sink,
                                          const void *bytes, size_t size, const char *name);
recon_picture_format recon_png_scan, recon_pnm_scan, recon_jpeg_scan, recon_tiff_scan;

/* The whole picture in size bytes, by a format's scan. On failure *out is zeroed. */
recon_status recon_picture_whole(recon_ctx *ctx, recon_pixels *out, recon_picture_format *scan,
                                 const void *bytes, size_t size, const char *name);

/* Refuses a picture without pixels, with too many channels or too long sides, or with more than
 * `ratio` times the size of its file (and 16 MB). */
recon_status recon_picture_check(recon_ctx *ctx, const recon_pixels *head, size_t ratio,
                                 size_t size, const char *name);

/* Passes a picture to the sink, whose begin was called with the upright head. stored are the pixels
 * as in the file, with an orientation from 1 to 8 (recon_exif_orientation). */
recon_status recon_picture_turn(recon_ctx *ctx, recon_picture_sink *sink, const uint8_t *stored,
                                int orientation);

/* Checks that the picture in sink->head, from a file of size bytes, is not larger than the sink
 * allows, then calls begin. */
recon_status recon_picture_begin(recon_ctx *ctx, recon_picture_sink *sink, size_t size,
                                 const char *name);

/* --- PNG, through libpng
 *
 * Here and below, in builds without the library every call that can fail is RECON_ERR_UNSUPPORTED.
 * A file that claims more pixels than its bytes can hold, or needs more memory than pixels.h
 * allows, is refused before memory is allocated. All kinds of PNG except animations are read:
 * palettes become colours, transparency becomes alpha, 16 bits are kept. */

/* channels: 1 grey, 3 colour; 2 and 4 the same with alpha. The same pixels give the same bytes. The
 * file appears complete or not at all. */
recon_status recon_png_write(recon_ctx *ctx, const char *path, const uint8_t *pixels, size_t height,
                             size_t width, size_t channels);
/* Writes a picture that need not be in memory; head describes it, without bytes. */
recon_status recon_png_write_rows(recon_ctx *ctx, const char *path, const recon_pixels *head,
                                  recon_pixel_rows *rows, const void *user);
/* Makes the file in memory; free(*out). */
recon_status recon_png_encode(recon_ctx *ctx, uint8_t **out, size_t *size, const uint8_t *pixels,
                              size_t height, size_t width, size_t channels);

/* --- JPEG, through libjpeg-turbo
 *
 * Grey and colour of 8 bits; the orientation in EXIF is applied. CMYK is refused, and so is a file
 * whose pixels are incomplete. */

enum { RECON_JPEG_QUALITY = 95 };

typedef struct {
    int quality; /* 1 to 100; 0: RECON_JPEG_QUALITY */
    /* The JPEG file whose EXIF (with the orientation set to 1), profile and density are copied; or
     * NULL. */
    const void *bytes;
    size_t size;
} recon_jpeg_options;

/* Writes a picture that need not be in memory; head describes it, 1 or 3 channels of 8 bits. The
 * file appears complete or not at all. options may be NULL. */
recon_status recon_jpeg_write_rows(recon_ctx *ctx, const char *path, const recon_pixels *head,
                                   recon_pixel_rows *rows, const void *user,
                                   const recon_jpeg_options *options);

/* Returns the bytes of a JPEG file of pixels of 8 bits and 1 or 3 channels. Free *out with free(). */
recon_status recon_jpeg_encode(recon_ctx *ctx, uint8_t **out, size_t *size,
                               const recon_pixels *pixels, int quality);

/* Returns the orientation in an APP1 segment without its marker and length: 1 upright, or not
 * given; 2 mirrored left to right; 3 rotated by 180 degrees; 4 mirrored top to bottom; 5 to 8
 * transposed, with the first row of the upright picture at the left, right, right and left. */
int recon_exif_orientation(const uint8_t *segment, size_t size);
/* Sets the orientation to 1, if it is given, and removes the thumbnail: for upright pixels. */
void recon_exif_reset(uint8_t *segment, size_t size);

/* --- TIFF, through libtiff (4.5 or later)
 *
 * Grey, colour and more channels, of 1, 2, 4, 8 or 16 bits, in strips or tiles; palettes become
 * colours; the orientation is applied. Alpha is the last channel, if the file says that it is
 * alpha. CMYK, floating point and rare compressions are refused. */

/* Returns the number of pages; 1 if the file cannot be read. */
size_t recon_tiff_pages(const void *bytes, size_t size);

typedef struct recon_tiff_writer recon_tiff_writer;

/* A page whose compression (if lossless), ICC profile, resolution and description are copied. */
typedef struct {
    const void *bytes;
    size_t size, page;
} recon_tiff_source;

/* size: the most bytes that all pixels will take. Always close the writer; the file appears
 * complete, with the commit, or not at all. */
recon_status recon_tiff_writer_open(recon_ctx *ctx, recon_tiff_writer **out, const char *path,
                                    size_t size);
/* Adds a page; head describes it, without bytes. from may be NULL. */
recon_status recon_tiff_writer_add(recon_ctx *ctx, recon_tiff_writer *writer,
                                   const recon_pixels *head, recon_pixel_rows *rows,
                                   const void *user, const recon_tiff_source *from);
recon_status recon_tiff_writer_commit(recon_ctx *ctx, recon_tiff_writer *writer);
void recon_tiff_writer_close(recon_tiff_writer *writer);

#endif
