/* train.c - the loop. */
#include <recon/nn/train.h>
#include <recon/nn/checkpoint.h>
#include "core/ctx.h"
#include "core/fail.h"
#include "core/file.h"
#include "core/memory.h"
#include "comm/comm.h"
#include "nn/adam.h"
#include "nn/peers.h"
#include "nn/run_files.h"
#include "nn/step.h"
#include "nn/tape.h"
#include "ops/graph.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define READINGS 50
#define SAVING   0.05 /* of the time, at most, goes into states to resume from */

typedef struct {
    recon_ctx *ctx;
    const recon_trainee *it;
    recon_train_options o;
    recon_tape *tape, *eval; /* two, so that validating leaves the step's addresses alone */
    recon_adam *adam;
    recon_slices cut;  /* how a batch that is not split goes over ranks; count 0: it is not cut */
    recon_peers peers; /* the ranks, where there are several */
    recon_slice part;  /* what this rank has of a batch that is shared, but not cut; n 0: none */
    int ranks;         /* that share it */
    recon_checkpoint at;
    recon_train_result *out;
    recon_tensor loss;  /* of the last step, where it lies */
    recon_graph *graph; /* a step, recorded; NULL: not yet, or never */
    size_t fed;         /* bytes of inputs, and where the step begins, when it was recorded */
    void *base;
    char *buffers;    /* as they were before the step; NULL: a step cannot be cut short */
    uint64_t here;    /* steps of this run */
    char *last, *log; /* PATH.last, PATH.jsonl */
    double begun;
    double saved, saving; /* when PATH.last was written, and how long that took */
} run;

/* --- cutting a step short --------------------------------------------------------------------- */

/* Until the weights move, the buffers are all that a step changes. A backend that records its steps
 * does not look for interruptions within one, and need not pay for copies. Nor do ranks: the others
 * would wait within theirs. */
static recon_status make_undoable(run *r)
{
    const recon_params *p = r->it->params;
    return recon_ops_graphs(r->ctx) || r->ranks > 1
               ? RECON_OK
               : recon_alloc_raw(r->ctx, &r->buffers, p->n_buffers, recon_dtype_size(p->type));
}

static size_t buffer_bytes(const run *r)
{
    return r->it->params->n_buffers * recon_dtype_size(r->it->params->type);
}

/* From here an interruption ends the work at once, or waits for a state that can be kept. */
static void let_go(run *r)
{
    r->ctx->hold = !r->buffers;
}

static void hold_on(run *r)
{
    r->ctx->hold = 1;
}

/* --- a step ----------------------------------------------------------------------------------- */

static int is_split(const run *r)
{
    return r->at.parts > 1;
}

static recon_status is_ready(void *user, const recon_param *param)
{
    run *r = user;
    return recon_peers_ready(r->ctx, &r->peers, r->it->params, param);
}

/* The part of a step that is kernels alone. */
static recon_status compute(run *r)
{
    RECON_CHECK(recon_params_clear_gradients(r->ctx, r->it->params));
    recon_var loss = r->it->loss(r->it->user, r->tape);
    if (r->part.n)
        recon_peers_begin(&r->peers, r->it->params);
    RECON_CHECK(recon_tape_backward(r->tape, loss));
    hold_on(r);
    if (r->part.n)
        RECON_CHECK(recon_peers_finish(r->ctx, &r->peers, r->it->params));
    RECON_CHECK(recon_adam_apply(r->ctx, r->adam));
    r->loss = loss->value;
    return RECON_OK;
}

/* Sums that go through the host cannot be recorded. */
static int is_recorded(const run *r)
{
    return !r->o.plain && recon_ops_graphs(r->ctx) && (r->peers.size == 1 || r->peers.table);
}

/* Of two failures the first; the second may be its consequence, and its message is the later
 * one. */
static recon_status first_of(run *r, recon_status first, const char *why, recon_status second)
{
    return first == RECON_OK ? second : recon_fail(r->ctx, first, "%s", why);
}

/* A step's addresses repeat, so a backend that can record a step is given one to replay: the first
 * is run plainly, and makes what kernels need to have made; the second is recorded. */
static recon_status compute_or_replay(run *r)
{
    const recon_step *fed = &r->tape->side[r->tape->at];
    if (!is_recorded(r) || r->here++ == 0)
        return compute(r);
    if (r->graph && (fed->used != r->fed || fed->top->bytes != r->base)) {
        recon_graph_free(r->ctx, r->graph); /* fed otherwise than what was recorded: anew */
        r->graph = NULL;
        r->here = 1;
        return compute(r);
    }
    if (!r->graph) {
        r->fed = fed->used;
        r->base = fed->top->bytes;
        char why[sizeof r->ctx->message];
        RECON_CHECK(recon_graph_begin(r->ctx));
        recon_status computed = compute(r);
        snprintf(why, sizeof why, "%s", recon_ctx_message(r->ctx));
        RECON_CHECK(first_of(r, computed, why, recon_graph_end(r->ctx, &r->graph)));
    }
    return recon_graph_launch(r->ctx, r->graph);
}

/* A step whose batch is split. Its parts are fed one by one, so it is not recorded. */
static recon_status compute_parts(run *r)
{
    double sum = 0, part;
    RECON_CHECK(recon_params_clear_gradients(r->ctx, r->it->params));
    for (size_t i = 0; i < r->at.parts; i++) {
        recon_slice slice = recon_slice_of(r->it->units, r->at.parts, i);
        recon_tape_split(r->tape, slice);
        RECON_CHECK(recon_tape_begin(r->tape, RECON_TRAIN, r->at.step));
        RECON_CHECK(r->it->feed(r->it->user, r->tape, r->at.step));
        recon_var loss = r->it->loss(r->it->user, r->tape);
        RECON_CHECK(recon_tape_backward(r->tape, loss));
        RECON_CHECK(recon_var_read(r->tape, &part, loss));
        sum += part * (double)slice.n / (double)slice.of;
    }
    hold_on(r);
    RECON_CHECK(recon_adam_apply(r->ctx, r->adam));
    r->out->loss = sum;
    return RECON_OK;
}

/* Is something written down after this step? Then its loss is looked at first: a run that has gone
 * astray must not replace the state it could be resumed from. */
static int is_kept(const run *r)
{
    return r->at.step % r->o.epoch == 0 || r->at.step == r->o.steps ||
           (r->o.every && r->at.step % r->o.every == 0);
}

/* All copies to the backend come first: what follows them is kernels alone. */
static recon_status feed_and_compute(run *r, double rate)
{
    recon_status status;
    let_go(r);
    RECON_TRY(recon_adam_prepare(r->ctx, r->adam, rate));
    if (is_split(r)) {
        RECON_TRY(compute_parts(r));
    } else {
        RECON_TRY(recon_tape_begin(r->tape, RECON_TRAIN, r->at.step));
        RECON_TRY(r->it->feed(r->it->user, r->tape, r->at.step));
        RECON_TRY(compute_or_replay(r));
    }
done:
    hold_on(r);
    return status;
}

/* Of parts, their mean by size. */
static recon_status read_loss(run *r)
{
    double sum, *part = NULL;
    recon_status status = recon_tensor_read(r->ctx, &r->out->loss, &r->loss);
    if (!r->part.n || status != RECON_OK)
        return status;
    RECON_TRY(recon_alloc(r->ctx, &part, (size_t)r->peers.size, sizeof *part));
    part[recon_comm_rank(r->ctx)] = r->out->loss * (double)r->part.n / (double)r->part.of;
    RECON_TRY(recon_comm_sum(r->ctx, &sum, part, (size_t)r->peers.size, 1));
    r->out->loss = sum;
done:
    free(part);
    return status;
}

static recon_status step(run *r, double rate)
{
    recon_status status = RECON_OK;
    if (r->buffers)
        RECON_TRY(recon_ops_of(r->ctx)->download(r->ctx, r->buffers, r->it->params->buffers,
                                                 buffer_bytes(r)));
    status = feed_and_compute(r, rate);
    if (status == RECON_ERR_INTERRUPTED && r->buffers) {
        r->adam->steps = r->at.step - r->at.from;
        recon_status undone = recon_ops_of(r->ctx)->upload(r->ctx, r->it->params->buffers,
                                                           r->buffers, buffer_bytes(r));
        return undone == RECON_OK ? status : undone;
    }
    RECON_TRY(status);
    r->at.step++;
    if (!is_split(r) &&
        (!recon_ops_graphs(r->ctx) || r->at.step % r->o.readings == 0 || is_kept(r)))
        RECON_TRY(read_loss(r));
    recon_progress_measure(r->ctx, "loss", r->out->loss);
done:
    return status;
}

static void write_reading(run *r, double rate)
{
    if (r->log)
        recon_metrics_append(r->ctx, r->log,
                             json_pack("{s:I, s:f, s:f, s:f}", "step", (json_int_t)r->at.step,
                                       "loss", r->out->loss, "rate", rate, "seconds",
                                       recon_now() - r->begun));
}

static recon_status save_last(run *r)
{
    double begun = recon_now();
    recon_status status =
        r->last ? recon_checkpoint_save(r->ctx, r->last, r->adam, &r->at) : RECON_OK;
    r->saved = recon_now();
    r->saving = r->saved - begun;
    return status;
}

/* On a GPU an epoch may be as short as writing the state behind it. */
static int is_worth_saving(const run *r)
{
    return (recon_now() - r->saved) * SAVING >= r->saving;
}

/* A full disk is no reason to lose the run: the file before is still there, and the next try may
 * find room. Weights that are not finite will not become so: that is an error. */
static recon_status go_on_without(run *r, recon_status status)
{
    if (status == RECON_OK || status == RECON_ERR_NUMERIC)
        return status;
    recon_log(r->ctx, RECON_LOG_WARN, "%s; going on", recon_ctx_message(r->ctx));
    return RECON_OK;
}

/* Only what is on the disk counts as the best. */
static recon_status keep_best(run *r, double metric)
{
    recon_status status = RECON_OK;
    if (!(metric < r->at.best)) {
        r->at.stale++;
        return RECON_OK;
    }
    if (r->o.path)
        status = recon_params_save_all(r->ctx, r->o.path, &(const recon_params *){ r->it->params },
                                       1, r->o.metadata, r->o.n_metadata,
                                       &(recon_params_save_options){ .bf16 = r->o.bf16 });
    if (status == RECON_OK) {
        r->at.best = metric;
        r->at.stale = 0;
    }
    return r->at.step < r->o.steps ? go_on_without(r, status) : status;
}

/* Whether it could be written is known to rank 0. */
static recon_status keep_best_at_all(run *r, double metric)
{
    RECON_CHECK(keep_best(r, metric));
    if (r->ranks > 1)
        RECON_CHECK(recon_comm_broadcast(r->ctx, &r->at.best, sizeof r->at.best, 0));
    if (r->ranks > 1)
        RECON_CHECK(recon_comm_broadcast(r->ctx, &r->at.stale, sizeof r->at.stale, 0));
    return RECON_OK;
}

/* The metric of the weights that would be kept. */
static recon_status measure(run *r, double *metric)
{
    *metric = -(double)r->at.step; /* nothing to go by: the latest is the best */
    if (!r->it->validate)
        return RECON_OK;
    recon_progress_hold(r->ctx);
    let_go(r);
    recon_status status = recon_tape_begin(r->eval, RECON_INFER, 0);
    if (status == RECON_OK)
        status = r->it->validate(r->it->user, r->eval, metric);
    hold_on(r);
    recon_progress_release(r->ctx);
    return status;
}

static int is_stale(const run *r)
{
    return r->o.patience && r->at.stale >= r->o.patience;
}

static int finished(const run *r)
{
    return !r->at.due && (r->at.step >= r->o.steps || is_stale(r));
}

static recon_status one_step(run *r)
{
    /* A run that was given more epochs after its end warms up and falls once more, over those. */
    recon_schedule s = r->o.schedule;
    uint64_t more = r->o.steps - r->at.from;
    if (r->at.from) {
        s.steps = more;
        s.warmup = s.warmup < more / 20 ? s.warmup : more / 20;
    }
    double rate = recon_schedule_rate(&s, r->at.step - r->at.from);
    recon_status status = step(r, rate);
    if (status == RECON_ERR_INTERRUPTED)
        return status;
    if (status != RECON_OK)
        return recon_note(r->ctx, status, "step %" PRIu64, r->at.step);
    if (!isfinite(r->out->loss))
        return recon_fail(r->ctx, RECON_ERR_NUMERIC,
                          "the loss is %g at step %" PRIu64 ": a lower rate or a clip may help",
                          r->out->loss, r->at.step);
    if (r->at.step % r->o.readings == 0)
        write_reading(r, rate);
    r->at.due = r->at.step % r->o.epoch == 0 || r->at.step == r->o.steps;
    return RECON_OK;
}

/* One step, and what is due behind it. A run that was interrupted in a validation
 * begins with it. */
static recon_status advance(run *r)
{
    if (!r->at.due)
        RECON_CHECK(one_step(r));
    int asked = r->o.every && r->at.step % r->o.every == 0, due = r->at.due;
    if (r->at.due && r->last && access(r->last, F_OK) != 0)
        RECON_CHECK(go_on_without(r, save_last(r))); /* no model without a state to resume from */
    if (r->at.due) {
        double metric;
        RECON_CHECK(recon_adam_swap(r->ctx, r->adam));
        recon_status measured = measure(r, &metric);
        if (measured == RECON_OK)
            measured = keep_best_at_all(r, metric);
        /* The weights that are trained again. A kernel may forget why the validation before it
         * failed. */
        char why[sizeof r->ctx->message];
        snprintf(why, sizeof why, "%s", recon_ctx_message(r->ctx));
        RECON_CHECK(first_of(r, measured, why, recon_adam_swap(r->ctx, r->adam)));
        r->at.due = 0;
        if (r->log && r->it->validate)
            recon_metrics_append(r->ctx, r->log,
                                 json_pack("{s:I, s:f, s:f}", "step", (json_int_t)r->at.step,
                                           "validation", metric, "best", r->at.best));
    }
    if ((asked || (due && is_worth_saving(r))) && !finished(r))
        RECON_CHECK(go_on_without(r, save_last(r)));
    return RECON_OK;
}

/* Ranks are interrupted together, behind the same step. */
static recon_status look(run *r)
{
    double now = atomic_load(&r->ctx->interrupted);
    recon_status status = r->ranks > 1 ? recon_comm_max(r->ctx, &now) : RECON_OK;
    return status == RECON_OK && now > 0 ? RECON_ERR_INTERRUPTED : status;
}

static recon_status interrupted(run *r)
{
    recon_progress_end(r->ctx);
    hold_on(r);
    recon_status status = save_last(r);
    if (status == RECON_OK && r->ranks > 1)
        status = recon_comm_barrier(r->ctx); /* nobody ends a rank that is still writing */
    r->ctx->hold = 0;
    return status != RECON_OK
               ? recon_note(r->ctx, status, "interrupted; an older checkpoint is kept")
               : recon_fail(r->ctx, RECON_ERR_INTERRUPTED, "interrupted after step %" PRIu64 "%s%s",
                            r->at.step, r->last ? "; resume from " : "", r->last ? r->last : "");
}

/* --- memory ----------------------------------------------------------------------------------- */

static int is_on_host(const run *r)
{
    return recon_ops_on_host(r->ctx) == recon_ops_of(r->ctx);
}

/* Only the host's memory is looked at. */
static size_t free_memory(const run *r)
{
    if (!is_on_host(r))
        return SIZE_MAX;
    return r->o.memory ? r->o.memory : recon_available_memory();
}

static recon_status plan(run *r)
{
    recon_step_planner p = { .it = r->it,
                             .train = r->tape,
                             .eval = r->eval,
                             .step = r->at.step,
                             .free = free_memory(r),
                             .cut = r->cut.count ? &r->cut : NULL,
                             .part = r->part,
                             .averaged = r->adam->average != NULL };
    uint64_t before = r->at.parts ? r->at.parts : 1, parts = before;
    size_t bytes;
    if (!r->it->units || r->o.plain)
        return RECON_OK;
    if (r->ranks > 1 && before > 1)
        return recon_fail(
            r->ctx, RECON_ERR_INPUT,
            "%s: begun with a batch in %" PRIu64
            " parts for lack of memory, which ranks do not share: resume it in one process",
            r->o.path ? r->o.path : "this run", before);
    recon_status status = recon_step_planner_run(r->ctx, &p, &parts, &bytes);
    if (r->ranks > 1)
        status = recon_comm_agree(r->ctx, status);
    if (status != RECON_OK)
        return status;
    /* On the host the data lies beside what a step takes, and the process takes both. */
    size_t data = is_on_host(r) ? r->it->data >> 20 : 0;
    if (data)
        recon_log(r->ctx, RECON_LOG_INFO, "about %zu MiB per step, and %zu MiB of data",
                  bytes >> 20, data);
    else
        recon_log(r->ctx, RECON_LOG_INFO, "about %zu MiB per step", bytes >> 20);
    if (parts > before)
        recon_log(r->ctx, RECON_LOG_WARN,
                  "%zu MiB are free: a batch of %zu is split into %" PRIu64
                  " parts; norms and contrast see one part at a time",
                  p.free >> 20, r->it->units, parts);
    r->at.parts = parts;
    return RECON_OK;
}

static recon_status loop(run *r)
{
    recon_status status = plan(r);
    recon_progress_begin(r->ctx, r->o.label ? r->o.label : "train", r->o.steps);
    recon_progress_continue(r->ctx, r->at.step);
    while (status == RECON_OK && !finished(r)) {
        uint64_t before = r->at.step;
        hold_on(r);
        status = look(r);
        if (status == RECON_OK)
            status = advance(r);
        r->ctx->hold = 0;
        recon_progress_add(r->ctx, r->at.step - before);
    }
    if (status == RECON_ERR_INTERRUPTED)
        return interrupted(r);
    recon_progress_end(r->ctx);
    return status == RECON_OK ? save_last(r) : status;
}

/* --- resuming --------------------------------------------------------------------------------- */

/* From now on the state of an earlier run is not what resumes. */
static recon_status start_anew(run *r)
{
    recon_status status = RECON_OK;
    if (r->last && access(r->last, F_OK) == 0)
        status = save_last(r);
    if (r->log && status == RECON_OK)
        unlink(r->log);
    return status;
}

static recon_status resume(run *r)
{
    r->at.steps = r->o.steps;
    if (r->last && r->o.resume && access(r->last, F_OK) != 0)
        recon_log(r->ctx, RECON_LOG_WARN, "there is no %s to resume from: a new run begins",
                  r->last);
    if (!r->last || !r->o.resume || access(r->last, F_OK) != 0)
        return start_anew(r);
    RECON_CHECK(recon_checkpoint_load(r->ctx, r->adam, &r->at, r->last));
    recon_checkpoint *at = &r->at;
    at->steps = at->steps ? at->steps : r->o.steps;
    if (at->step > at->steps || at->stale > at->step)
        return recon_fail(r->ctx, RECON_ERR_FORMAT,
                          "%s: damaged: after step %" PRIu64 " of %" PRIu64 ", %" PRIu64
                          " validations without a better one",
                          r->last, at->step, at->steps, at->stale);
    if (r->o.steps != at->steps && r->o.steps <= at->step)
        return recon_fail(r->ctx, RECON_ERR_INPUT,
                          "%s: %" PRIu64 " epochs are done, %" PRIu64
                          " were asked for: more will continue it",
                          r->last, at->step / r->o.epoch, r->o.steps / r->o.epoch);
    RECON_CHECK(recon_metrics_cut(r->ctx, r->log, r->at.step, r->at.due));
    if (r->at.steps != r->o.steps) {
        /* Another number of steps than the run was begun with. A finished one starts again from its
         * best weights; one that was cut goes on as it is, its rate that of the new length. Written
         * at once: the best weights may soon be others, and a killed run must find the same
         * beginning. */
        if (!r->at.due && (r->at.step == r->at.steps || is_stale(r))) {
            RECON_CHECK(recon_params_load(r->ctx, r->it->params, r->o.path));
            RECON_CHECK(recon_adam_reset(r->ctx, r->adam));
            r->at.from = r->at.step;
            r->at.stale = 0;
        }
        r->at.steps = r->o.steps;
        RECON_CHECK(save_last(r));
    }
    return RECON_OK;
}

/* Files are rank 0's. */
static recon_status resume_at_all(run *r)
{
    if (r->ranks == 1)
        return resume(r);
    RECON_CHECK(recon_comm_agree(r->ctx, recon_comm_rank(r->ctx) == 0 ? resume(r) : RECON_OK));
    return recon_ranks_state(r->ctx, r->adam, &r->at);
}

/* Before the long work, not after it. */
static recon_status try_path(recon_ctx *ctx, const char *path)
{
    recon_writer writer;
    if (!path)
        return RECON_OK;
    recon_status status = recon_writer_open(ctx, &writer, path);
    recon_writer_close(&writer);
    return status;
}

static recon_status best_weights(run *r)
{
    if (r->at.best == HUGE_VAL)
        return recon_fail(r->ctx, RECON_ERR_NUMERIC, "no validation gave a number");
    if (r->o.path)
        return recon_params_load(r->ctx, r->it->params, r->o.path);
    return recon_adam_swap(r->ctx, r->adam);
}

static recon_status best_weights_at_all(run *r)
{
    recon_status status = best_weights(r);
    if (r->ranks == 1)
        return status;
    RECON_TRY(recon_comm_agree(r->ctx, status));
    RECON_TRY(recon_ranks_weights(r->ctx, r->it->params));
done:
    return status;
}

/* What rank 0 writes; nothing at the others. */
static recon_status open_files(run *r)
{
    if (r->ranks > 1 && recon_comm_rank(r->ctx) > 0)
        r->o.path = NULL;
    RECON_CHECK(recon_run_check(r->ctx, r->o.path, r->o.resume, r->o.overwrite));
    RECON_CHECK(try_path(r->ctx, r->o.path));
    RECON_CHECK(recon_run_file(r->ctx, &r->last, r->o.path, RECON_FILE_LAST));
    return recon_run_file(r->ctx, &r->log, r->o.path, RECON_FILE_LOG);
}

recon_status recon_train(recon_ctx *ctx, recon_train_result *out, const recon_trainee *trainee,
                         const recon_train_options *options)
{
    run r = { .ctx = ctx, .it = trainee, .o = *options, .out = out, .begun = recon_now() };
    recon_status status;
    *out = (recon_train_result){ 0 };
    r.o.readings = r.o.readings ? r.o.readings : READINGS;
    r.o.epoch = r.o.epoch ? r.o.epoch : r.o.steps;
    r.at = (recon_checkpoint){ .best = HUGE_VAL, .settings = r.o.settings ? r.o.settings : "" };
    if (r.o.steps == 0)
        return recon_fail(ctx, RECON_ERR_INPUT, "training of no steps");
    r.ranks = trainee->shared ? recon_comm_size(ctx) : 1;
    RECON_TRY(recon_ranks_begin(ctx, &r.cut, &r.peers, &r.part, trainee, r.at.settings));
    RECON_TRY(open_files(&r));
    RECON_TRY(recon_tape_new(ctx, &r.tape, r.o.precision, r.o.seed));
    RECON_TRY(recon_tape_new(ctx, &r.eval, r.o.precision, r.o.seed));
    if (r.part.n)
        recon_tape_tell_ready(r.tape, is_ready, &r);
    hold_on(&r); /* until there is a state to resume from, and the loop looks for interruptions */
    RECON_TRY(recon_adam_new(ctx, &r.adam, trainee->params, &r.o.adam));
    RECON_TRY(make_undoable(&r));
    RECON_TRY(resume_at_all(&r));
    ctx->hold = 0;
    uint64_t before = r.at.step;
    if (!finished(&r))
        RECON_TRY(loop(&r));
    RECON_TRY(best_weights_at_all(&r));
    out->steps = r.at.step;
    out->ran = r.at.step - before;
    out->best = r.at.best;
    out->peak = recon_tape_peak(r.tape);
    out->seconds = recon_now() - r.begun;
done:
    ctx->hold = 0;
    if (status == RECON_ERR_MEMORY && trainee->remedy)
        recon_note(ctx, status, "%s",
                   recon_spell((char[200]){ 0 }, 200, trainee->remedy, ctx->options.spelling));
    recon_graph_free(ctx, r.graph);
    recon_adam_free(ctx, r.adam);
    recon_peers_close(&r.peers);
    recon_tape_free(r.eval);
    recon_tape_free(r.tape);
    recon_free_all(r.buffers, r.log, r.last);
    return status;
}
