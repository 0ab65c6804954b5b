#ifndef SIGHTLINE_CFAULTSIMULATION_INTERNAL_H
#define SIGHTLINE_CFAULTSIMULATION_INTERNAL_H

#include "CFaultSimulation.h"

/* Difference between the calling fiber's clock and virtual time, in nanoseconds. */
int64_t sl_fiber_time_offset(bool is_wall_clock);

#endif
