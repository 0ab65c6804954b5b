# shellcheck shell=bash
# The images of deploy/local/containers: the project's own, and stand-ins under the names of public images. Sourced.
# shellcheck disable=SC2154  # state and root are set by the script that sources this.

# Builds an image: build NAME FOLDER [OPTION…]. With chroot in place of a container for each step, the steps have this
# machine's network, and the kernel need not allow containers within containers.
build() {
    local name=$1 folder=$2 began=$SECONDS log
    log=$state/log/build-$(basename "$folder").log
    shift 2
    podman build --isolation chroot --tag "$name" "$@" "$folder" >"$log" 2>&1 || {
        tail -n 20 "$log" >&2
        fail "the image $name cannot be built; the last lines of $log are above"
    }
    say "built $name in $((SECONDS - began)) s"
}

# A Debian of its own, as small as it gets.
make_debian() {
    local name=docker.io/library/debian:bookworm-slim began=$SECONDS
    ! podman image exists "$name" || return 0
    rm -rf "$state/debian"
    debootstrap --variant=minbase bookworm "$state/debian" >"$state/log/debootstrap.log" 2>&1 \
        || fail "debootstrap failed; see $state/log/debootstrap.log"
    rm -rf "$state"/debian/var/{lib/apt/lists,cache/apt}/*
    # Where this machine has its updates from, if it is a bookworm, too.
    if grep -qs '^Suites: bookworm' /etc/apt/sources.list.d/debian.sources; then
        cp /etc/apt/sources.list.d/debian.sources "$state/debian/etc/apt/sources.list.d/"
        : >"$state/debian/etc/apt/sources.list"
    fi
    tar -C "$state/debian" -c . | podman import - "$name" >"$state/log/import.log" 2>&1 \
        || fail "podman cannot import $name; see $state/log/import.log"
    rm -rf "$state/debian"
    say "made $name in $((SECONDS - began)) s"
}

# What the compose file asks for, SERVICE's image.
image_of() { compose config | awk -v "service=  $1:" '$0 == service { found = 1 } found && $1 == "image:" { print $2; exit }'; }

# Removes the digests from the image names of the compose files: a stand-in cannot have the digest of the public image.
name_stand_ins_by_tag() {
    KAFKA_IMAGE=$(image_of kafka) REDIS_IMAGE=$(image_of redis) POSTGRES_IMAGE=$(image_of postgres)
    export KAFKA_IMAGE=${KAFKA_IMAGE%@*} REDIS_IMAGE=${REDIS_IMAGE%@*} POSTGRES_IMAGE=${POSTGRES_IMAGE%@*}
}

# Prints the Dockerfile without digests, for the same reason.
dockerfile_by_tag() { sed '/^FROM /s/@sha256:[0-9a-f]*//' "$root/deploy/Dockerfile"; }

# A name as the engine's docker interface completes it.
full_name() { if [[ $1 == */* ]]; then echo "docker.io/$1"; else echo "docker.io/library/$1"; fi; }

make_stand_in() {
    local service=$1 context=$state/context/$1
    rm -rf "$context" && mkdir -p "$context"
    cp "$root/Tests/Containers/$service/"* "$context/"
    [[ $service != kafka ]] || cp "$root/.local/bin/tansu" "$context/"
    build "$(full_name "$(image_of "$service")")" "$context" --layers
}

# All images that stand on Debian, side by side: each is mostly waiting for packages.
make_images() {
    local made jobs=()
    for made in "make_stand_in kafka" "make_stand_in redis" "make_stand_in postgres" "$1"; do
        $made &
        jobs+=($!)
    done
    for made in "${jobs[@]}"; do wait "$made" || fail "an image is missing; its messages are above"; done
}

# The runtime stage of the real Dockerfile, over the release build of this checkout.
make_runtime_image() {
    local context=$state/context/sightline library
    rm -rf "$context" && mkdir -p "$context"
    "$root/deploy/local/image-files" "$context/out" "$root/.build/release/sightline" "$root/.local/lib/librdkafka.so.1"
    # The image's own build has Swift's libraries inside the program; the builds of the other tests load them.
    ldd "$root/.build/release/sightline" | awk '$3 ~ /\/swift\// { print $3 }' | while read -r library; do
        cp -L "$library" "$context/out/lib/"
    done
    {
        printf 'FROM scratch AS build\nCOPY out /out\n'
        dockerfile_by_tag | awk '/^FROM/ { stage++ } stage == 2'
    } >"$context/Dockerfile"
    build docker.io/library/sightline:local "$context" --layers --file "$context/Dockerfile"
}

# The whole Dockerfile; swift:… stands on the toolchain of this machine.
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
