/* unread.c - picture files that are not read. */
#include "data/unread.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

static const char *const endings[] = { "jpg",  "jpeg", "jfif", "jpe",  "tif",  "tiff", "gif",
                                       "webp", "bmp",  "heic", "heif", "avif", "jp2",  "jxl",
                                       "tga",  "pbm",  "apng", "dng",  "cr2",  "cr3",  "nef",
                                       "arw",  "raf",  "orf",  "rw2",  "psd",  "svg" };
static_assert(sizeof endings / sizeof *endings == RECON_UNREAD_FORMATS, "one count each");

int recon_unread_note(recon_unread *u, const char *name)
{
    const char *dot = strrchr(name, '.');
    for (size_t i = 0; dot && i < RECON_UNREAD_FORMATS; i++)
        if (!strcasecmp(dot + 1, endings[i])) {
            u->format[i]++;
            u->files++;
            return 1;
        }
    return 0;
}

void recon_unread_note_deep(recon_unread *u, const char *folder, size_t n)
{
    if (n && !u->deep)
        snprintf(u->deepest, sizeof u->deepest, "%s", folder);
    u->deep += n;
    u->files += n;
}

/* Of a format that is read where its library was there. */
static const char *library_of(const char *ending)
{
    if ((!strncmp(ending, "jp", 2) && strcmp(ending, "jp2") != 0) || !strcmp(ending, "jfif"))
        return "libjpeg: install libjpeg62-turbo-dev";
    return strncmp(ending, "tif", 3) ? NULL : "libtiff: install libtiff-dev";
}

static recon_status tell_format(recon_ctx *ctx, recon_unread *u, size_t i)
{
    char text[320];
    size_t n = u->format[i];
    const char *library = library_of(endings[i]);
    if (library)
        snprintf(text, sizeof text, "%zu .%s file%s not read: built without %s and build again", n,
                 endings[i], n == 1 ? " is" : "s are", library);
    else
        snprintf(text, sizeof text,
                 "%zu .%s file%s not read: convert %s first, for example by "
                 "`find DIR -iname '*.%s' -exec mogrify -format png {} +`",
                 n, endings[i], n == 1 ? " is" : "s are", n == 1 ? "it" : "them", endings[i]);
    return recon_skips_add(ctx, &u->why, text);
}

static recon_status tell_deep(recon_ctx *ctx, recon_unread *u, size_t root)
{
    char text[512];
    snprintf(
        text, sizeof text,
        "%zu picture%s not read: %s in folders of folders (%s): a folder holds pictures, or one "
        "level of folders, which are classes",
        u->deep, u->deep == 1 ? " is" : "s are", u->deep == 1 ? "it lies" : "they lie",
        strlen(u->deepest) > root ? u->deepest + root : u->deepest);
    return recon_skips_add(ctx, &u->why, text);
}

recon_status recon_unread_tell(recon_ctx *ctx, recon_unread *u, size_t root)
{
    recon_status status = RECON_OK;
    for (size_t i = 0; status == RECON_OK && i < RECON_UNREAD_FORMATS; i++)
        if (u->format[i])
            status = tell_format(ctx, u, i);
    return status == RECON_OK && u->deep ? tell_deep(ctx, u, root) : status;
}

void recon_unread_free(recon_unread *u)
{
    recon_skips_free(&u->why);
}
