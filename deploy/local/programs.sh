# shellcheck shell=bash
# Where the programs are, and the addresses that they use; sourced.

# The folder of the program `sightline`: SIGHTLINE_LOCAL_BIN, that of an unpacked release (SIGHTLINE_PREBUILT), or that of
# the build in the checkout ROOT.
programs_folder() {
    if [[ -n ${SIGHTLINE_LOCAL_BIN:-} ]]; then
        printf '%s' "$SIGHTLINE_LOCAL_BIN"
    elif [[ -n ${SIGHTLINE_PREBUILT:-} ]]; then
        printf '%s' "$(realpath -m "$SIGHTLINE_PREBUILT")/bin"
    else
        printf '%s' "$1/.build/release"
    fi
}

# Prints the file with the secret of tokens in the folder STATE. It is made once, so that tokens outlive a stack's stop.
token_secret_file() {
    local file=$1/run/token-secret
    if [[ ! -s $file ]]; then
        (umask 077 && od -An -v -tx1 -N32 /dev/urandom | tr -d ' \n' >"$file.new")
        mv "$file.new" "$file"
    fi
    printf '%s' "$file"
}

# Takes the addresses of the stack that runs in the folder STATE, if one does, and the client library of the checkout
# ROOT. An address that the environment gives already stays; a secret of tokens is that of STATE where it gives none.
load_addresses() {
    local root=$1 state=$2 name
    local -A given=()
    for name in KAFKA_BOOTSTRAP_SERVERS REDIS_URL POSTGRES_URL SIGHTLINE_RIDER_PORT SIGHTLINE_DRIVER_PORT \
        SIGHTLINE_TOKEN_SECRET_FILE; do
        [[ -z ${!name:-} ]] || given[$name]=${!name}
    done
    if [[ -r $state/run/env ]]; then
        # shellcheck source=/dev/null
        source "$state/run/env"
    else
        export LD_LIBRARY_PATH=$root/.local/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
    fi
    for name in "${!given[@]}"; do export "$name=${given[$name]}"; done
    if [[ -z ${SIGHTLINE_TOKEN_SECRET:-}${SIGHTLINE_TOKEN_SECRET_FILE:-}${SIGHTLINE_TOKEN_JWKS_FILE:-} ]]; then
        SIGHTLINE_TOKEN_SECRET_FILE=$(token_secret_file "$state")
        export SIGHTLINE_TOKEN_SECRET_FILE
    fi
}
