#ifndef SIGHTLINE_JEMALLOC_CONTROL_H
#define SIGHTLINE_JEMALLOC_CONTROL_H

#include <stddef.h>

/* The library's own header is not included: it declares malloc() and its relatives again, with attributes that differ
 * from the C library's. This one function is all that is called by name; linking the library replaces the others. */
int mallctl(const char *name, void *old_value, size_t *old_size, void *new_value, size_t new_size);

#endif
