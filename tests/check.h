/* check.h - what every test needs: cmocka, a context, and comparisons that print both sides. */
#ifndef TESTS_CHECK_H
#define TESTS_CHECK_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <string.h>
#include <recon/core/ctx.h>
#include <recon/core/rng.h>

#if defined(__SANITIZE_ADDRESS__)
enum { SANITIZED = 1 };
#else
enum { SANITIZED = 0 };
#endif

/* How well something is learned does not depend on the sanitizers, which make learning several times
 * as slow: such figures are left to the plain build. */
static inline void plain_build_only(void)
{
    if (SANITIZED)
        skip();
}

#define CHECK_NEAR(got, want, tolerance)                                                           \
    do {                                                                                           \
        double got_ = (got), want_ = (want), tolerance_ = (tolerance);                             \
        if (!(fabs(got_ - want_) <= tolerance_))                                                   \
            fail_msg("%s = %.17g, expected %.17g +- %g", #got, got_, want_, tolerance_);           \
    } while (0)

#define CHECK_LESS(got, bound)                                                                     \
    do {                                                                                           \
        double got_ = (got), bound_ = (bound);                                                     \
        if (!(got_ < bound_))                                                                      \
            fail_msg("%s = %.17g, expected below %.17g", #got, got_, bound_);                      \
    } while (0)

#define CHECK_OK(ctx, call)                                                                        \
    do {                                                                                           \
        recon_status status_ = (call);                                                             \
        if (status_ != RECON_OK)                                                                   \
            fail_msg("%s: %s: %s", #call, recon_status_name(status_), recon_ctx_message(ctx));     \
    } while (0)

/* The call fails with this status, and the message holds this text. */
#define CHECK_FAILS(ctx, call, want, text)                                                         \
    do {                                                                                           \
        recon_status status_ = (call);                                                             \
        if (status_ != (want))                                                                     \
            fail_msg("%s: status %s, expected %s", #call, recon_status_name(status_),              \
                     recon_status_name(want));                                                     \
        if (!strstr(recon_ctx_message(ctx), (text)))                                               \
            fail_msg("%s: message \"%s\" lacks \"%s\"", #call, recon_ctx_message(ctx), (text));    \
    } while (0)

/* Group fixtures: *state is a fresh recon_ctx with two threads. */
static inline int check_setup(void **state)
{
    *state = recon_ctx_new(&(recon_ctx_options){ .threads = 2 });
    return *state ? 0 : -1;
}
static inline int check_teardown(void **state)
{
    recon_ctx_free(*state);
    return 0;
}

#endif
