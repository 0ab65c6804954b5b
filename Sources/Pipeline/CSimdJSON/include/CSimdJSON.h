#ifndef CSIMDJSON_H
#define CSIMDJSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "sl_keys.h"

/* Reads JSON records with simdjson On Demand: one call per record, results in plain structs, nothing allocated once
   the buffers have grown to the size of the records. A parser belongs to one thread at a time. Every pointer in a
   result points into the parser and is valid until its next call. */

#ifdef __cplusplus
extern "C" {
#endif

typedef enum sl_key : uint16_t {
  SL_KEY_UNKNOWN = 0,
#define SL_KEY_CASE(name, spelling) SL_KEY_##name,
  SL_KEYS(SL_KEY_CASE)
#undef SL_KEY_CASE
  SL_KEY_COUNT
} sl_key;

typedef enum sl_status : uint8_t {
  SL_OK = 0,
  SL_EMPTY,             /* nothing but white space */
  SL_MALFORMED,         /* not a JSON object, nested deeper than 64, or with U+0000, which the stores cannot hold */
  SL_INVALID_UTF8,
  SL_UNKNOWN_TYPE,      /* a "type" that is none of ours */
  SL_MISSING,
  SL_WRONG_TYPE,
  SL_OUT_OF_RANGE,
  SL_NOT_FINITE,        /* NaN, Infinity, or a number beyond a double */
  SL_INVALID_TIMESTAMP,
  SL_BATCH_TOO_LARGE,
  SL_INVALID_ID,        /* an identifier that is over 128 bytes or has control characters */
  SL_KEY_MISMATCH,      /* the payload names another driver than the key */
  SL_NO_MEMORY
} sl_status;

typedef struct sl_text {
  const uint8_t *start;
  size_t count;
} sl_text;

typedef struct sl_parser sl_parser;

/* A parser, or NULL when memory is short. */
sl_parser *sl_parser_create(void);
void sl_parser_destroy(sl_parser *parser);

/* The spelling of a key, zero-terminated; empty for SL_KEY_UNKNOWN. */
const char *sl_key_name(sl_key key);

/* Milliseconds since the Unix epoch of an ISO 8601 time with Z or an offset; false when it is not one, or not in the
   years 1970 to 9999. Digits after the millisecond are cut off. */
bool sl_parse_time(const uint8_t *text, size_t count, int64_t *milliseconds);

/* Whether the same `count` bytes stand in both places; Swift compares them one by one. */
static inline bool sl_same_bytes(const void *left, const void *right, size_t count) {
  return memcmp(left, right, count) == 0;
}

/* A hash that is the same on every machine; never 0 for a text that is not empty. */
uint64_t sl_hash(const uint8_t *text, size_t count);

/* ---- raw locations ---- */

enum {
  SL_FIX_ACCURACY = 1 << 0,
  SL_FIX_HEADING = 1 << 1,
  SL_FIX_SPEED = 1 << 2,
  SL_FIX_ALTITUDE = 1 << 3,
  SL_FIX_DEVICE_TIME = 1 << 4,
  SL_FIX_SEQUENCE = 1 << 5,
  SL_FIX_BATTERY = 1 << 6,
  SL_FIX_OCCUPANCY = 1 << 7,
  SL_FIX_LATITUDE = 1 << 8,
  SL_FIX_LONGITUDE = 1 << 9,
  SL_FIX_ZERO_ACCURACY = 1 << 10
};

enum { SL_SOURCE_UNKNOWN, SL_SOURCE_GPS, SL_SOURCE_WIFI, SL_SOURCE_CELLULAR, SL_SOURCE_FUSED, SL_SOURCE_CACHED };
enum { SL_INTEGRITY_UNKNOWN, SL_INTEGRITY_PASSED, SL_INTEGRITY_FAILED };

typedef struct sl_fix {
  double latitude, longitude, accuracy_meters, heading, speed_mps, altitude_meters;
  int64_t device_ms, sequence;
  uint64_t content_hash, session_hash;
  sl_text session_id, trip_id;
  uint32_t present; /* SL_FIX_… */
  int16_t battery_percent, occupancy_percent;
  uint8_t source, integrity;
  bool is_mock;
  sl_status status;  /* what is wrong with this fix, the first thing found; SL_OK when it is readable */
  sl_key status_key; /* the field at fault */
} sl_fix;

typedef struct sl_raw {
  const sl_fix *fixes;
  size_t count;
  bool is_batch;
  bool is_plain; /* whether it was read byte by byte, without the general reader */
  sl_key key;    /* the field at fault when the whole record is unreadable */
} sl_raw;

/* Reads one record of either device dialect, or a batch of at most `maximum_fixes`. A status other than SL_OK speaks
   of the whole record; each fix of a batch carries its own beside. */
sl_status sl_read_raw(
    sl_parser *parser, const uint8_t *json, size_t count, sl_text driver_id, size_t maximum_fixes, sl_raw *result);

/* ---- verdicts ---- */

enum {
  SL_VERDICT_ESTIMATE_LATITUDE = 1 << 0,
  SL_VERDICT_ESTIMATE_LONGITUDE = 1 << 1,
  SL_VERDICT_HEADING = 1 << 2,
  SL_VERDICT_SEQUENCE = 1 << 3,
  SL_VERDICT_RAW_LATITUDE = 1 << 4,
  SL_VERDICT_RAW_LONGITUDE = 1 << 5,
  SL_VERDICT_RAW_ACCURACY = 1 << 6,
  SL_VERDICT_RAW_HEADING = 1 << 7,
  SL_VERDICT_RAW_SPEED = 1 << 8,
  SL_VERDICT_RAW_ALTITUDE = 1 << 9,
  SL_VERDICT_DEVICE_AT = 1 << 10,
  SL_VERDICT_FIXED_AT = 1 << 11,
  SL_VERDICT_RECEIVED_AT = 1 << 12,
  SL_VERDICT_BATTERY = 1 << 13,
  SL_VERDICT_OCCUPANCY = 1 << 14,
  SL_VERDICT_SPEED = 1 << 15,
  SL_VERDICT_ACCURACY = 1 << 16
};

enum { SL_MAXIMUM_REASONS = 32 };

typedef struct sl_verdict {
  sl_text event_id, driver_id, session_id, trip_id, verdict, confidence;
  sl_text reasons[SL_MAXIMUM_REASONS];
  size_t reason_count;
  int64_t sequence, device_ms, fixed_ms, received_ms;
  double risk, latitude, longitude, heading, speed_mps, accuracy_meters;
  double raw_latitude, raw_longitude, raw_accuracy_meters, raw_heading, raw_speed_mps, raw_altitude_meters;
  uint32_t present; /* SL_VERDICT_… */
  int16_t battery_percent, occupancy_percent;
  bool is_halted;
} sl_verdict;

/* Reads one verdict as our writer writes it. False for every other one, valid or not: those are for
   sl_read_verdict. */
bool sl_read_written_verdict(sl_parser *parser, const uint8_t *json, size_t count, sl_verdict *result);

/* Reads one verdict in any form of JSON; anything but SL_OK leaves the result undefined. */
sl_status sl_read_verdict(sl_parser *parser, const uint8_t *json, size_t count, sl_verdict *result);

/* ---- arrival times ---- */

enum {
  SL_ETA_VERSION = 1 << 0,
  SL_ETA_POSITION = 1 << 1,
  SL_ETA_HEADING = 1 << 2,
  SL_ETA_PROGRESS = 1 << 3,
  SL_ETA_OFF_ROUTE = 1 << 4,
  SL_ETA_OCCUPANCY = 1 << 5,
  SL_ETA_PASSED_AT = 1 << 6,
  SL_ETA_DRIVEN = 1 << 7,
  SL_ETA_SNAPPED = 1 << 8,
  SL_ETA_PLANNED = 1 << 9
};

enum {
  SL_ETA_STOP_SECONDS = 1 << 0,
  SL_ETA_STOP_MIN_SECONDS = 1 << 1,
  SL_ETA_STOP_MAX_SECONDS = 1 << 2,
  SL_ETA_STOP_DISTANCE = 1 << 3,
  SL_ETA_STOP_ARRIVES_AT = 1 << 4,
  SL_ETA_STOP_SCHEDULED_AT = 1 << 5,
  SL_ETA_STOP_DELAY_SECONDS = 1 << 6
};

/* Texts that are missing start nowhere. */
typedef struct sl_eta_stop {
  sl_text id, kind, status, confidence, delay;
  int64_t seconds, min_seconds, max_seconds, delay_seconds, arrives_ms, scheduled_ms;
  double distance_meters;
  uint32_t present; /* SL_ETA_STOP_… */
} sl_eta_stop;

typedef struct sl_eta {
  sl_text event_id, trip_id, driver_id, rider_id, kind, route_id, state, traffic;
  sl_text detected_arrival, next_stop_id, passed_stop_id, last_stop_id;
  int64_t version, computed_ms, fixed_ms, passed_ms, occupancy_percent;
  double latitude, longitude, heading, speed_mps, accuracy_meters;
  double progress_meters, off_route_meters, driven_meters, snapped_meters, planned_meters;
  const sl_eta_stop *stops;
  size_t stop_count;
  uint32_t present; /* SL_ETA_… */
  bool is_off_route, is_halted, is_stale;
} sl_eta;

/* Reads one record of arrival times as our writer writes them from fix to fix. False for every other one, valid or not:
   those are for sl_read_values. */
bool sl_read_written_eta(sl_parser *parser, const uint8_t *json, size_t count, sl_eta *result);

/* ---- any record, as a flat list of its values ---- */

typedef enum sl_kind : uint8_t {
  SL_NULL,
  SL_FALSE,
  SL_TRUE,
  SL_INTEGER,
  SL_NUMBER,
  SL_TEXT,
  SL_OBJECT,
  SL_ARRAY
} sl_kind;

typedef struct sl_value {
  union {
    int64_t integer;
    double number;         /* infinite when the text is a number beyond a double */
    const uint8_t *start;  /* SL_TEXT: the unescaped bytes. A value kept as text: its JSON, unparsed */
  };
  uint32_t count; /* SL_TEXT and values kept as text: bytes */
  uint32_t next;  /* how many entries to go on by, past this value and all inside it */
  sl_key key;     /* inside an object: its name */
  sl_kind kind;
  bool is_kept;   /* an object or array kept as text, see sl_read_values */
} sl_value;

typedef struct sl_values {
  const sl_value *values;
  size_t count;
} sl_values;

/* Reads a record whose top level is an object, depth first: an object or array is followed by its members. Members
   with a name that is none of ours are checked and left out. Objects and arrays under `kept_key` are not opened but
   handed out as their JSON text, which is checked for balance only (see sl_minify). */
sl_status sl_read_values(
    sl_parser *parser, const uint8_t *json, size_t count, sl_key kept_key, sl_values *result);

/* The same object without white space between tokens, valid JSON for certain. Uses the parser's own memory: results of
   an earlier call on the same parser are gone. */
sl_status sl_minify(sl_parser *parser, const uint8_t *json, size_t count, sl_text *result);

#ifdef __cplusplus
}
#endif

#endif
