#ifndef CSIMDJSON_H
#define CSIMDJSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Reader of JSON records with simdjson On Demand: one call per record, results in plain structs, no allocation once the
   buffers fit the records. A parser must not be used by two threads at the same time. Every pointer in a result points
   into the parser and is valid until the next call to the parser. */

/* Object keys known to the readers, with their spelling on the wire. Each key is mapped to a number once, so that
   readers switch over integers instead of comparing text. */
#define SL_KEYS(X)                                     \
  X(TYPE, "type")                                      \
  X(DRIVER_ID, "driver_id")                            \
  X(SESSION_ID, "session_id")                          \
  X(SEQUENCE, "sequence")                              \
  X(TRIP_ID, "trip_id")                                \
  X(PAYLOAD, "payload")                                \
  X(LOCATIONS, "locations")                            \
  X(COORDINATE, "coordinate")                          \
  X(ACCURACY, "accuracy")                              \
  X(METADATA, "metadata")                              \
  X(TIMESTAMP, "timestamp")                            \
  X(SOURCE, "source")                                  \
  X(LATITUDE, "latitude")                              \
  X(LONGITUDE, "longitude")                            \
  X(ALTITUDE, "altitude")                              \
  X(HEADING, "heading")                                \
  X(SPEED, "speed")                                    \
  X(HORIZONTAL, "horizontal")                          \
  X(BATTERY_LEVEL, "batteryLevel")                     \
  X(ACCURACY_METERS, "accuracy_meters")                \
  X(SPEED_MPS, "speed_mps")                            \
  X(ALTITUDE_METERS, "altitude_meters")                \
  X(BATTERY_PERCENT, "battery_percent")                \
  X(IS_MOCK, "is_mock")                                \
  X(INTEGRITY, "integrity")                            \
  X(OCCUPANCY_PERCENT, "occupancy_percent")            \
  X(EVENT_ID, "event_id")                              \
  X(VERDICT, "verdict")                                \
  X(REASONS, "reasons")                                \
  X(RISK, "risk")                                      \
  X(RISK_SIGNALS, "risk_signals")                      \
  X(CONFIDENCE, "confidence")                          \
  X(IS_DISPLACED, "is_displaced")                      \
  X(IS_HALTED, "is_halted")                            \
  X(RAW, "raw")                                        \
  X(DEVICE_AT, "device_at")                            \
  X(FIXED_AT, "fixed_at")                              \
  X(RECEIVED_AT, "received_at")                        \
  X(WARNING_CODE, "warning_code")                      \
  X(ACTION, "action")                                  \
  X(MESSAGE, "message")                                \
  X(EVIDENCE, "evidence")                              \
  X(DISTANCE_METERS, "distance_meters")                \
  X(SECONDS, "seconds")                                \
  X(FIXES, "fixes")                                    \
  X(SERVER_TIMESTAMP, "server_timestamp")              \
  X(RIDER_ID, "rider_id")                              \
  X(KIND, "kind")                                      \
  X(STATE, "state")                                    \
  X(TRIGGERED_BY, "triggered_by")                      \
  X(CHANGED_AT, "changed_at")                          \
  X(VERSION, "version")                                \
  X(STOPS, "stops")                                    \
  X(STOP_ID, "stop_id")                                \
  X(SCHEDULED_AT, "scheduled_at")                      \
  X(ROUTE, "route")                                    \
  X(POLYLINE, "polyline")                              \
  X(PRECISION, "precision")                            \
  X(DURATION_SECONDS, "duration_seconds")              \
  X(ROUTE_ID, "route_id")                              \
  X(CONTEXT, "context")                                \
  X(QUEUE_POSITION, "queue_position")                  \
  X(COMPUTED_AT, "computed_at")                        \
  X(POSITION, "position")                              \
  X(PROGRESS_METERS, "progress_meters")                \
  X(OFF_ROUTE, "off_route")                            \
  X(OFF_ROUTE_METERS, "off_route_meters")              \
  X(IS_SILENT, "is_silent")                            \
  X(IS_STALE, "is_stale")                              \
  X(IS_PROVISIONAL, "is_provisional")                  \
  X(IS_FOLLOWED, "is_followed")                        \
  X(VEHICLE_NUMBER, "vehicle_number")                  \
  X(VEHICLE, "vehicle")                                \
  X(LICENSE_PLATE, "license_plate")                    \
  X(TRAFFIC_CONDITIONS, "traffic_conditions")          \
  X(NEXT_STOP_ID, "next_stop_id")                      \
  X(PASSED_STOP_ID, "passed_stop_id")                  \
  X(PASSED_AT, "passed_at")                            \
  X(LAST_STOP_ID, "last_stop_id")                      \
  X(STATUS, "status")                                  \
  X(MIN_SECONDS, "min_seconds")                        \
  X(MAX_SECONDS, "max_seconds")                        \
  X(ARRIVES_AT, "arrives_at")                          \
  X(DELAY_SECONDS, "delay_seconds")                    \
  X(DELAY, "delay")                                    \
  X(CHANGE, "change")                                  \
  X(PREVIOUS_STATE, "previous_state")                  \
  X(ROUTE_POLYLINE, "route_polyline")                  \
  X(DETECTED_ARRIVAL, "detected_arrival")              \
  X(DRIVEN_METERS, "driven_meters")                    \
  X(PLANNED_METERS, "planned_meters")                  \
  X(SNAPPED_METERS, "snapped_meters")                  \
  X(FARE_CHECKS, "fare_checks")                        \
  X(CHANNEL, "channel")                                \
  X(INTERPOLATION_HINT, "interpolation_hint")          \
  X(DURATION_MS, "duration_ms")                        \
  X(STALE_SECONDS, "stale_seconds")                    \
  X(PICKUP_ETA, "pickup_eta")                          \
  X(DROPOFF_ETA, "dropoff_eta")                        \
  X(STOP_ETAS, "stop_etas")                            \
  X(STREAM_ID, "streamId")                             \
  X(ETA_ID, "etaId")                                   \
  X(VEHICLE_NUMBER_CAMEL, "vehicleNumber")             \
  X(ETA, "eta")                                        \
  X(MIN_ETA, "minEta")                                 \
  X(MAX_ETA, "maxEta")                                 \
  X(DISTANCE_TO_REACH, "distanceToReach")              \
  X(LAT_LNG, "latLng")                                 \
  X(LAT, "lat")                                        \
  X(LNG, "lng")                                        \
  X(IS_BUS_HALTED, "isBusHalted")                      \
  X(NEXT_STOP_ID_CAMEL, "nextStopId")                  \
  X(LAST_STOP_ID_CAMEL, "lastStopId")                  \
  X(PASSED_STOP_ID_CAMEL, "passedStopId")              \
  X(PASSED_STOP_TIME, "passedStopTime")                \
  X(VEHICLE_BEARING, "vehicleBearing")                 \
  X(TIME_STAMP_CAMEL, "timeStamp")                     \
  X(OCCUPANCY_LEVEL, "occupancyLevel")                 \
  X(IS_STALE_CAMEL, "isStale")                         \
  X(STALE_SECONDS_CAMEL, "staleSeconds")               \
  X(MOMENT, "moment")                                  \
  X(PRIORITY, "priority")                              \
  X(ETA_CHANGE_SECONDS, "eta_change_seconds")          \
  X(EASING, "easing")                                  \
  X(ALLOWED_TRANSITIONS, "allowed_transitions")        \
  X(VERTICAL, "vertical")                              \
  X(HEADING_ACCURACY, "headingAccuracy")               \
  X(SPEED_ACCURACY, "speedAccuracy")                   \
  X(NETWORK_TYPE_CAMEL, "networkType")                 \
  X(IS_CHARGING_CAMEL, "isCharging")                   \
  X(MOTION_ACTIVITY_CAMEL, "motionActivity")           \
  X(ALTITUDE_ACCURACY_METERS, "altitude_accuracy_meters") \
  X(HEADING_ACCURACY_DEGREES, "heading_accuracy_degrees") \
  X(SPEED_ACCURACY_MPS, "speed_accuracy_mps")          \
  X(IS_CHARGING, "is_charging")                        \
  X(NETWORK_TYPE, "network_type")                      \
  X(MOTION_ACTIVITY, "motion_activity")                \
  X(ID, "id")                                          \
  X(MESSAGE_ID, "message_id")                          \
  X(MESSAGE_ID_CAMEL, "messageId")                     \
  X(DRIVER_ID_CAMEL, "driverId")                       \
  X(SESSION_ID_CAMEL, "sessionId")                     \
  X(TRIP_ID_CAMEL, "tripId")                           \
  X(ACCURACY_METERS_CAMEL, "accuracyMeters")           \
  X(SPEED_MPS_CAMEL, "speedMps")                       \
  X(ALTITUDE_METERS_CAMEL, "altitudeMeters")           \
  X(BATTERY_PERCENT_CAMEL, "batteryPercent")           \
  X(IS_MOCK_CAMEL, "isMock")                           \
  X(OCCUPANCY_PERCENT_CAMEL, "occupancyPercent")       \
  X(STAGE, "stage")                                    \
  X(FACTS, "facts")                                    \
  X(REMATCHED, "rematched")                            \
  X(RESOLVED, "resolved")                              \
  X(BEGAN_AT, "began_at")                              \
  X(ENDED_AT, "ended_at")                              \
  X(ENDED_BY, "ended_by")                              \
  X(GREATEST_METERS, "greatest_meters")                \
  X(LOCATION, "location")

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
  SL_EMPTY,             /* no bytes or only white space; internally also null */
  SL_MALFORMED,         /* not a JSON object, nested deeper than 64, or contains U+0000 (invalid in Postgres) */
  SL_INVALID_UTF8,
  SL_UNKNOWN_TYPE,      /* an unknown value of "type" */
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

/* Returns a hash that is equal on every machine and never 0. */
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
  uint64_t identity_hash; /* hash of the record's id, else of its message id; 0 if it has neither */
  sl_text session_id, trip_id;
  uint32_t present; /* bits SL_FIX_… */
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
  bool is_plain; /* whether the record was in plain form (see sl_read_raw), so that simdjson did not parse it */
  sl_key key;    /* the field at fault if the whole record is unreadable */
} sl_raw;

/* Reads one record in any device format, or a batch of up to `maximum_fixes`. Returns the fault of the whole record, or
   SL_OK; each fix of a batch also has its own status.

   First reads the record in plain form: printable ASCII without escapes and numbers of few digits. simdjson reads a
   record of any other form again and decides whether it is valid. */
sl_status sl_read_raw(
    sl_parser *parser, const uint8_t *json, size_t count, sl_text driver_id, size_t maximum_fixes, sl_raw *result);

/* ---- records in plain form, as Sightline's writers produce them ---- */

/* Copies a record into the parser and pads it with zeros, for the functions below; NULL if empty or out of memory. */
const uint8_t *sl_copy(sl_parser *parser, const uint8_t *json, size_t count);

/* Each reads one value at `start`, inside the parser's copy, in plain form: texts of printable ASCII without escapes,
   numbers in fixed notation of up to 19 digits, integers of up to 15 digits, times as YYYY-MM-DDThh:mm:ss.mmmZ.
   Returns the end of the value, or NULL for any other form, which may still be valid JSON. */
const uint8_t *sl_plain_text(sl_parser *parser, const uint8_t *start, sl_text *result);
const uint8_t *sl_plain_number(sl_parser *parser, const uint8_t *start, double *result);
const uint8_t *sl_plain_integer(sl_parser *parser, const uint8_t *start, int64_t *result);
const uint8_t *sl_plain_time(sl_parser *parser, const uint8_t *start, int64_t *milliseconds);

/* The text of a member's name: a comma, the quoted key, a colon. Defined in the header, so that the compiler inserts
   the text of a constant key. */
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
    const uint8_t *start;  /* SL_TEXT: the unescaped bytes; if `is_kept`, the value's JSON */
  };
  uint32_t count; /* bytes at `start` */
  uint32_t next;  /* number of entries of this value and all values inside it: the offset of the next value */
  sl_key key;     /* inside an object: the member's name */
  sl_kind kind;
  bool is_kept;   /* whether `start` is the JSON text of the value, see sl_keep */
} sl_value;

/* Values to return as JSON text; scalars among them, except null, have the kind SL_TEXT. */
typedef enum sl_keep : uint8_t {
  SL_KEEP_NONE,
  SL_KEEP_OPAQUE, /* objects and arrays named context or facts, which are passed through */
  SL_KEEP_ALL     /* every member of the record */
} sl_keep;

/* Reads a record whose top level is an object; `result` is its first value. Depth first: an object or array is followed
   by the values in it. Members with unknown names are validated and omitted. In objects and arrays kept as text only
   the balance of brackets is checked (see sl_minify). */
sl_status sl_read_values(sl_parser *parser, const uint8_t *json, size_t count, sl_keep keep, const sl_value **result);

/* Returns the parser's copy of the last record. */
const uint8_t *sl_buffer(const sl_parser *parser);

/* Validates an object and removes the white space between its tokens. Invalidates earlier results of the parser. */
sl_status sl_minify(sl_parser *parser, const uint8_t *json, size_t count, sl_text *result);

#ifdef __cplusplus
}
#endif

#endif
