#pragma once

/* Library for LD_PRELOAD that shifts the wall clock of a process. The file CHAOS_CLOCK_FILE contains the offset: whole
   seconds, eight bytes in native byte order, read at every call. Monotonic clocks are not shifted. */
