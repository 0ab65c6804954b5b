#!/bin/bash
# Checks the models of the checkpoint protocol, and that each fault in the protocol violates its property.
#
#   check.sh          what CI runs: about a minute of processor time, at most 0.5 GB
#   check.sh deep     larger bounds in addition: about half an hour, up to 8 GB
#   check.sh FAULT    the steps that lead to the violation of one fault, for example: check.sh NO_ACK
#
# Needs spin 6.5 (apt-get install spin) and gcc. Exit code: 0 if every verdict is as expected, otherwise 1.

cd "$(dirname "$0")" || exit 2
here=$PWD
for tool in spin gcc; do
    command -v $tool > /dev/null || { echo "$tool is needed" >&2; exit 2; }
done
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
limit=1800      # MB
failed=0
total=0
TIMEFORMAT=%U

# run MODEL EXPECTED FLAGS...: EXPECTED is "holds", "ends" (no endless loop), or the name of the violated property.
run() {
    local model=$1 expected=$2 flags="${*:3}" mode=-DSAFETY option="" optimise=-O2 found states memory verdict seconds
    case $expected in
    ends | endless-loop) mode=-DNP option=-l ;;
    holds) ;;
    *) optimise=-O1 ;;
    esac
    rm -rf "${work:?}"/*
    cd "$work" || exit 2
    # shellcheck disable=SC2086
    { time {
        spin $flags -a "$here/$model.pml" > spin.log 2>&1 &&
            gcc $optimise $mode -DCOLLAPSE -DMEMLIM=$limit -w -o pan pan.c > gcc.log 2>&1 &&
            ./pan -m1000000 -n $option > pan.log 2>&1
    }; } 2> time.log
    seconds=$(tail -1 time.log)
    states=$(sed -n 's/^ *\([0-9.e+]*\) states, stored.*/\1/p' pan.log 2> /dev/null)
    memory=$(sed -n 's/^ *\([0-9]*\)[0-9.]*.total actual memory usage.*/\1/p' pan.log 2> /dev/null)
    if grep -q "assertion violated" pan.log 2> /dev/null; then
        found=$(sed -n 's/.*assertion violated \([A-Z_]*\).*/\1/p' pan.log | head -1)
    elif grep -q "non-progress cycle (" pan.log 2> /dev/null; then
        found=endless-loop
    elif grep -q "errors: 0" pan.log 2> /dev/null && ! grep -qi "not completed\|too small\|MEMLIM" pan.log; then
        found=$([ -n "$option" ] && echo ends || echo holds)
    else
        found=unknown
        cat spin.log gcc.log pan.log 2> /dev/null | head -20 >&2
    fi
    verdict=ok
    if [ "$found" != "$expected" ]; then verdict="WRONG, expected $expected" failed=1; fi
    total=$(awk -v a="$total" -v b="${seconds:-0}" 'BEGIN { print a + b }')
    printf '%-10s %-44s %-27s %10s %6s %6s  %s\n' "$model" "${flags//-D/}" "$found" "${states:-?}" "${seconds:-?}" \
        "${memory:-?}" "$verdict"
    cd "$here" || exit 2
}

# Each fault: its name, the model, the property that it violates, bounds.
faults() {
    fault() { run "$2" "$3" "-D$1" "${@:4}"; }
    # Cuts.
    fault NO_COUNT checkpoint RESTORED_STATE_RIGHT
    fault SLICES_WITHOUT_CUT checkpoint RESTORED_STATE_RIGHT
    fault STALE_SLICES checkpoint READERS_ACCEPT_CUT
    fault POSITION_AT_END checkpoint RESTORED_STATE_RIGHT
    fault LIVE_STATE checkpoint RESTORED_STATE_RIGHT
    fault DIRTY_UNTIL_END checkpoint RESTORED_STATE_RIGHT
    fault COMPACT_BY_KEY checkpoint RESTORED_STATE_RIGHT
    fault BASE_WITHOUT_REFRESH checkpoint NEEDED_RECORDS_STAY -DTRIM -DN=2
    # Acknowledgements.
    fault NO_ACK checkpoint EVERYTHING_DONE
    fault NO_ACK_SIDE checkpoint EVERYTHING_DONE
    fault NO_ACK order EVERYTHING_DONE
    fault UNORDERED checkpoint FIRST_OUTPUTS_IN_ORDER
    # Restores.
    fault NO_REPLAY checkpoint OUTPUT_RIGHT
    fault NOT_SILENT checkpoint NOTHING_SENT_AGAIN
    fault WATERMARK_GE checkpoint NOTHING_SENT_AGAIN
    fault ONE_WATERMARK checkpoint EVERYTHING_DONE
    fault LAST_RECORD checkpoint NOTHING_SENT_AGAIN
    fault NEWEST_CUT checkpoint EVERYTHING_DONE -DTRUNCATION
    fault SHORT_RETENTION checkpoint INPUT_AVAILABLE -DTRUNCATION
    fault NO_MANIFEST checkpoint RESTORED_STATE_RIGHT -DTRUNCATION
    fault ANY_ORDER order REPLAY_FOLLOWS_OUTPUTS
    fault NO_PUNCTUATIONS order REPLAY_FOLLOWS_OUTPUTS
    # Zombies.
    fault NO_CLAIM checkpoint READERS_ACCEPT_CUT
    fault ZOMBIE_SLICE checkpoint READERS_ACCEPT_CUT
    fault ZOMBIE_CUT checkpoint READERS_ACCEPT_CUT
    fault UNVERIFIED checkpoint NEEDED_RECORDS_STAY -DTRIM -DN=2
    fault CLAIM_AGAIN checkpoint CUTS_NEVER_GO_BACK
    fault UNASSIGNED checkpoint endless-loop -DN=2
    # Sinks.
    fault WATERMARK_GE sink APPLIED_ONCE_IN_ORDER
    fault NOT_ATOMIC sink APPLIED_ONCE_IN_ORDER
    fault NO_COMPARE sink APPLIED_ONCE_IN_ORDER
}

case ${1:-} in
"" | deep) ;;
*)
    # Repeats one fault and prints the steps; the first model that has it.
    model=checkpoint
    grep -q "ifdef $1\b\|defined($1)" checkpoint.pml || { grep -q "ifdef $1\b" order.pml && model=order || model=sink; }
    more=""
    case $1 in
    BASE_WITHOUT_REFRESH | UNVERIFIED) more="-DTRIM -DN=2" ;;
    NEWEST_CUT | NO_MANIFEST | SHORT_RETENTION) more=-DTRUNCATION ;;
    esac
    cd "$work" || exit 2
    # Breadth first, so that the steps are as few as possible.
    # shellcheck disable=SC2086
    spin -D$1 $more -a "$here/$model.pml" && gcc -O1 -DSAFETY -DBFS -w -o pan pan.c && ./pan -n | grep violated
    # shellcheck disable=SC2086
    spin -D$1 $more -t -k "$model.pml.trail" -p "$here/$model.pml" |
        sed '/^#processes/,$d' | cut -c1-150
    exit
    ;;
esac

printf '%-10s %-44s %-27s %10s %6s %6s  %s\n' model bounds/fault result states cpu_s MB verdict
run checkpoint holds
run checkpoint holds -DTRUNCATION
run checkpoint holds -DTRIM -DN=2
run checkpoint holds -DSINK -DTAKEOVERS=1 -DCRASHES=0
run checkpoint holds -DSINK -DN=2
run checkpoint holds -DWORKERS=3 -DN=2 -DCRASHES=0 -DIN_FLIGHT=1
run checkpoint ends -DN=2
run sink holds
run sink ends -DREPEATS=1
run order holds
run order ends
faults
if [ "${1:-}" = deep ]; then
    limit=9000
    run checkpoint holds -DN=4
    run checkpoint holds -DN=4 -DCRASHES=2
    run checkpoint holds -DN=5
    run checkpoint holds -DTRIM
    run checkpoint holds -DSINK
    run checkpoint holds -DWORKERS=3 -DN=2 -DCRASHES=0
    run checkpoint ends
    run sink holds -DN=4 -DREPEATS=3
    run order holds -DPUNCTUATIONS=3 -DCRASHES=3
fi
echo "total: $total s of processor time"
exit $failed
