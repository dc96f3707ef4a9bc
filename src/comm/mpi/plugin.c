/* plugin.c - messages by MPI. Compiled once for each MPI, by its own compiler wrapper. */
#include "comm/engine.h"

#include <mpi.h>
#include <stdlib.h>

#define PIECE ((size_t)1 << 30) /* MPI counts in int */

typedef struct {
    size_t count, done;
    int receives;
    MPI_Request piece[];
} request;

static int start(int *rank, int *size)
{
    int provided, code = MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &provided);
    if (code == MPI_SUCCESS)
        code = MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    if (code == MPI_SUCCESS)
        code = MPI_Comm_rank(MPI_COMM_WORLD, rank);
    return code == MPI_SUCCESS ? MPI_Comm_size(MPI_COMM_WORLD, size) : code;
}

static void finish(void)
{
    MPI_Finalize();
}

static void end_all(int code)
{
    MPI_Abort(MPI_COMM_WORLD, code);
}

static void explain(int code, char *out, size_t room)
{
    char text[MPI_MAX_ERROR_STRING] = "";
    int n = 0;
    MPI_Error_string(code, text, &n);
    size_t length = (size_t)n < room - 1 ? (size_t)n : room - 1;
    for (size_t i = 0; i < length; i++)
        out[i] = text[i];
    out[length] = '\0';
}

/* A message is at least one piece, so that an empty one arrives too. */
static request *new_request(size_t n, int receives)
{
    size_t count = n ? (n + PIECE - 1) / PIECE : 1;
    request *r = malloc(sizeof *r + count * sizeof *r->piece);
    if (!r)
        return NULL;
    r->count = count;
    r->done = 0;
    r->receives = receives;
    for (size_t i = 0; i < count; i++)
        r->piece[i] = MPI_REQUEST_NULL;
    return r;
}

static int length_of(size_t n, size_t i)
{
    size_t left = n - i * PIECE;
    return (int)(left < PIECE ? left : PIECE);
}

static int send_pieces(void **out, const void *bytes, size_t n, int to, int tag)
{
    request *r = new_request(n, 0);
    int code = r ? MPI_SUCCESS : MPI_ERR_OTHER;
    for (size_t i = 0; r && code == MPI_SUCCESS && i < r->count; i++)
        code = MPI_Isend((const char *)bytes + i * PIECE, length_of(n, i), MPI_BYTE, to, tag,
                         MPI_COMM_WORLD, &r->piece[i]);
    *out = r;
    return code;
}

static int recv_pieces(void **out, void *bytes, size_t n, int from, int tag)
{
    request *r = new_request(n, 1);
    int code = r ? MPI_SUCCESS : MPI_ERR_OTHER;
    for (size_t i = 0; r && code == MPI_SUCCESS && i < r->count; i++)
        code = MPI_Irecv((char *)bytes + i * PIECE, length_of(n, i), MPI_BYTE, from, tag,
                         MPI_COMM_WORLD, &r->piece[i]);
    *out = r;
    return code;
}

static int test(void **in, int *done)
{
    request *r = *in;
    int code = MPI_SUCCESS, there = 1;
    while (r && code == MPI_SUCCESS && there && r->done < r->count) {
        code = MPI_Test(&r->piece[r->done], &there, MPI_STATUS_IGNORE);
        r->done += code == MPI_SUCCESS && there;
    }
    *done = !r || r->done == r->count;
    if (*done) {
        free(r);
        *in = NULL;
    }
    return code;
}

/* Waits until MPI is done with the piece's memory, as long as there is patience left. */
static void end_piece(MPI_Request *piece, double *patience)
{
    double begin = MPI_Wtime(), waited = 0;
    int code = MPI_SUCCESS, ended = 0;
    do {
        code = MPI_Test(piece, &ended, MPI_STATUS_IGNORE);
        waited = MPI_Wtime() - begin;
    } while (code == MPI_SUCCESS && !ended && waited < *patience);
    *patience -= waited;
    if (*piece != MPI_REQUEST_NULL)
        MPI_Request_free(piece);
}

/* MPI reads what is being sent until it has left, and writes what has begun to arrive although it was
 * cancelled: that takes moments where the other rank is alive. A rank that does not come is waited for
 * a second in all, not for each message, so that a failure is told in time; only then may memory that
 * is still being sent be freed under MPI, whose ranks are about to end. */
static void cancel(void **in)
{
    static double patience = 1; /* seconds */
    request *r = *in;
    for (size_t i = r ? r->done : 0; r && r->receives && i < r->count; i++)
        if (r->piece[i] != MPI_REQUEST_NULL)
            MPI_Cancel(&r->piece[i]);
    for (size_t i = r ? r->done : 0; r && i < r->count; i++)
        if (r->piece[i] != MPI_REQUEST_NULL)
            end_piece(&r->piece[i], &patience);
    free(r);
    *in = NULL;
}

static int probe(int tag, int *there, int *from, size_t *n)
{
    MPI_Status status;
    int bytes = 0, code = MPI_Iprobe(MPI_ANY_SOURCE, tag, MPI_COMM_WORLD, there, &status);
    if (code != MPI_SUCCESS || !*there)
        return code;
    code = MPI_Get_count(&status, MPI_BYTE, &bytes);
    *from = status.MPI_SOURCE;
    *n = (size_t)bytes;
    return code;
}

const recon_plugin *recon_plugin_table(void)
{
    static const recon_engine engine = { .plugin = { RECON_VERSION, RECON_ENGINE_NAME, NULL },
                                         .start = start,
                                         .finish = finish,
                                         .abort = end_all,
                                         .explain = explain,
                                         .send = send_pieces,
                                         .recv = recv_pieces,
                                         .test = test,
                                         .cancel = cancel,
                                         .probe = probe };
    return &engine.plugin;
}
