#ifndef SIGHTLINE_CFAULTSIMULATION_H
#define SIGHTLINE_CFAULTSIMULATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <librdkafka/rdkafka.h>

/* Fibers: stacks of one thread, of which one runs at a time, or none while the scheduler runs. */

typedef struct sl_fiber sl_fiber;

/* Creates a fiber that will call `entry(argument)`; it starts with its first sl_fiber_resume(). */
sl_fiber *sl_fiber_create(void *(*entry)(void *), void *argument);

/* Runs a fiber until it yields or ends; called by the scheduler. Frees the fiber if it ended.
 * Returns whether it ended. */
bool sl_fiber_resume(sl_fiber *fiber);

/* Returns to the scheduler until the next sl_fiber_resume(); called on a fiber. */
void sl_fiber_yield(void);

/* The calling fiber; NULL on other threads. */
sl_fiber *sl_fiber_current(void);

/* Makes every reading of the clock by this fiber advance its own time, so that its loops with deadlines end. */
void sl_fiber_kill(sl_fiber *fiber);

/* Adds an offset to the wall clock of a fiber, in nanoseconds. */
void sl_fiber_shift_wall_clock(sl_fiber *fiber, int64_t nanoseconds);

/* Virtual time in nanoseconds since the beginning of the simulation. While it is not negative, clock_gettime() returns
 * it to the whole process. Work takes no time; only a loop that reads the clock again and again advances it. */
void sl_clock_set(int64_t nanoseconds);
int64_t sl_clock_read(void);

/* Real time in nanoseconds, for measurements. */
int64_t sl_real_nanoseconds(void);

/* Unix time at the beginning of the simulation, in milliseconds. */
static const int64_t sl_start_milliseconds = 1767225600000;

/* Calls of the C library by fibers; other threads are not affected. */
typedef struct {
    void (*sleep)(int64_t nanoseconds);
    void (*start_thread)(void *(*entry)(void *), void *argument);
    void (*random)(void *bytes, size_t count);
    /* Waits up to `milliseconds` (-1: without limit) for `events` of a simulated socket; returns those that occurred. */
    short (*poll)(int socket, short events, int milliseconds);
    /* Returns the number of bytes, or -1 with errno set. */
    ssize_t (*send)(int socket, const void *bytes, size_t count);
} sl_hooks;

void sl_set_hooks(sl_hooks hooks);

/* The first file descriptor of simulated sockets. */
static const int sl_first_socket = 1 << 20;

/* The record of a call of the variadic rd_kafka_producev(). */
typedef struct {
    rd_kafka_topic_t *topic;
    int32_t partition;
    const void *key;
    size_t key_size;
    const void *value;
    size_t value_size;
    int64_t timestamp;
    rd_kafka_headers_t *headers;
    void *token;
} sl_produced;

/* Creates an error object of librdkafka, whose constructor is variadic. */
rd_kafka_error_t *sl_make_error(rd_kafka_resp_err_t code, const char *text);

/* Implemented in Swift. */
rd_kafka_resp_err_t sl_simulated_produce(rd_kafka_t *client, const sl_produced *record);

#endif
