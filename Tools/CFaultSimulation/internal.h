#ifndef SIGHTLINE_CFAULTSIMULATION_INTERNAL_H
#define SIGHTLINE_CFAULTSIMULATION_INTERNAL_H

#include "CFaultSimulation.h"

#include <pthread.h>

/* The C library's function, which this program replaces for fibers. */
int sl_real_pthread_create(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);

/* Difference between the calling fiber's clock and virtual time, in nanoseconds. */
int64_t sl_fiber_time_offset(bool is_wall_clock);

#endif
