/* output.c - a filter for everything that a command writes to standard output.
 *
 * Output quotes names of molecules, classes and files, and metadata of models. Making each safe
 * where it is printed would miss one, so standard output is replaced by a stream that only passes
 * text and line ends. On a terminal it colours warnings and verdicts by the word that their lines
 * begin with, which no file can supply. */
#include "cli/cli.h"
#include "core/text.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LONGEST = 4 }; /* bytes of a character */

typedef struct {
    char cut[LONGEST]; /* the beginning of a character whose end comes with the next piece */
    size_t bytes;
    int coloured;
    int error; /* the first that writing met: nothing is written after it */
} filter;

/* Whether what is there may be the beginning of a character. */
static int may_go_on(const char *text, size_t n)
{
    unsigned char first = (unsigned char)text[0];
    size_t length = first >= 0xf8   ? 0
                    : first >= 0xf0 ? 4
                    : first >= 0xe0 ? 3
                    : first >= 0xc0 ? 2
                                    : 0;
    for (size_t i = 1; i < n; i++)
        if ((text[i] & 0xc0) != 0x80)
            return 0;
    return n < length;
}

static int may_pass(uint32_t code)
{
    return code == '\n' || code == '\t' || !recon_utf8_steers(code);
}

/* What may be shown of n bytes to out; returns its length. *taken: all, or up to a character that
 * is cut. */
static size_t shown(char *out, size_t *taken, const char *text, size_t n)
{
    size_t used = 0, at = 0;
    uint32_t code;
    while (at < n && !may_go_on(text + at, n - at)) {
        size_t length = recon_utf8_next(&code, text + at, n - at);
        int good = length > 0 && may_pass(code);
        length = length ? length : 1;
        memcpy(out + used, good ? text + at : "?", good ? length : 1);
        used += good ? length : 1;
        at += length;
    }
    *taken = at;
    return used;
}

/* A pipe that nobody empties must not hold up the end of the process: a signal ends this too. */
static int put(filter *f, const char *bytes, size_t n)
{
    while (n > 0 && !f->error) {
        ssize_t done = write(STDOUT_FILENO, bytes, n);
        if (done >= 0) {
            bytes += done;
            n -= (size_t)done;
        } else if (errno != EINTR || cli_process_signal()) {
            f->error = errno;
        }
    }
    return !f->error;
}

int cli_is_coloured(int fd)
{
    const char *no = getenv("NO_COLOR"), *term = getenv("TERM");
    return isatty(fd) && !(no && *no) && term && strcmp(term, "dumb") != 0;
}

/* Lines by how they begin: the longest first. */
static const struct {
    const char *begins, *colour;
} colours[] = {
    { "  warning  ", "\033[33m" },
    { "  verdict    trustworthy", "\033[1;32m" },
    { "  verdict    do not use", "\033[1;31m" },
    { "  verdict  ", "\033[1m" },
};

/* The same with colours, line by line: pieces begin with lines, as a terminal gets them. */
static int put_coloured(filter *f, const char *bytes, size_t n)
{
    int good = 1;
    for (size_t line; n > 0 && good; bytes += line, n -= line) {
        const char *end = memchr(bytes, '\n', n), *colour = NULL;
        line = end ? (size_t)(end - bytes) + 1 : n;
        for (size_t i = 0; !colour && end && i < sizeof colours / sizeof *colours; i++)
            if (line > strlen(colours[i].begins) &&
                !memcmp(bytes, colours[i].begins, strlen(colours[i].begins)))
                colour = colours[i].colour;
        good = !colour ? put(f, bytes, line)
                       : put(f, colour, strlen(colour)) && put(f, bytes, line - 1) &&
                             put(f, "\033[m\n", 4);
    }
    return good;
}

static ssize_t take(void *cookie, const char *text, size_t n)
{
    enum { PIECE = 4096 };
    filter *f = cookie;
    char in[LONGEST + PIECE], out[LONGEST + PIECE];
    for (size_t at = 0; at < n;) {
        size_t here = n - at < PIECE ? n - at : PIECE, taken;
        memcpy(in, f->cut, f->bytes);
        memcpy(in + f->bytes, text + at, here);
        size_t all = f->bytes + here, used = shown(out, &taken, in, all);
        if (!(f->coloured ? put_coloured : put)(f, out, used))
            return 0;
        f->bytes = all - taken;
        memcpy(f->cut, in + taken, f->bytes);
        at += here;
    }
    return (ssize_t)n;
}

static int finish(void *cookie)
{
    filter *f = cookie;
    put(f, "????", f->bytes);
    if (close(STDOUT_FILENO) != 0 && !f->error)
        f->error = errno;
    errno = f->error;
    return f->error ? EOF : 0;
}

int cli_guard_output(void)
{
    static filter state;
    state.coloured = cli_is_coloured(STDOUT_FILENO);
    FILE *guarded =
        fopencookie(&state, "w", (cookie_io_functions_t){ .write = take, .close = finish });
    if (!guarded)
        return 0;
    setvbuf(guarded, NULL, isatty(STDOUT_FILENO) ? _IOLBF : _IOFBF, BUFSIZ);
    stdout = guarded;
    return 1;
}
