# shellcheck shell=bash
# Locates the programs and loads the addresses that they use; sourced.

# Prints the folder of the program `sightline`: SIGHTLINE_LOCAL_BIN, bin/ of an unpacked release (SIGHTLINE_PREBUILT),
# or the release build of the checkout ROOT.
programs_folder() {
    if [[ -n ${SIGHTLINE_LOCAL_BIN:-} ]]; then
        printf '%s' "$SIGHTLINE_LOCAL_BIN"
    elif [[ -n ${SIGHTLINE_PREBUILT:-} ]]; then
        printf '%s' "$(realpath -m "$SIGHTLINE_PREBUILT")/bin"
    else
        printf '%s' "$1/.build/release"
    fi
}

# Prints the path of the token secret in the folder STATE; creates it once, so that tokens survive a stop of the stack.
token_secret_file() {
    local file=$1/run/token-secret
    if [[ ! -s $file ]]; then
        (umask 077 && od -An -v -tx1 -N32 /dev/urandom | tr -d ' \n' >"$file.new")
        mv "$file.new" "$file"
    fi
    printf '%s' "$file"
}

# Exports the addresses of the stack in the folder STATE, if it runs, and the client library of the checkout ROOT.
# Addresses that are already in the environment are kept; without a token secret there, the secret of STATE is used.
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
