#ifndef CSIMDJSON_H
#define CSIMDJSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "sl_keys.h"

/* Reads JSON records with simdjson On Demand: one call per record, results in plain structs, no allocation once the
   buffers fit the records. A parser must not be used by two threads at the same time. Every pointer in a result points
   into the parser and is valid until the next call to the parser. */

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
  SL_EMPTY,             /* only white space */
  SL_MALFORMED,         /* not a JSON object, nested deeper than 64, or contains U+0000, which the stores reject */
  SL_INVALID_UTF8,
  SL_UNKNOWN_TYPE,      /* a "type" that is not known */
  SL_MISSING,
  SL_WRONG_TYPE,
  SL_OUT_OF_RANGE,
  SL_NOT_FINITE,        /* NaN, Infinity, or a number beyond a double */
  SL_INVALID_TIMESTAMP,
  SL_BATCH_TOO_LARGE,
  SL_INVALID_ID,        /* an identifier of more than 128 bytes or with control characters */
  SL_KEY_MISMATCH,      /* the payload and the key have different driver ids */
  SL_NO_MEMORY,
  SL_WRONG_TOPIC,       /* a message for another topic: a driver's trip_status */
  SL_SOCKET_MESSAGE     /* a message between app and gateway that belongs in no topic: ping, subscribe, … */
} sl_status;

typedef struct sl_text {
  const uint8_t *start;
  size_t count;
} sl_text;

typedef struct sl_parser sl_parser;

/* Creates a parser; NULL if out of memory. */
sl_parser *sl_parser_create(void);
void sl_parser_destroy(sl_parser *parser);

/* Returns the spelling of a key, zero-terminated; empty for SL_KEY_UNKNOWN. */
const char *sl_key_name(sl_key key);

/* Parses an ISO 8601 time with Z or an offset into milliseconds since 1970. Returns false for other text and for years
   outside 1970 to 9999. Digits after the millisecond are cut off. */
bool sl_parse_time(const uint8_t *text, size_t count, int64_t *milliseconds);

/* Converts a number into milliseconds since 1970; its magnitude selects the unit. From 1e11: milliseconds since 1970,
   truncated. From 1.4e9: seconds since 1970. Below: seconds since 2001, which Swift's JSONEncoder writes. Seconds are
   rounded to the nearest millisecond. Returns false for negative numbers and for times after the year 9999. */
bool sl_time_of_number(double number, int64_t *milliseconds);

/* Compares `count` bytes; Swift would compare them one by one. */
__attribute__((always_inline)) static inline bool sl_same_bytes(const void *left, const void *right, size_t count) {
  return memcmp(left, right, count) == 0;
}

/* Returns a hash that is the same on every machine; never 0 for a text that is not empty. */
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
  SL_FIX_ZERO_ACCURACY = 1 << 10,
  SL_FIX_NEGATIVE_ACCURACY = 1 << 11,
  SL_FIX_ALTITUDE_ACCURACY = 1 << 20,
  SL_FIX_HEADING_ACCURACY = 1 << 21,
  SL_FIX_SPEED_ACCURACY = 1 << 22,
  SL_FIX_CHARGING = 1 << 23,
  SL_FIX_MOCK = 1 << 24
};

enum { SL_SOURCE_UNKNOWN, SL_SOURCE_GPS, SL_SOURCE_WIFI, SL_SOURCE_CELLULAR, SL_SOURCE_FUSED, SL_SOURCE_CACHED };
enum { SL_INTEGRITY_UNKNOWN, SL_INTEGRITY_PASSED, SL_INTEGRITY_FAILED };
enum {
  SL_NETWORK_UNKNOWN, SL_NETWORK_WIFI, SL_NETWORK_CELLULAR, SL_NETWORK_2G, SL_NETWORK_3G, SL_NETWORK_4G, SL_NETWORK_5G,
  SL_NETWORK_ETHERNET, SL_NETWORK_NONE
};
enum { SL_MOTION_UNKNOWN, SL_MOTION_STATIONARY, SL_MOTION_WALKING, SL_MOTION_RUNNING, SL_MOTION_CYCLING,
       SL_MOTION_AUTOMOTIVE };

typedef struct sl_fix {
  double latitude, longitude, accuracy_meters, heading, speed_mps, altitude_meters;
  double altitude_accuracy_meters, heading_accuracy_degrees, speed_accuracy_mps;
  int64_t device_ms, sequence;
  uint64_t content_hash, session_hash;
  uint64_t identity_hash; /* of the record's id, else of its message id; 0 if it has neither */
  sl_text session_id, trip_id;
  uint32_t present; /* SL_FIX_… */
  int16_t battery_percent, occupancy_percent;
  uint8_t source, integrity, network_type, motion_activity;
  bool is_mock, is_charging;
  sl_status status;  /* the first fault found in this fix; SL_OK if it is readable */
  sl_key status_key; /* the field at fault */
} sl_fix;

typedef struct sl_raw {
  const sl_fix *fixes;
  size_t count;
  bool is_batch;
  bool is_plain; /* whether the plain reader (see sl_read_raw) could read it */
  sl_key key;    /* the field at fault if the whole record is unreadable */
} sl_raw;

/* Reads one record in any device format, or a batch of at most `maximum_fixes`. A status other than SL_OK is that of the
   whole record; each fix of a batch also has its own.

   First reads the record in plain form: printable ASCII without escapes and numbers of few digits. simdjson reads a
   record of any other form again and decides whether it is valid. */
sl_status sl_read_raw(
    sl_parser *parser, const uint8_t *json, size_t count, sl_text driver_id, size_t maximum_fixes, sl_raw *result);

/* ---- records in the form that our writers produce ---- */

/* Copies a record into the parser, padded with zeros, for the functions below; NULL if the record is empty or memory is
   short. */
const uint8_t *sl_copy(sl_parser *parser, const uint8_t *json, size_t count);

/* Each reads one value at `start`, inside the parser's copy, in plain form: texts of printable ASCII without escapes,
   numbers in fixed notation of at most 19 digits, integers of at most 15, times as YYYY-MM-DDThh:mm:ss.mmmZ.
   Returns the end of the value, or NULL for any other form, which may still be valid JSON. */
const uint8_t *sl_plain_text(sl_parser *parser, const uint8_t *start, sl_text *result);
const uint8_t *sl_plain_number(sl_parser *parser, const uint8_t *start, double *result);
const uint8_t *sl_plain_integer(sl_parser *parser, const uint8_t *start, int64_t *result);
const uint8_t *sl_plain_time(sl_parser *parser, const uint8_t *start, int64_t *milliseconds);

/* The text of a member's name: a comma, the quoted key, a colon. Defined in the header so that a constant key gives a
   constant text. */
static const struct {
  const char *text;
  uint8_t count;
} sl_members[] = {
    {"", 0},
#define SL_MEMBER(name, spelling) {",\"" spelling "\":", sizeof(",\"" spelling "\":") - 1},
    SL_KEYS(SL_MEMBER)
#undef SL_MEMBER
};

__attribute__((always_inline)) static inline const char *sl_member_text(sl_key key) { return sl_members[key].text; }
__attribute__((always_inline)) static inline size_t sl_member_count(sl_key key) { return sl_members[key].count; }

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
    double number;         /* infinite if the number is beyond a double */
    const uint8_t *start;  /* SL_TEXT: the unescaped bytes; for a value kept as text its JSON */
  };
  uint32_t count; /* bytes at `start` */
  uint32_t next;  /* number of entries of this value, including all values inside it */
  sl_key key;     /* inside an object: the member's name */
  sl_kind kind;
  bool is_kept;   /* an object or array kept as text, see sl_read_values */
} sl_value;

typedef struct sl_values {
  const sl_value *values;
  size_t count;
} sl_values;

/* Which values are returned as JSON text. */
typedef enum sl_keep : uint8_t {
  SL_KEEP_NONE,
  SL_KEEP_OPAQUE, /* objects and arrays named context or facts, which are passed through */
  SL_KEEP_ALL     /* every member of the record */
} sl_keep;

/* Reads a record whose top level is an object, depth first: an object or array is followed by its members. Members
   with unknown names are validated and omitted. In objects and arrays kept as text only the balance of brackets is
   checked (see sl_minify). */
sl_status sl_read_values(sl_parser *parser, const uint8_t *json, size_t count, sl_keep keep, sl_values *result);

/* Returns the parser's copy of the last record. */
const uint8_t *sl_buffer(const sl_parser *parser);

/* Validates an object and removes the white space between its tokens. Invalidates results of earlier calls on the same
   parser. */
sl_status sl_minify(sl_parser *parser, const uint8_t *json, size_t count, sl_text *result);

#ifdef __cplusplus
}
#endif

#endif
