/* export_centre.c - group/so2/centre.c in the operators of ONNX, for all rows of a batch at once.
 *
 * The bins are put in the order in which C goes through them, from behind the lowest one. A valley is where
 * the density rises after it has fallen: the last step that is not level says which, and a maximum over
 * the steps so far finds that. Masses, places and peaks of the modes between valleys are products with a
 * matrix of zeros and ones. A Loop then joins the two modes that are parted least, in the rows that still
 * need it, until none does. */
#include "model/export.h"
#include "group/so2/mean.h"

#include <math.h>

enum { BINS = RECON_POSE_BINS, MODES = BINS / 2 /* each rises and falls */ };
/* Of a mode: SIZE bins, in C's order, from FROM on. Rows of a state n x FIELDS x MODES. */
enum { PEAK, MASS, VALLEY, FROM, SIZE, FIELDS };

/* 0, 1, .. count - 1, as a row of this shape. */
static recon_onnx_value count_up(recon_onnx *o, int64_t count, recon_onnx_ints shape)
{
    int64_t number[BINS];
    for (int64_t i = 0; i < count; i++)
        number[i] = i;
    return recon_onnx_integers(o, number, shape);
}

/* The first of the smallest, or of the largest, n x 1. */
static recon_onnx_value place_of(recon_onnx *o, const char *op, recon_onnx_value x)
{
    return recon_onnx_op(
        o, op, RECON_ONNX_IN(x),
        RECON_ONNX_WITH(RECON_ONNX_SET_INT("axis", 1), RECON_ONNX_SET_INT("keepdims", 1)));
}

static recon_onnx_value insert_axis(recon_onnx *o, recon_onnx_value x, int64_t axis)
{
    return recon_graph_two(o, "Unsqueeze", x, recon_onnx_integers(o, &axis, RECON_ONNX_SHAPE(1)));
}

/* --- modes ------------------------------------------------------------------------------------ */

/* (1, 2, 1) / 4 around the circle. */
static recon_onnx_value smooth(recon_onnx *o, recon_onnx_value bins)
{
    recon_onnx_value sides = recon_graph_two(o, "Add", recon_graph_roll(o, bins, 1, BINS),
                                             recon_graph_roll(o, bins, BINS - 1, BINS));
    return recon_graph_two(o, "Add", recon_graph_two(o, "Mul", sides, recon_onnx_number(o, 0.25)),
                           recon_graph_two(o, "Mul", bins, recon_onnx_number(o, 0.5)));
}

/* 1 where a mode ends, else 0: p is in C's order, so that it ends in the lowest bin. */
static recon_onnx_value find_valleys(recon_onnx *o, recon_onnx_value p)
{
    float last[BINS] = { [BINS - 1] = 1 }, even[BINS];
    for (int i = 0; i < BINS; i++)
        even[i] = (float)(2 * i + 2);
    recon_onnx_value after = recon_graph_roll(o, p, 1, BINS),
                     before = recon_graph_roll(o, p, BINS - 1, BINS);
    recon_onnx_value falls =
        recon_graph_cast(o, recon_graph_two(o, "Less", p, before), RECON_ONNX_F32);
    recon_onnx_value rises =
        recon_graph_cast(o, recon_graph_two(o, "Greater", p, before), RECON_ONNX_F32);
    /* Step i is 2 i + 2 where it rises, one more where it falls, 0 where it is level. */
    recon_onnx_value number = recon_onnx_floats(o, NULL, even, RECON_ONNX_SHAPE(BINS));
    recon_onnx_value step =
        recon_graph_two(o, "Add", falls,
                        recon_graph_two(o, "Mul", number, recon_graph_two(o, "Add", falls, rises)));
    /* Row i of a triangle of ones takes the steps up to i. */
    recon_onnx_value square =
        recon_onnx_integers(o, (int64_t[]){ BINS, BINS }, RECON_ONNX_SHAPE(2));
    recon_onnx_value triangle = recon_onnx_op(
        o, "Trilu", RECON_ONNX_IN(recon_graph_two(o, "Expand", recon_onnx_number(o, 1), square)),
        RECON_ONNX_WITH(RECON_ONNX_SET_INT("upper", 0)));
    recon_onnx_value so_far = recon_graph_two(o, "Mul", insert_axis(o, step, 1), triangle);
    so_far = recon_graph_cast(o, recon_graph_reduce(o, "ReduceMax", so_far, 2, 0), RECON_ONNX_I64);
    recon_onnx_value fell = recon_graph_two(o, "Mod", so_far, recon_onnx_integer(o, 2));
    recon_onnx_value bottom = recon_graph_two(
        o, "Mul", recon_graph_cast(o, fell, RECON_ONNX_F32),
        recon_graph_cast(o, recon_graph_two(o, "Greater", after, p), RECON_ONNX_F32));
    return recon_graph_two(o, "Max", bottom,
                           recon_onnx_floats(o, NULL, last, RECON_ONNX_SHAPE(BINS)));
}

/* Where C's order, from behind the lowest bin on, has the bins of densities n x BINS. */
static recon_onnx_value find_order(recon_onnx *o, recon_onnx_value p)
{
    recon_onnx_value order = recon_graph_two(o, "Add", place_of(o, "ArgMin", p),
                                             count_up(o, BINS, RECON_ONNX_SHAPE(1, BINS)));
    return recon_graph_two(o, "Mod", recon_graph_two(o, "Add", order, recon_onnx_integer(o, 1)),
                           recon_onnx_integer(o, BINS));
}

/* The modes of densities n x BINS in C's order; *count n x 1 of them. */
static recon_onnx_value find_modes(recon_onnx *o, recon_onnx_value *count, recon_onnx_value p)
{
    float number[BINS];
    for (int i = 0; i < BINS; i++)
        number[i] = (float)i;
    recon_onnx_value valley = find_valleys(o, p), axis = recon_onnx_integer(o, 1);
    recon_onnx_value mode = recon_onnx_op(o, "CumSum", RECON_ONNX_IN(valley, axis),
                                          RECON_ONNX_WITH(RECON_ONNX_SET_INT("exclusive", 1)));
    *count = recon_graph_cast(o, recon_graph_sum(o, valley, 1, 1), RECON_ONNX_I64);
    recon_onnx_value belongs =
        recon_graph_two(o, "Equal", insert_axis(o, recon_graph_cast(o, mode, RECON_ONNX_I64), 2),
                        count_up(o, MODES, RECON_ONNX_SHAPE(1, 1, MODES))); /* n x BINS x MODES */
    belongs = recon_graph_cast(o, belongs, RECON_ONNX_F32);
    recon_onnx_value peak = recon_graph_reduce(
        o, "ReduceMax", recon_graph_two(o, "Mul", belongs, insert_axis(o, p, 2)), 1, 1);
    /* A mode begins behind a valley; the first one at 0. */
    recon_onnx_value begins =
        recon_graph_two(o, "Mul", recon_graph_roll(o, valley, BINS - 1, BINS),
                        recon_onnx_floats(o, NULL, number, RECON_ONNX_SHAPE(BINS)));
    recon_onnx_value ones =
        recon_graph_two(o, "Expand", recon_onnx_number(o, 1), recon_graph_one(o, "Shape", p));
    recon_onnx_value row[4] = { p, recon_graph_two(o, "Mul", p, valley), begins, ones };
    for (int i = 0; i < 4; i++)
        row[i] = insert_axis(o, row[i], 1);
    recon_onnx_value rows =
        recon_onnx_op(o, "Concat", RECON_ONNX_IN(row[0], row[1], row[2], row[3]),
                      RECON_ONNX_WITH(RECON_ONNX_SET_INT("axis", 1)));
    return recon_graph_concat(o, peak, recon_graph_two(o, "MatMul", rows, belongs), 1);
}

/* --- joining ---------------------------------------------------------------------------------- */

/* Field f of the modes, n x MODES. */
static recon_onnx_value field(recon_onnx *o, recon_onnx_value state, int f)
{
    return recon_graph_two(o, "Squeeze", recon_graph_slice(o, state, 1, f, f + 1),
                           recon_onnx_integers(o, &(int64_t){ 1 }, RECON_ONNX_SHAPE(1)));
}

/* Mode at[k] in the place of mode k, at n x MODES. */
static recon_onnx_value reorder(recon_onnx *o, recon_onnx_value state, recon_onnx_value at)
{
    at = recon_graph_two(o, "Expand", insert_axis(o, at, 1), recon_graph_one(o, "Shape", state));
    return recon_graph_gather(o, state, at, 2);
}

/* clearness() of every mode, n x MODES, and far above 1 where there is none behind it. */
static recon_onnx_value clearness(recon_onnx *o, recon_onnx_value a, recon_onnx_value b,
                                  recon_onnx_value total, recon_onnx_value there)
{
    recon_onnx_value lower = recon_graph_two(o, "Min", field(o, a, PEAK), field(o, b, PEAK));
    recon_onnx_value deep = recon_graph_two(o, "Mul", lower, recon_onnx_number(o, RECON_VALLEY));
    deep = recon_graph_two(
        o, "Div", deep,
        recon_graph_two(o, "Max", field(o, a, VALLEY), recon_onnx_number(o, 1e-35)));
    recon_onnx_value mass = recon_graph_two(o, "Min", field(o, a, MASS), field(o, b, MASS));
    mass = recon_graph_two(
        o, "Div", mass, recon_graph_two(o, "Mul", total, recon_onnx_number(o, RECON_MODE_LEAST)));
    return recon_graph_choose(o, there, recon_graph_two(o, "Min", deep, mass),
                              recon_onnx_number(o, 3e38));
}

static recon_onnx_value joined(recon_onnx *o, recon_onnx_value a, recon_onnx_value b)
{
    recon_onnx_value sums = recon_graph_two(o, "Add", a, b);
    return recon_onnx_op(
        o, "Concat",
        RECON_ONNX_IN(recon_graph_slice(o, recon_graph_two(o, "Max", a, b), 1, PEAK, PEAK + 1),
                      recon_graph_slice(o, sums, 1, MASS, MASS + 1),
                      recon_graph_slice(o, b, 1, VALLEY, VALLEY + 1),
                      recon_graph_slice(o, a, 1, FROM, FROM + 1),
                      recon_graph_slice(o, sums, 1, SIZE, SIZE + 1)),
        RECON_ONNX_WITH(RECON_ONNX_SET_INT("axis", 1)));
}

/* One round of prune() in every row that has not ended. */
static void join_once(recon_onnx *o, recon_onnx_value total)
{
    recon_onnx_input(o, "round", RECON_ONNX_I64, RECON_ONNX_SCALAR);
    recon_onnx_input(o, "going", RECON_ONNX_BOOL, RECON_ONNX_SCALAR);
    recon_onnx_value state = recon_onnx_input(o, "modes", RECON_ONNX_F32,
                                              RECON_ONNX_SHAPE(RECON_ONNX_BATCH, FIELDS, MODES));
    recon_onnx_value count =
        recon_onnx_input(o, "count", RECON_ONNX_I64, RECON_ONNX_SHAPE(RECON_ONNX_BATCH, 1));
    recon_onnx_value k = count_up(o, MODES, RECON_ONNX_SHAPE(1, MODES)),
                     behind = recon_graph_two(o, "Add", k, recon_onnx_integer(o, 1)),
                     last = recon_onnx_integer(o, MODES - 1);
    recon_onnx_value b = reorder(o, state, recon_graph_two(o, "Min", behind, last));
    recon_onnx_value clear =
        clearness(o, state, b, total, recon_graph_two(o, "Less", behind, count));
    recon_onnx_value least = place_of(o, "ArgMin", clear);
    recon_onnx_value joins = recon_graph_two(
        o, "Less", recon_graph_reduce(o, "ReduceMin", clear, 1, 1), recon_onnx_number(o, 1));
    recon_onnx_value here = recon_graph_two(o, "And", recon_graph_two(o, "Equal", k, least), joins);
    state = recon_graph_choose(o, insert_axis(o, here, 1), joined(o, state, b), state);
    /* The one behind it goes; those after that move up. */
    recon_onnx_value moves =
        recon_graph_two(o, "And", recon_graph_two(o, "Greater", k, least), joins);
    recon_onnx_value from =
        recon_graph_two(o, "Add", k, recon_graph_cast(o, moves, RECON_ONNX_I64));
    from = recon_graph_two(o, "Min", from, last);
    state = reorder(o, state, from);
    recon_onnx_value joined_now = recon_graph_cast(o, joins, RECON_ONNX_I64);
    recon_onnx_value any = recon_onnx_op(o, "ReduceMax", RECON_ONNX_IN(joined_now),
                                         RECON_ONNX_WITH(RECON_ONNX_SET_INT("keepdims", 0)));
    recon_onnx_output(o, "go_on", recon_graph_cast(o, any, RECON_ONNX_BOOL), RECON_ONNX_BOOL,
                      RECON_ONNX_SCALAR);
    recon_onnx_output(o, "modes_left", state, RECON_ONNX_F32,
                      RECON_ONNX_SHAPE(RECON_ONNX_BATCH, FIELDS, MODES));
    recon_onnx_output(o, "count_left", recon_graph_two(o, "Sub", count, joined_now), RECON_ONNX_I64,
                      RECON_ONNX_SHAPE(RECON_ONNX_BATCH, 1));
}

/* --- the centre ------------------------------------------------------------------------------- */

/* The heaviest of count modes, n x FIELDS x 1. */
static recon_onnx_value heaviest_of(recon_onnx *o, recon_onnx_value state, recon_onnx_value count)
{
    recon_onnx_value k = count_up(o, MODES, RECON_ONNX_SHAPE(1, MODES));
    recon_onnx_value mass = recon_graph_choose(o, recon_graph_two(o, "Less", k, count),
                                               field(o, state, MASS), recon_onnx_number(o, -1));
    recon_onnx_value heaviest = recon_graph_two(o, "Equal", k, place_of(o, "ArgMax", mass));
    heaviest = insert_axis(o, recon_graph_cast(o, heaviest, RECON_ONNX_F32), 1);
    return recon_graph_sum(o, recon_graph_two(o, "Mul", state, heaviest), 2, 1);
}

/* 1 in the bins of a mode, else 0. */
static recon_onnx_value bins_of(recon_onnx *o, recon_onnx_value mode)
{
    recon_onnx_value from = recon_graph_cast(o, field(o, mode, FROM), RECON_ONNX_I64),
                     size = recon_graph_cast(o, field(o, mode, SIZE), RECON_ONNX_I64);
    recon_onnx_value k =
        recon_graph_two(o, "Sub", count_up(o, BINS, RECON_ONNX_SHAPE(1, BINS)), from);
    return recon_graph_cast(
        o,
        recon_graph_two(o, "And", recon_graph_two(o, "GreaterOrEqual", k, recon_onnx_integer(o, 0)),
                        recon_graph_two(o, "Less", k, size)),
        RECON_ONNX_F32);
}

/* Cosine and sine of the bins' angles n x BINS. */
typedef struct {
    recon_onnx_value x, y;
} waves;

static recon_onnx_value wave(recon_onnx *o, double (*of)(double), recon_onnx_value order)
{
    float value[BINS];
    for (int i = 0; i < BINS; i++)
        value[i] = (float)of(2 * M_PI * i / BINS);
    return recon_graph_two(o, "Gather", recon_onnx_floats(o, NULL, value, RECON_ONNX_SHAPE(BINS)),
                           order);
}

/* The sum of p's directions, n x 2. */
static recon_onnx_value sum_of(recon_onnx *o, recon_onnx_value p, const waves *w)
{
    return recon_graph_concat(o, recon_graph_sum(o, recon_graph_two(o, "Mul", p, w->x), 1, 1),
                              recon_graph_sum(o, recon_graph_two(o, "Mul", p, w->y), 1, 1), 1);
}

/* How much of each bin is within a reach n x 1 of a direction n x 2. */
static recon_onnx_value within(recon_onnx *o, recon_onnx_value at, recon_onnx_value reach,
                               const waves *w)
{
    recon_onnx_value x = recon_graph_slice(o, at, 1, 0, 1), y = recon_graph_slice(o, at, 1, 1, 2);
    recon_onnx_value cosine = recon_graph_two(o, "Add", recon_graph_two(o, "Mul", w->x, x),
                                              recon_graph_two(o, "Mul", w->y, y));
    recon_onnx_value sine = recon_graph_two(o, "Sub", recon_graph_two(o, "Mul", w->y, x),
                                            recon_graph_two(o, "Mul", w->x, y));
    recon_onnx_value away = recon_graph_angle_of(o, cosine, recon_graph_one(o, "Abs", sine));
    away = recon_graph_two(o, "Mul", away, recon_onnx_number(o, BINS / (2 * M_PI)));
    recon_onnx_value part = recon_graph_two(o, "Sub", reach, away);
    part = recon_graph_two(o, "Add", part, recon_onnx_number(o, 0.5));
    part = recon_graph_two(o, "Max", part, recon_onnx_number(o, 0));
    return recon_graph_two(o, "Min", part, recon_onnx_number(o, 1));
}

static recon_onnx_value levelled(recon_onnx *o, recon_onnx_value p, recon_onnx_value level)
{
    return recon_graph_two(o, "Add",
                           recon_graph_two(o, "Mul", p, recon_onnx_number(o, RECON_CENTRE_ABOVE)),
                           recon_graph_two(o, "Mul", recon_graph_two(o, "Min", p, level),
                                           recon_onnx_number(o, 1 - RECON_CENTRE_ABOVE)));
}

/* mean_of() of densities in C's order, as directions n x 2. */
static recon_onnx_value mean_of(recon_onnx *o, recon_onnx_value mode, recon_onnx_value p,
                                recon_onnx_value order)
{
    const waves w = { wave(o, cos, order), wave(o, sin, order) };
    recon_onnx_value level =
        recon_graph_two(o, "Mul", field(o, mode, PEAK), recon_onnx_number(o, RECON_CENTRE_LEVEL));
    p = recon_graph_two(o, "Mul", levelled(o, p, level), bins_of(o, mode));
    recon_onnx_value inside = p, sum = sum_of(o, p, &w);
    for (int step = 0; step < RECON_CENTRE_STEPS; step++) {
        recon_onnx_value reach = recon_graph_two(o, "Div", recon_graph_sum(o, inside, 1, 1), level);
        reach = recon_graph_two(o, "Mul", reach, recon_onnx_number(o, RECON_CENTRE_REACH));
        inside = recon_graph_two(o, "Mul", p, within(o, recon_graph_unit(o, sum), reach, &w));
        sum = recon_graph_two(o, "Mul", sum, recon_onnx_number(o, RECON_CENTRE_STAY));
        sum = recon_graph_two(o, "Add", sum_of(o, inside, &w), sum);
    }
    return sum;
}

recon_onnx_value recon_graph_centre(recon_onnx *o, recon_onnx_value bins)
{
    recon_onnx_value p = smooth(o, bins), left[2], count;
    recon_onnx_value order = find_order(o, p);
    p = recon_graph_gather(o, p, order, 1);
    recon_onnx_value state = find_modes(o, &count, p);
    recon_onnx_value total = recon_graph_sum(o, p, 1, 1);
    recon_onnx_value rounds = recon_onnx_integer(o, MODES), begin = recon_onnx_true(o);
    recon_onnx_body_begin(o);
    join_once(o, total);
    recon_onnx_body_end(o);
    recon_onnx_ops(o, left, 2, "Loop", RECON_ONNX_IN(rounds, begin, state, count),
                   RECON_ONNX_WITH({ .name = "body", .kind = RECON_ONNX_BODY }));
    return mean_of(o, heaviest_of(o, left[0], left[1]), p, order);
}
