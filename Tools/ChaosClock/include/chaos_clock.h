#pragma once

/* Library for LD_PRELOAD that shifts the wall clock of a process. The variable CHAOS_CLOCK_FILE is the path of a file
   with the offset: whole seconds, eight bytes in native byte order, read at every call. Monotonic clocks are
   not shifted. */
