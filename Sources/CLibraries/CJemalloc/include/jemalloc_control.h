#ifndef SIGHTLINE_JEMALLOC_CONTROL_H
#define SIGHTLINE_JEMALLOC_CONTROL_H

#include <stddef.h>

/* jemalloc's own header is not included, because it declares malloc() and others with attributes that differ from the C
 * library's. Only mallctl() is called by name; linking jemalloc replaces malloc() and the like. */
int mallctl(const char *name, void *old_value, size_t *old_size, void *new_value, size_t new_size);

#endif
