#ifndef SIGHTLINE_KAFKA_GUARD_H
#define SIGHTLINE_KAFKA_GUARD_H

/* Returns whether librdkafka calls this module's strcmp(), which depends on the dynamic loader. */
int sl_kafka_guard_is_used(void);

/* Compares two strings by their unsigned bytes; NULL is less than all other strings. */
int sl_compare_texts(const char *_Nullable left, const char *_Nullable right);

#endif
