# shellcheck shell=bash
# Images of deploy/local/containers: Sightline's own, and substitutes under the names of public images. Sourced.
# shellcheck disable=SC2154  # state and root are set by the script that sources this.

# Builds an image: build NAME FOLDER [OPTION…]. Build steps run in a chroot instead of a container, so they use this
# machine's network and need no nested containers.
build() {
    local name=$1 folder=$2 began=$SECONDS log
    log=$state/log/build-$(basename "$folder").log
    shift 2
    podman build --isolation chroot --tag "$name" "$@" "$folder" >"$log" 2>&1 || {
        tail -n 20 "$log" >&2
        fail "building the image $name failed; see the last lines of $log above"
    }
    report "built $name in $((SECONDS - began)) s"
}

# Creates a minimal Debian image with debootstrap.
make_debian() {
    local name=docker.io/library/debian:bookworm-slim began=$SECONDS
    ! podman image exists "$name" || return 0
    rm -rf "$state/debian"
    debootstrap --variant=minbase bookworm "$state/debian" >"$state/log/debootstrap.log" 2>&1 \
        || fail "debootstrap failed; see $state/log/debootstrap.log"
    rm -rf "$state"/debian/var/{lib/apt/lists,cache/apt}/*
    # Adds this machine's package sources, including updates, if it also runs bookworm.
    if grep -qs '^Suites: bookworm' /etc/apt/sources.list.d/debian.sources; then
        cp /etc/apt/sources.list.d/debian.sources "$state/debian/etc/apt/sources.list.d/"
        : >"$state/debian/etc/apt/sources.list"
    fi
    tar -C "$state/debian" -c . | podman import - "$name" >"$state/log/import.log" 2>&1 \
        || fail "podman cannot import $name; see $state/log/import.log"
    rm -rf "$state/debian"
    report "created $name in $((SECONDS - began)) s"
}

# Prints the image of SERVICE in the compose files.
image_of() { compose config | awk -v "service=  $1:" '$0 == service { found = 1 } found && $1 == "image:" { print $2; exit }'; }

# Removes the digests from the image names of the compose files: a substitute cannot have the public image's digest.
name_images_by_tag() {
    KAFKA_IMAGE=$(image_of kafka) REDIS_IMAGE=$(image_of redis) POSTGRES_IMAGE=$(image_of postgres)
    export KAFKA_IMAGE=${KAFKA_IMAGE%@*} REDIS_IMAGE=${REDIS_IMAGE%@*} POSTGRES_IMAGE=${POSTGRES_IMAGE%@*}
}

# Prints the Dockerfile without digests.
dockerfile_by_tag() { sed '/^FROM /s/@sha256:[0-9a-f]*//' "$root/deploy/Dockerfile"; }

# Prints an image name with its registry, as the engine's Docker API completes it.
full_name() { if [[ $1 == */* ]]; then echo "docker.io/$1"; else echo "docker.io/library/$1"; fi; }

make_substitute() {
    local service=$1 context=$state/context/$1
    rm -rf "$context" && mkdir -p "$context"
    cp "$root/Tests/Containers/$service/"* "$context/"
    [[ $service != kafka ]] || cp "$root/.local/bin/tansu" "$context/"
    build "$(full_name "$(image_of "$service")")" "$context" --layers
}

# Builds all images in parallel, because each mostly waits for packages. The argument is the function for our image.
make_images() {
    local image job jobs=()
    for image in "make_substitute kafka" "make_substitute redis" "make_substitute postgres" "$1"; do
        $image &
        jobs+=($!)
    done
    for job in "${jobs[@]}"; do wait "$job" || fail "building an image failed; see the messages above"; done
}

# Builds the runtime stage of deploy/Dockerfile with the release build of this checkout.
make_runtime_image() {
    local context=$state/context/sightline library
    rm -rf "$context" && mkdir -p "$context"
    "$root/deploy/local/image-files" "$context/out" "$root/.build/release/sightline" "$root/.local/lib/librdkafka.so.1"
    # Unlike in the real image, the program of the checkout is not linked statically, so it needs Swift's libraries.
    ldd "$root/.build/release/sightline" | awk '$3 ~ /\/swift\// { print $3 }' | while read -r library; do
        cp -L "$library" "$context/out/lib/"
    done
    {
        printf 'FROM scratch AS build\nCOPY out /out\n'
        dockerfile_by_tag | awk '/^FROM/ { stage++ } stage == 2'
    } >"$context/Dockerfile"
    build docker.io/library/sightline:local "$context" --layers --file "$context/Dockerfile"
}

# Builds the whole deploy/Dockerfile; the image swift:… contains the toolchain of this machine.
make_whole_image() {
    local name toolchain options
    name=$(awk '/^FROM swift:/ { print $2; exit }' "$root/deploy/Dockerfile")
    toolchain=$(dirname "$(dirname "$(readlink -f "$(command -v swiftc)")")")
    if ! podman image exists "docker.io/library/$name"; then
        build "docker.io/library/$name" "$toolchain" --layers=false --file "$root/Tests/Containers/swift/Containerfile" \
            --volume /usr/local/share/ca-certificates:/machine-authorities:ro
    fi
    read -r -a options <<<"${SIGHTLINE_TEST_BUILD_OPTIONS:-}"
    dockerfile_by_tag >"$state/Dockerfile"
    build docker.io/library/sightline:local "$root" --layers=false --file "$state/Dockerfile" "${options[@]}"
}
