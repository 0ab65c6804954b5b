/*
 * Checkpoints in place of state in every record: one partition of a processor and its topics. See design.md.
 * check.sh checks this model, and with each fault (-DNAME) that the named property is violated.
 *
 * Events 1 to N are the input. The state is one counter per key; two keys stand for many drivers. An output contains
 * both counters, so an event that is lost, processed twice, or processed with a torn state gives a wrong output.
 * Some events also have a side output (dead letter, warning), in a topic of its own.
 *
 * A worker that loses the partition continues as a zombie until it notices. It may notice at any later step, so
 * everything that it had queued or would still do can arrive at any time, also after the next restore. This includes
 * requests of a dead process that a broker appends late: another worker stands for the process before.
 *
 * The checkpoint log is represented by what a reader has made of it, record by record. For a reader this is the log up
 * to its own claim; later records do not count for it.
 */

/* ---- bounds ---- */
#ifndef N
#define N 3
#endif
#define KEYS 5              /* bit e-1: key of event e */
#define SIDES 6             /* bit e-1: whether event e has a side output */
#ifndef WORKERS
#define WORKERS 2
#endif
#ifndef TAKEOVERS
#define TAKEOVERS 2         /* the group gives the partition to the next worker, though its owner still runs */
#endif
#ifndef CRASHES
#define CRASHES 1           /* the owner dies, starts again and gets the partition again */
#endif
#ifndef IN_FLIGHT
#define IN_FLIGHT 2         /* processed events whose outputs are not acknowledged */
#endif

#define KEY(e) ((KEYS >> ((e) - 1)) & 1)
#define HAS_SIDE(e) (((SIDES & ((1 << N) - 1)) >> ((e) - 1)) & 1)
#define SIDES_AFTER(e) ((SIDES & ((1 << N) - 1)) >> (e))
/* The counters of an uninterrupted run after event e. */
#define BIT(i, e) ((e) > (i) && ((KEYS >> (i)) & 1))
#define TRUE_1(e) (BIT(0, e) + BIT(1, e) + BIT(2, e) + BIT(3, e) + BIT(4, e))
#define TRUE_0(e) ((e) - TRUE_1(e))
#define MAX(a, b) ((a) > (b) -> (a) : (b))
#define MIN(a, b) ((a) < (b) -> (a) : (b))
#define GONE 7              /* value of an entry whose record was removed */

/* ---- properties; they are true in every state, and the error names the violated one ---- */
bool OUTPUT_RIGHT = true, FIRST_OUTPUTS_IN_ORDER = true, SIDE_OUTPUT_RIGHT = true, SIDE_OUTPUTS_IN_ORDER = true;
bool RESTORED_STATE_RIGHT = true, INPUT_AVAILABLE = true, NOTHING_SENT_AGAIN = true;
bool READERS_ACCEPT_CUT = true, CUTS_NEVER_GO_BACK = true, NEEDED_RECORDS_STAY = true;
bool SINK_APPLIES_ONCE_IN_ORDER = true, EVERYTHING_DONE = true;
#define CHECK(property, condition) property = (condition); assert(property)

/* ---- faults in the protocol ---- */
#ifdef NO_COUNT             /* the cut record is sent before the last slice, and readers do not count slices */
#define SLICES_SENT (m0 + m1 < 2)
#define COMPLETE(n) true
#else
#define SLICES_SENT (!m0 && !m1)
#define COMPLETE(n) (has0 + has1 == n)
#endif
#if defined(NO_ACK)         /* the cut record does not wait for the outputs before the cut */
#define OUTPUTS_ACKED true
#elif defined(NO_ACK_SIDE)  /* it waits for those of the changelog only */
#define OUTPUTS_ACKED (sent >= cp)
#else
#define OUTPUTS_ACKED (sent >= cp && sentSide >= cp)
#endif
#ifdef UNASSIGNED           /* a worker that has lost the partition restores it again without having it */
#define ASSIGNED true
#else
#define ASSIGNED (owner == me)
#endif
#ifdef UNVERIFIED           /* the writer believes its cut without a look at the offsets */
#define VERIFIED true
#else
#define VERIFIED valid
#endif
#if defined(LAST_RECORD)    /* the watermark is the last record's event, which may be a zombie's repetition */
#define SENT_BEFORE MAX(pos, outLast)
#elif defined(WATERMARK_GE) /* an event equal to the watermark is sent: >= for > */
#define SENT_BEFORE (outWm > pos -> outWm - 1 : pos)
#elif defined(NOT_SILENT)   /* the replay sends its outputs */
#define SENT_BEFORE pos
#else
#define SENT_BEFORE MAX(pos, outWm)
#endif
#ifdef ONE_WATERMARK        /* the changelog's watermark counts for the side output too */
#define SIDE_SENT_BEFORE MAX(pos, MAX(outWm, sideWm))
#else
#define SIDE_SENT_BEFORE MAX(pos, sideWm)
#endif
#ifdef ZOMBIE_SLICE         /* slices count, whoever wrote them */
#define SLICE_COUNTS true
#else
#define SLICE_COUNTS (cur == me)
#endif
#ifdef ZOMBIE_CUT           /* cut records count, whoever wrote them */
#define CUT_COUNTS true
#else
#define CUT_COUNTS (cur == me)
#endif
#ifdef NEWEST_CUT           /* the newest cut is restored though outputs before it are lost */
#define NEWEST_USABLE true
#else
#define NEWEST_USABLE (outWm >= cPos)
#endif
#ifdef SHORT_RETENTION      /* the input is kept from the newest cut on, not from the one before it */
#define RETAINED_AFTER position
#else
#define RETAINED_AFTER MIN(pPos, position)
#endif
#ifdef NO_MANIFEST          /* a cut adds to the newest one before it, not to the one that its writer restored */
#define ADDS_TO_OLDER false
#else
#define ADDS_TO_OLDER older
#endif

/* ---- the broker ---- */
byte inLow;                     /* retention has deleted the events up to this one */
byte outWm;                     /* watermark of the changelog: its newest event */
byte sideWm;                    /* watermark of the side output */
#ifdef LAST_RECORD
byte outLast;                   /* event of the changelog's last record */
#endif
#ifdef SINK
chan log = [N + N * TAKEOVERS] of { byte };     /* records of the changelog that the sink has not read: their events */
byte sinkWm;                    /* watermark in the sink's store */
#define SINK_DONE (sinkWm == N && empty(log))
#else
#define SINK_DONE true
#endif
/* The checkpoint log, as read. */
byte cur = WORKERS;             /* who wrote the last claim: the incarnation in force */
bit has0, has1; byte st0, st1;  /* slices of the cut in progress */
byte c0, c1, cPos;              /* the last complete cut: state and position */
#ifdef TRUNCATION
byte p0, p1, pPos;              /* the complete cut before it */
bit truncated;
byte w0, w1;
#endif
#ifdef TRIM
/* For a worker with a new base: which entries lie before it. Bits 0, 1: last complete cut; 2, 3: cut in progress. */
byte old[WORKERS];
#define WRITTEN(w, k) old[w] = old[w] & ~(4 << k)
#define COMMITTED(w) old[w] = (has0 -> (old[w] & ~1) | ((old[w] >> 2) & 1) : old[w]); \
    old[w] = (has1 -> (old[w] & ~2) | ((old[w] >> 2) & 2) : old[w])
#endif

/* ---- the group ---- */
byte owner;
bool idle[WORKERS];             /* holds nothing */
byte takeovers = TAKEOVERS, crashes = CRASHES;

inline appendOut(e, right) {
    CHECK(OUTPUT_RIGHT, right);                 /* repetitions too: they have the bytes of the first record */
    if
    :: e > outWm -> CHECK(FIRST_OUTPUTS_IN_ORDER, e == outWm + 1); outWm = e
    :: else
    fi;
#ifdef LAST_RECORD
    outLast = e;
#endif
#ifdef SINK
    log ! e;
#endif
}

inline appendSide(e, right) {
    CHECK(SIDE_OUTPUT_RIGHT, right);
    if
    :: e > sideWm -> CHECK(SIDE_OUTPUTS_IN_ORDER, ((SIDES & ((1 << (e - 1)) - 1)) >> sideWm) == 0); sideWm = e
    :: else
    fi
}

inline forgetSlices() {
    has0 = 0; has1 = 0; st0 = 0; st1 = 0;
#ifdef TRIM
    old[0] = old[0] & 3; old[1] = old[1] & 3
#endif
}

inline appendClaim() {
#ifdef NO_CLAIM
    skip
#else
    cur = me;
#ifndef STALE_SLICES
    forgetSlices();
#endif
#endif
}

inline appendSlice(k, v) {
#ifdef COMPACT_BY_KEY           /* the key is the driver, so compaction removes its record of the last complete cut */
    if
    :: k == 0 -> c0 = GONE
    :: k == 1 -> c1 = GONE
    :: true
    fi;
#endif
#ifdef SLICES_WITHOUT_CUT       /* readers take the newest slice of each key, whether its cut is complete or not */
    if
    :: k == 0 -> c0 = v
    :: else -> c1 = v
    fi;
#endif
#ifdef NO_CLAIM                 /* a writer is fenced by the first slice of the next one, not by its claim */
    if
    :: cur != me -> cur = me; forgetSlices()
    :: else
    fi;
#endif
    if
    :: SLICE_COUNTS && k == 0 -> has0 = 1; st0 = v
    :: SLICE_COUNTS && k == 1 -> has1 = 1; st1 = v
    :: !SLICE_COUNTS
    fi
#ifdef TRIM
    WRITTEN(0, k); WRITTEN(1, k)
#endif
}

/* Appends the cut record. From the offsets of its records, the writer learns whether a foreign claim precedes it. */
inline appendCut(n, position) {
    valid = CUT_COUNTS;
    if
    :: valid ->
        CHECK(READERS_ACCEPT_CUT, COMPLETE(n));
#ifdef TRUNCATION
        w0 = (ADDS_TO_OLDER -> p0 : c0);
        w1 = (ADDS_TO_OLDER -> p1 : c1);
        p0 = c0; p1 = c1; pPos = cPos;
        c0 = w0; c1 = w1; w0 = 0; w1 = 0;
        older = 0;
        inLow = RETAINED_AFTER;
#else
        CHECK(CUTS_NEVER_GO_BACK, position >= cPos);
        inLow = position;                       /* the shortest retention: all events before the last complete cut */
#endif
        cPos = position;
        c0 = (has0 -> st0 : c0);
        c1 = (has1 -> st1 : c1);
#ifdef TRIM
        COMMITTED(0); COMMITTED(1);
#endif
        forgetSlices()
    :: else
    fi
}

#define CRASH atomic { crashes > 0 && owner == me -> crashes--; goto dropped }
#define NOTICE atomic { owner != me -> goto dropped }

proctype Worker(byte me) {
    byte pos, v0, v1;           /* position and state */
    byte sent, sentSide;        /* events whose outputs are acknowledged, or were there before the restore */
    bit d0, d1;                 /* keys changed since the last cut began */
    bit bad;                    /* the state was wrong at an event, and stays so */
    bit cut, valid; byte cp, i0, i1, n; bit m0, m1;     /* a cut: position, copies, slices in all and still to send */
#ifdef TRUNCATION
    bit older;                  /* restored from the cut before the last one */
#endif
#ifdef TRIM
    bit refresh, base;          /* the cut is a new base; older records are to be removed */
#endif

dropped:
    atomic {
        pos = 0; v0 = 0; v1 = 0; sent = 0; sentSide = 0; d0 = 0; d1 = 0; bad = 0;
        cut = 0; valid = 0; cp = 0; i0 = 0; i1 = 0; n = 0; m0 = 0; m1 = 0;
#ifdef TRUNCATION
        older = 0;
#endif
#ifdef TRIM
        refresh = 0; base = 0; old[me] = 0;
#endif
        idle[me] = true
    };
end_idle:
    atomic { ASSIGNED -> idle[me] = false };

    /* Claim, and read the checkpoint log up to the claim. */
    if
    :: atomic {
            appendClaim();
            v0 = c0; v1 = c1; pos = cPos;
#ifdef TRUNCATION
            if
            :: NEWEST_USABLE
            :: else -> older = 1; v0 = p0; v1 = p1; pos = pPos
            fi;
#endif
            CHECK(RESTORED_STATE_RIGHT, v0 == TRUE_0(pos) && v1 == TRUE_1(pos));
            CHECK(INPUT_AVAILABLE, pos >= inLow)
        }
    :: CRASH
    :: NOTICE
    fi;

    /* Read the ends of the outputs. */
    if
    :: atomic {
            sent = SENT_BEFORE;
            sentSide = SIDE_SENT_BEFORE;
            CHECK(NOTHING_SENT_AGAIN, sent >= outWm && sentSide >= sideWm);
#ifdef NO_REPLAY                /* continues after the last output with the state of the cut */
            pos = sent
#endif
        }
    :: CRASH
    :: NOTICE
    fi;

end_running:
    do
    /* Process the next event. Up to `sent` and `sentSide` this is the silent replay. */
    :: atomic {
            pos < N && pos < MIN(sent, sentSide) + IN_FLIGHT ->
            if
            :: pos < inLow -> goto dropped      /* its input is gone: others have gone on, so restore again */
            :: else
            fi;
            pos++;
            if
            :: KEY(pos) == 0 -> v0++; d0 = 1
            :: else -> v1++; d1 = 1
            fi;
            bad = (bad || v0 != TRUE_0(pos) || v1 != TRUE_1(pos))
        }

    /* Outputs are appended and acknowledged in order within a topic, independently of other topics. */
    :: atomic { sent < pos -> sent++; appendOut(sent, !bad) }
#ifdef UNORDERED                /* the producer may append an output before an earlier one */
    :: atomic { sent + 2 <= pos -> sent = sent + 2; appendOut(sent, !bad) }
#endif
    :: atomic { sentSide < pos ->
            sentSide++;
            if
            :: HAS_SIDE(sentSide) -> appendSide(sentSide, !bad)
            :: else
            fi
        }

    /* Begin a cut between two events: its position, and copies of what changed since the last one. */
    :: atomic { !cut && (d0 || d1) ->
            cut = 1; cp = pos; i0 = v0; i1 = v1; m0 = d0; m1 = d1;
#ifdef TRIM
            /* A full cut also writes what has not changed, and is the base of the cuts after it. */
            if
            :: !base -> refresh = 1; old[me] = 3 | (has0 << 2) | (has1 << 3);
#ifndef BASE_WITHOUT_REFRESH
                m0 = 1; m1 = 1
#endif
            :: true
            fi;
#endif
            n = m0 + m1;
#ifndef DIRTY_UNTIL_END         /* what changes during the cut belongs to the next one */
            d0 = 0; d1 = 0
#endif
        }
    :: atomic { cut && m0 ->
#ifdef LIVE_STATE               /* slices are written from the state as it is, not from copies */
            i0 = v0;
#endif
            appendSlice(0, i0);
            m0 = 0; i0 = 0
        }
    :: atomic { cut && m1 ->
#ifdef LIVE_STATE
            i1 = v1;
#endif
            appendSlice(1, i1);
            m1 = 0; i1 = 0
        }
    :: atomic { cut && SLICES_SENT && OUTPUTS_ACKED ->
#ifdef POSITION_AT_END          /* the cut record has the position of its end, not of its beginning */
            cp = pos;
#endif
            appendCut(n, cp);
            cut = 0; cp = 0; i0 = 0; i1 = 0; n = 0; m0 = 0; m1 = 0;
#ifdef DIRTY_UNTIL_END
            d0 = 0; d1 = 0;
#endif
            if
            :: VERIFIED -> valid = 0
#ifdef TRIM
                base = base | refresh; refresh = 0
#endif
#ifdef CLAIM_AGAIN              /* the writer claims again at once and repeats the cut, instead of restoring */
            :: else -> appendClaim(); d0 = 1; d1 = 1
#else
            :: else -> goto dropped             /* another process owns the partition, or did: restore again */
#endif
            fi
        }
#ifdef TRIM
    /* Tombstones for all records before the base; they may arrive late. */
    :: atomic { base -> CHECK(NEEDED_RECORDS_STAY, (old[me] & 3) == 0); base = 0; old[me] = 0 }
#endif
    :: CRASH
    :: NOTICE
    od
}

proctype Group() {
end:
    do
    :: atomic { takeovers > 0 && idle[(owner + 1) % WORKERS] -> takeovers--; owner = (owner + 1) % WORKERS }
#ifdef TRUNCATION               /* the changelog loses its last record while no worker runs */
    :: atomic { !truncated && outWm > 0 && idle[0] && idle[1] -> truncated = 1; outWm-- }
#endif
    /* The faults end. */
    :: atomic { takeovers + crashes > 0 -> takeovers = 0; crashes = 0 }
    od
}

/*
 * A sink that lags by any number of records. Rows, watermark and progress are one transaction, so that its crashes
 * change nothing here; sink.pml has those, rival sinks, and logs of any content.
 */
#ifdef SINK
proctype Sink() {
    byte e;
end:
    do
    :: atomic { log ? e ->
            if
            :: e > sinkWm -> CHECK(SINK_APPLIES_ONCE_IN_ORDER, e == sinkWm + 1); sinkWm = e
            :: else
            fi;
            e = 0
        }
    od
}
#endif

/* When no step is left, everything is done: there is no deadlock, and (with pan -l) no endless loop. */
proctype Final() {
    timeout -> CHECK(EVERYTHING_DONE, outWm == N && SIDES_AFTER(sideWm) == 0 && SINK_DONE)
}

init {
    atomic {
        run Worker(0); run Worker(1);
#if WORKERS > 2
        run Worker(2);
#endif
        run Group();
#ifdef SINK
        run Sink();
#endif
        run Final()
    }
}
