/* status.h - the status codes that functions return.
 *
 * Every function that can fail returns a recon_status. The context keeps the message (file, place,
 * value) until the next call: recon_ctx_message(ctx). The library never prints, never exits and
 * keeps no global state. */
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
    RECON_ERR_INPUT,       /* an argument or a value in the data is not valid */
    RECON_ERR_IO,          /* the system failed: no such file, no permission, disk full */
    RECON_ERR_FORMAT,      /* a file does not follow its format */
    RECON_ERR_MEMORY,      /* an allocation failed */
    RECON_ERR_UNSUPPORTED, /* this build lacks a requested feature */
    RECON_ERR_NUMERIC,     /* an iteration did not converge, or overflowed */
    RECON_ERR_INTERRUPTED, /* recon_ctx_interrupt was called */
    RECON_ERR_MISMATCH     /* data or settings differ from the resumed run, result or other ranks */
} recon_status;

/* Returns a short name: "ok", "input", "io" ... Never NULL. */
RECON_API const char *recon_status_name(recon_status status);

#endif
