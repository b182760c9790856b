/* Two lanes on `soft`, alone and together: what it exists for.

       test.device.soft_overlap              the facts that hold on any machine
       test.device.soft_overlap --print N    N repetitions of every variant, a line each, and their quantiles */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "device/soft_rig.h"

#define COPY_NS   (190 * US)
#define KERNEL_NS (230 * US)
#define STEPS     3

typedef enum variant { NONE, SYNC, TIMING, ONE_QUEUE, VARIANTS } variant;
static const char *const names[] = {"none", "sync", "timing", "one-queue"};

typedef struct reading {
    double a_ms, b_ms, ab_ms, overlap;
    double late; /* share of ab */
    double delay;
} reading;

static int by_size(const void *left, const void *right)
{
    double x = *(const double *)left;
    double y = *(const double *)right;
    return (x > y) - (x < y);
}

static double median(double *values, size_t count)
{
    qsort(values, count, sizeof *values, by_size);
    return values[count / 2];
}

/* Wall of one step in ns, lane 0 alone (1), lane 1 alone (2) or both (3). */
static double step_ns(rig *r, unsigned lanes, bool one_queue, double *ret_late_ns, double *ret_delay_ns)
{
    uint64_t late_ns = rig_late_ns(r);
    int64_t delay_ns = cf_clock_delay_ns();
    uint64_t begin_ns = cf_clock_now_ns();
    for (uint32_t i = 0; i < RIG_COUNT; i++) {
        cf_op copy = rig_copy(r, i, COPY_NS);
        cf_op kernel = rig_kernel(r, i, KERNEL_NS);
        if (lanes & 1)
            rig_submit(r, r->streams[0], &copy);
        if (lanes & 2)
            rig_submit(r, r->streams[one_queue ? 0 : 1], &kernel);
    }
    rig_wait(r, NULL);
    double wall_ns = (double)(cf_clock_now_ns() - begin_ns);
    *ret_late_ns = (double)(rig_late_ns(r) - late_ns);
    *ret_delay_ns = (double)(cf_clock_delay_ns() - delay_ns);
    return wall_ns;
}

static double cell_ns(rig *r, unsigned lanes, bool one_queue, double *ret_late, double *ret_delay)
{
    double wall[STEPS], late[STEPS], delay[STEPS];
    (void)step_ns(r, lanes, one_queue, &late[0], &delay[0]);
    for (int i = 0; i < STEPS; i++)
        wall[i] = step_ns(r, lanes, one_queue, &late[i], &delay[i]);
    double value_ns = median(wall, STEPS);
    *ret_late = median(late, STEPS) / value_ns;
    *ret_delay = median(delay, STEPS) / value_ns;
    return value_ns;
}

static reading measure(rig *r, variant v)
{
    if (v == SYNC || v == TIMING)
        rig_arm(r, v == SYNC ? CF_EVENT_SYNC : CF_EVENT_TIMING);
    double unused, late, delay;
    double a_ns = cell_ns(r, 1, v == ONE_QUEUE, &unused, &unused);
    double b_ns = cell_ns(r, 2, v == ONE_QUEUE, &unused, &unused);
    double ab_ns = cell_ns(r, 3, v == ONE_QUEUE, &late, &delay);
    rig_disarm(r);
    double shorter_ns = a_ns < b_ns ? a_ns : b_ns;
    return (reading){.a_ms = a_ns / 1e6,
                     .b_ms = b_ns / 1e6,
                     .ab_ms = ab_ns / 1e6,
                     .overlap = (a_ns + b_ns - ab_ns) / shorter_ns,
                     .late = late,
                     .delay = delay};
}

/* On a machine too busy to run threads anything may come out, and then the device says so. */
static void assert_overlap(const reading *all, size_t count, bool above, double limit)
{
    double overlaps[16], lates[16];
    for (size_t i = 0; i < count; i++) {
        overlaps[i] = all[i].overlap;
        lates[i] = all[i].late > all[i].delay ? all[i].late : all[i].delay;
    }
    double overlap = median(overlaps, count);
    double late = median(lates, count);
    print_message("overlap %.3f, late %.3f\n", overlap, late);
    if (late <= 0.05)
        assert_true(above ? overlap >= limit : overlap <= limit);
}

static void check(variant v, bool above, double limit)
{
    rig r;
    reading all[5];
    rig_open(&r, OFFLOAD);
    (void)measure(&r, v);
    for (size_t i = 0; i < 5; i++)
        all[i] = measure(&r, v);
    rig_close(&r);
    assert_overlap(all, 5, above, limit);
}

static void lanes_without_an_instrument_overlap(void **state)
{
    (void)state;
    check(NONE, true, 0.7);
}

static void lanes_under_sync_events_overlap(void **state)
{
    (void)state;
    check(SYNC, true, 0.7);
}

static void lanes_under_timing_events_on_the_compute_ring_serialise(void **state)
{
    (void)state;
    check(TIMING, false, 0.3);
}

static void lanes_on_one_queue_serialise(void **state)
{
    (void)state;
    check(ONE_QUEUE, false, 0.3);
}

static void print_quantiles(const char *what, double *values, size_t count)
{
    qsort(values, count, sizeof *values, by_size);
    printf("  %s min %.3f q25 %.3f median %.3f q75 %.3f max %.3f\n", what, values[0], values[count / 4],
           values[count / 2], values[count * 3 / 4], values[count - 1]);
}

static int print(size_t count)
{
    rig r;
    rig_open(&r, OFFLOAD);
    double *values = calloc(3 * VARIANTS * count, sizeof *values);
    if (values == NULL)
        return 1;
    for (size_t i = 0; i < count; i++) {
        for (int v = 0; v < VARIANTS; v++) {
            reading m = measure(&r, (variant)v);
            printf("%-10s A %6.3f  B %6.3f  AB %6.3f ms  O %6.3f  late %5.3f  delay %5.3f\n", names[v], m.a_ms, m.b_ms,
                   m.ab_ms, m.overlap, m.late, m.delay);
            values[(size_t)(3 * v) * count + i] = m.overlap;
            values[(size_t)(3 * v + 1) * count + i] = m.late;
            values[(size_t)(3 * v + 2) * count + i] = m.delay;
        }
    }
    for (size_t v = 0; v < VARIANTS; v++) {
        printf("%s\n", names[v]);
        print_quantiles("overlap", &values[3 * v * count], count);
        print_quantiles("late   ", &values[(3 * v + 1) * count], count);
        print_quantiles("delay  ", &values[(3 * v + 2) * count], count);
    }
    free(values);
    rig_close(&r);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc == 3 && strcmp(argv[1], "--print") == 0 && atoi(argv[2]) > 0)
        return print((size_t)atoi(argv[2]));
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lanes_without_an_instrument_overlap),
        cmocka_unit_test(lanes_under_sync_events_overlap),
        cmocka_unit_test(lanes_under_timing_events_on_the_compute_ring_serialise),
        cmocka_unit_test(lanes_on_one_queue_serialise),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
