/*
 * A sink over any log that checkpoint.pml allows: each record is the next event, or a repetition of an earlier one.
 * Two processes read the same partition, because one may be a zombie. The store may be replaced by an older copy.
 */
#ifndef N
#define N 3             /* events */
#endif
#ifndef REPEATS
#define REPEATS 2       /* repeated records */
#endif
#define CRASHES 2
#define ROLLBACKS 1

bool APPLIED_ONCE_IN_ORDER = true, EVERYTHING_DONE = true;
#define CHECK(property, condition) property = (condition); assert(property)

#ifdef WATERMARK_GE     /* an event equal to the watermark is applied: >= for > */
#define ADVANCES (log[at] >= w)
#else
#define ADVANCES (log[at] > w)
#endif
#ifdef NO_COMPARE       /* the transaction does not compare the stored offset */
#define UNCHANGED true
#else
#define UNCHANGED (next == from)
#endif

byte log[N + REPEATS], length, newest, repeats = REPEATS, crashes = CRASHES, rollbacks = ROLLBACKS;
/* The store: rows up to this event, and the progress. */
byte rows, next, watermark;
/* An older copy of it; taken once, at any time. */
byte copyRows, copyNext, copyWatermark; bit copied;

proctype Broker() {
    byte e;
end:
    do
    :: atomic { newest < N -> newest++; log[length] = newest; length++ }
    :: atomic { repeats > 0 && newest > 0 ->
            repeats--;
            select (e : 1 .. newest);
            log[length] = e; length++; e = 0
        }
    :: atomic { repeats > 0 -> repeats = 0 }
    od
}

proctype Store() {
end:
    do
    :: atomic { !copied -> copied = 1; copyRows = rows; copyNext = next; copyWatermark = watermark }
    :: atomic { copied && rollbacks > 0 -> rollbacks--; rows = copyRows; next = copyNext; watermark = copyWatermark }
    :: atomic { crashes + rollbacks > 0 -> crashes = 0; rollbacks = 0 }
    od
}

inline applyRows() {
    at = from;
    do
    :: at < to ->
        if
        :: ADVANCES -> CHECK(APPLIED_ONCE_IN_ORDER, log[at] == rows + 1); rows = log[at]; w = log[at]
        :: else
        fi;
        at++
    :: else -> break
    od;
    at = 0
}

proctype Sink() {
    byte from, to, w, at;
end:
    do
    :: atomic { next < length -> from = next; w = watermark; to = length };     /* reads its progress and polls */
        if
#ifdef NOT_ATOMIC       /* rows first, progress in a second transaction */
        :: atomic { UNCHANGED -> applyRows() };
            if
            :: atomic { UNCHANGED -> next = to; watermark = w }
            :: atomic { crashes > 0 -> crashes-- }
            :: next != from
            fi
#else
        :: atomic { UNCHANGED -> applyRows(); next = to; watermark = w }
#endif
        :: atomic { crashes > 0 -> crashes-- }
        :: atomic { next != from }                                              /* superseded: writes nothing */
        fi;
        atomic { from = 0; to = 0; w = 0 }
    od
}

proctype Final() { timeout -> CHECK(EVERYTHING_DONE, newest == N && rows == N && next == length) }

init { atomic { run Broker(); run Store(); run Sink(); run Sink(); run Final() } }
