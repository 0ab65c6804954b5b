#ifndef SIGHTLINE_KAFKA_GUARD_H
#define SIGHTLINE_KAFKA_GUARD_H

/* Whether the Kafka client library compares strings by the function of this module; 0 where the loader decides
 * otherwise. */
int sl_kafka_guard_is_used(void);

/* Compares two strings by their unsigned bytes; a missing one is before all others. */
int sl_compare_texts(const char *_Nullable left, const char *_Nullable right);

#endif
