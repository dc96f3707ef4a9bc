/* picture.h (private) - picture files of every format, whole or row by row.
 *
 * What is read goes into a sink. Its `begin` learns the head and may refuse it, or give room for
 * the whole picture; otherwise each row is lent to `row`, from top to bottom, and no more of the
 * picture is held than one row, or all of it where the file is interlaced. The format is what the
 * first bytes say.
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

/* How the names of picture files end, in either case. */
typedef struct {
    const char *ending;
    recon_picture_kind kind;
    int is_read;
    const char *library; /* with which recon would read them; NULL: none */
} recon_picture_ending;
enum { RECON_PICTURE_ENDINGS = 31 };
extern const recon_picture_ending recon_picture_endings[RECON_PICTURE_ENDINGS];

/* The entry of a file's name; NULL: it is not a picture's. */
const recon_picture_ending *recon_picture_ending_of(const char *name);
int recon_picture_is_read(const char *name);

/* The format of a file, or of a page of one, by its name. */
recon_picture_kind recon_picture_kind_of(const char *file);
/* The file that a picture is written to: ".png" follows the name of a format that is not written, and
 * the pages of a TIFF file go into one. */
void recon_picture_name(char *out, size_t room, const char *file);

typedef struct recon_picture_sink {
    int shallow;       /* samples of 16 bits are made 8                                       */
    size_t most;       /* bytes that the pixels may take; 0: RECON_PIXELS_MOST                 */
    recon_pixels head; /* without bytes when begin is called; where it sets them they are filled */
    int interlaced;    /* or in some other way such that it has to be decoded whole */
    int oriented;      /* its pixels are stored in another orientation than they are given */
    size_t page;       /* of a TIFF file, from 0 */
    recon_status (*begin)(recon_ctx *ctx,
                          struct recon_picture_sink *sink); /* NULL: the head will do */
    void (*row)(struct recon_picture_sink *sink, size_t y, const uint8_t *samples);
} recon_picture_sink;

/* The sink must free what it allocated, also after a failure. */
recon_status recon_picture_scan(recon_ctx *ctx, recon_picture_sink *sink, const void *bytes,
                                size_t size, const char *name);
/* The same of a file, or of a page of one. */
recon_status recon_picture_scan_file(recon_ctx *ctx, recon_picture_sink *sink, const char *path);

/* Characters of the path without #N; *page: from 0, or SIZE_MAX where there is no #N. */
size_t recon_picture_page(const char *path, size_t *page);
/* How many pages the file has: 1, unless it is a TIFF file. One that cannot be read has 1. */
recon_status recon_picture_pages(recon_ctx *ctx, size_t *pages, const char *path);

/* How the message of a picture beyond the limit ends, for those who know how to raise it. */
#define RECON_PICTURE_LIMIT "MB are allowed"

/* The picture as its file has it. most: as in the sink. */
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

/* Gives the sink, whose head is upright and whose begin was called, a picture as a file stores it,
 * with an orientation of 1 to 8 (recon_exif_orientation). */
recon_status recon_picture_turn(recon_ctx *ctx, recon_picture_sink *sink, const uint8_t *stored,
                                int orientation);

/* Refuses what is larger than the sink allows of a file of size bytes, whose head and depth are in
 * sink->head, then calls begin. */
recon_status recon_picture_begin(recon_ctx *ctx, recon_picture_sink *sink, size_t size,
                                 const char *name);

/* --- PNG, through libpng
 *
 * Here and below: without the library every call that can fail is RECON_ERR_UNSUPPORTED. A file that
 * asks for more pixels than its bytes can hold, or for more memory than pixels.h allows, is refused
 * before anything is allocated for them. All kinds of PNG but animations are read: palettes become
 * colours, transparency becomes alpha, 16 bits stay. */

/* channels: 1 grey, 3 colour; 2 and 4 the same and alpha. The same pixels give the same bytes. The file appears complete or
 * not at all. */
recon_status recon_png_write(recon_ctx *ctx, const char *path, const uint8_t *pixels, size_t height,
                             size_t width, size_t channels);
/* A picture that need not be in memory: head says what it is like, without bytes. */
recon_status recon_png_write_rows(recon_ctx *ctx, const char *path, const recon_pixels *head,
                                  recon_pixel_rows *rows, const void *user);
/* The file in memory: free(*out). */
recon_status recon_png_encode(recon_ctx *ctx, uint8_t **out, size_t *size, const uint8_t *pixels,
                              size_t height, size_t width, size_t channels);

/* --- JPEG, through libjpeg-turbo
 *
 * Grey and colour of 8 bits, upright: the orientation in EXIF is applied. CMYK is refused, and so is
 * a file whose pixels are not all there. */

enum { RECON_JPEG_QUALITY = 95 };

typedef struct {
    int quality;       /* 1 to 100; 0: RECON_JPEG_QUALITY                                     */
    const void *bytes; /* of the JPEG file whose EXIF, ICC profile and density are kept, with the
                          orientation made 1; NULL: none                                      */
    size_t size;
} recon_jpeg_options;

/* A picture that need not be in memory: head says what it is like, 1 or 3 channels of 8 bits. The
 * file appears complete or not at all. options may be NULL. */
recon_status recon_jpeg_write_rows(recon_ctx *ctx, const char *path, const recon_pixels *head,
                                   recon_pixel_rows *rows, const void *user,
                                   const recon_jpeg_options *options);

/* The orientation in an APP1 segment without its marker and length: how pixels lie when they are
 * upright. 1 as they are, or there is none; 2 mirrored left to right; 3 rotated by 180 degrees; 4
 * mirrored top to bottom; 5 to 8 transposed, with the first row at the left, right, right and left. */
int recon_exif_orientation(const uint8_t *segment, size_t size);
/* Makes that 1, if there is one, and drops the thumbnail: for pixels that are upright now. */
void recon_exif_reset(uint8_t *segment, size_t size);

/* --- TIFF, through libtiff (4.5 or later)
 *
 * Grey, colour and more channels, of 1, 2, 4, 8 or 16 bits, in strips or tiles; palettes become
 * colours; the orientation is applied. Alpha is the last channel, if the file says that it is alpha.
 * CMYK, floating point and rare compressions are refused. */

/* How many pictures it has; 1 where it cannot be read. */
size_t recon_tiff_pages(const void *bytes, size_t size);

typedef struct recon_tiff_writer recon_tiff_writer;

/* The page whose compression, if it is lossless, ICC profile, resolution and description are kept. */
typedef struct {
    const void *bytes;
    size_t size, page;
} recon_tiff_source;

/* size: bytes that all pixels will take, at most. Close always; the file appears complete, by commit,
 * or not at all. */
recon_status recon_tiff_writer_open(recon_ctx *ctx, recon_tiff_writer **out, const char *path,
                                    size_t size);
/* One more page: head says what it is like, without bytes. from may be NULL. */
recon_status recon_tiff_writer_add(recon_ctx *ctx, recon_tiff_writer *writer,
                                   const recon_pixels *head, recon_pixel_rows *rows,
                                   const void *user, const recon_tiff_source *from);
recon_status recon_tiff_writer_commit(recon_ctx *ctx, recon_tiff_writer *writer);
void recon_tiff_writer_close(recon_tiff_writer *writer);

#endif
