/* Entry point of libFuzzer, which is part of the compiler runtime and has no header. */
#include <stddef.h>
#include <stdint.h>

/* Parses options of libFuzzer from the arguments and calls `run` with each input. */
int LLVMFuzzerRunDriver(int *argc, char ***argv, int (*run)(const uint8_t *bytes, size_t count));
