/* status.h - what can go wrong, and how the library says so.
 *
 * Every function that can fail returns a recon_status. The sentence that goes with it (file, place,
 * value) waits in the context until the next call: recon_ctx_message(ctx). The library never
 * prints, never exits and keeps no global state. */
#ifndef RECON_CORE_STATUS_H
#define RECON_CORE_STATUS_H

#ifdef __cplusplus
#define RECON_EXTERN extern "C"
#else
#define RECON_EXTERN extern
#endif

#if defined(__GNUC__)
#define RECON_API                  RECON_EXTERN __attribute__((visibility("default")))
#define RECON_PRINTF(fmt, varargs) __attribute__((format(printf, fmt, varargs)))
#else
#define RECON_API RECON_EXTERN
#define RECON_PRINTF(fmt, varargs)
#endif

typedef enum {
    RECON_OK = 0,
    RECON_ERR_INPUT,       /* an argument or a value in the data is not usable          */
    RECON_ERR_IO,          /* the system refused: no such file, no permission, disk full */
    RECON_ERR_FORMAT,      /* a file is not what it claims to be                         */
    RECON_ERR_MEMORY,      /* an allocation failed                                       */
    RECON_ERR_UNSUPPORTED, /* this build lacks the feature asked for                     */
    RECON_ERR_NUMERIC,     /* an iteration did not converge or overflowed                */
    RECON_ERR_INTERRUPTED, /* recon_ctx_interrupt was called                             */
    RECON_ERR_MISMATCH     /* not the data or settings of the run that is resumed, of the
                              result, or of the other ranks                              */
} recon_status;

/* A short name for a status: "ok", "input", "io" ... Never NULL. */
RECON_API const char *recon_status_name(recon_status status);

#endif
