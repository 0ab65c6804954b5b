/*
 * The replay of a processor with two inputs, eta-worker: locations L1 to LA and trip messages T1 to TB of one partition,
 * and punctuations. Which order they are processed in is not determined. A restored worker must follow the order that
 * the outputs in the changelog show, or it would contradict them.
 *
 * T1 starts a trip and T2 ends it; both have an output. A location has one during the trip, and a punctuation has one
 * if something happened since the last. Each output has the positions of both inputs. The worker dies at any step and
 * loses what is not appended; zombies, slices and claims are in checkpoint.pml.
 */
#ifndef A
#define A 3
#endif
#define B 2
#ifndef PUNCTUATIONS
#define PUNCTUATIONS 2
#endif
#ifndef CRASHES
#define CRASHES 2
#endif
#define LENGTH (A + B + PUNCTUATIONS)

bool REPLAY_FOLLOWS_OUTPUTS = true, NOTHING_SENT_AGAIN = true, OUTPUT_AGREES_WITH_EARLIER = true, EVERYTHING_DONE = true;
#define CHECK(property, condition) property = (condition); assert(property)

#ifdef NO_ACK           /* the cut does not wait for the outputs before it */
#define OUTPUTS_ACKED true
#else
#define OUTPUTS_ACKED (before == 0)
#endif

#define RECORD(kind, l, t, n) (((kind) << 6) | ((l) << 4) | ((t) << 2) | (n))
#define KIND(r) ((r) >> 6)
#define LOCATIONS(r) (((r) >> 4) & 3)
#define TRIPS(r) (((r) >> 2) & 3)
#define NUMBER(r) ((r) & 3)
#define L 1
#define T 2
#define P 3

byte log[LENGTH], length;
/* What the changelog shows: positions, where T1 and T2 were among the locations, and the punctuation's state. */
byte shownL, shownT, shownStart, shownEnd, shownNumber; bit shownFresh;
bit shownOutput[A + 1];
/* The last complete cut, and the changelog's end at its beginning. */
byte cutL, cutT, cutStart, cutEnd, cutNumber, cutLength; bit cutFresh;
byte crashes = CRASHES, punctuations = PUNCTUATIONS;

/* ---- the processor ---- */
byte l, t, start, end, number; bit fresh;
#define ACTIVE (t == 1)
inline processL() { l++; number = 0; fresh = ACTIVE }
inline processT() {
    t++;
    if
    :: t == 1 -> start = l; fresh = 1
    :: else -> end = l; fresh = 0
    fi
}
inline punctuate() { fresh = 0; number++ }

inline append(r) {
    CHECK(NOTHING_SENT_AGAIN,
        (KIND(r) == T && TRIPS(r) == shownT + 1) ||
        (KIND(r) != T && (LOCATIONS(r) > shownL || (LOCATIONS(r) == shownL && NUMBER(r) > shownNumber))));
    log[length] = r; length++;
    if
    :: KIND(r) == T ->
        CHECK(OUTPUT_AGREES_WITH_EARLIER, LOCATIONS(r) >= shownL);
        if
        :: TRIPS(r) == 1 -> shownStart = LOCATIONS(r); shownFresh = 1
        :: else -> shownEnd = LOCATIONS(r); shownFresh = 0
        fi;
        if
        :: LOCATIONS(r) > shownL -> shownNumber = 0
        :: else
        fi;
        shownT = TRIPS(r)
    :: KIND(r) == L ->
        /* The output contains the start of the trip. */
        CHECK(OUTPUT_AGREES_WITH_EARLIER, TRIPS(r) == shownT && shownT == 1 && start == shownStart);
        shownOutput[LOCATIONS(r)] = 1; shownFresh = 1; shownNumber = 0
    :: else ->
        CHECK(OUTPUT_AGREES_WITH_EARLIER, TRIPS(r) == shownT && LOCATIONS(r) == shownL && shownFresh);
        shownFresh = 0; shownNumber = NUMBER(r)
    fi;
    shownL = LOCATIONS(r)
}

proctype Worker() {
    chan unsent = [2] of { byte };
    byte r, at;
    bit cut; byte cL, cT, cStart, cEnd, cNumber, cLength, before; bit cFresh;

restore:
    atomic {
        do
        :: unsent ? _
        :: empty(unsent) -> break
        od;
        cut = 0; cL = 0; cT = 0; cStart = 0; cEnd = 0; cNumber = 0; cLength = 0; before = 0; cFresh = 0;
        l = cutL; t = cutT; start = cutStart; end = cutEnd; number = cutNumber; fresh = cutFresh;
        at = cutLength;
        do
        :: at < length ->
            r = log[at];
            at++;
            if
            /* Outputs from before the cut that were not acknowledged when it began. */
            :: (KIND(r) == T && TRIPS(r) <= cutT) ||
                (KIND(r) != T && (LOCATIONS(r) < cutL || (LOCATIONS(r) == cutL && NUMBER(r) <= cutNumber)))
            :: else ->
#ifdef ANY_ORDER        /* the inputs are replayed up to the output's positions, in any order */
                do
                :: l < LOCATIONS(r) -> processL()
                :: t < TRIPS(r) -> processT()
                :: l >= LOCATIONS(r) && t >= TRIPS(r) -> break
                od;
#else
                /* What had no output until the output's own record; then that one. */
                do
                :: l < LOCATIONS(r) - (KIND(r) == L) -> processL()
                :: else -> break
                od;
                if
                :: KIND(r) == L -> processL()
                :: KIND(r) == T -> processT()
                :: else
                fi;
#endif
                if
#ifndef NO_PUNCTUATIONS /* punctuations are not replayed */
                :: KIND(r) == P -> punctuate()
#endif
                :: else
                fi
            fi
        :: else -> break
        od;
        r = 0; at = 0;
        CHECK(REPLAY_FOLLOWS_OUTPUTS, shownT > cutT || length > cutLength ->
            (t >= shownT && l >= shownL && (shownT < 1 || start == shownStart) && (shownT < 2 || end == shownEnd)) : true);
        CHECK(REPLAY_FOLLOWS_OUTPUTS, l > shownL || t > shownT || (fresh == shownFresh && number == shownNumber))
    };

end_running:
    do
    :: atomic { l < A && nfull(unsent) ->
            processL();
            if
            :: ACTIVE -> unsent ! RECORD(L, l, t, 0)
            :: else
            fi
        }
    :: atomic { t < B && nfull(unsent) -> processT(); unsent ! RECORD(T, l, t, 0) }
    :: atomic { punctuations > 0 && ACTIVE && fresh && nfull(unsent) ->
            punctuations--;
            punctuate();
            unsent ! RECORD(P, l, t, number)
        }
    :: atomic { unsent ? r -> append(r); r = 0; before = (before > 0 -> before - 1 : 0) }
    :: atomic { !cut && (l > cutL || t > cutT || number != cutNumber) ->
            cut = 1; cL = l; cT = t; cStart = start; cEnd = end; cNumber = number; cFresh = fresh;
            cLength = length; before = len(unsent)
        }
    :: atomic { cut && OUTPUTS_ACKED ->
            cutL = cL; cutT = cT; cutStart = cStart; cutEnd = cEnd; cutNumber = cNumber; cutFresh = cFresh;
            cutLength = cLength;
            cut = 0; cL = 0; cT = 0; cStart = 0; cEnd = 0; cNumber = 0; cFresh = 0; cLength = 0
        }
    :: atomic { crashes > 0 -> crashes--; goto restore }
    :: atomic { crashes > 0 -> crashes = 0 }
    od
}

proctype Final() {
    byte i;
    timeout -> atomic {
        CHECK(EVERYTHING_DONE, shownT == B);
        for (i : 1 .. A) {
            CHECK(EVERYTHING_DONE, shownOutput[i] == (i > shownStart && i <= shownEnd))
        }
    }
}

init { atomic { run Worker(); run Final() } }
