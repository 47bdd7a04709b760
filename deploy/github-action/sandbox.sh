#!/bin/sh
# What the action does: `install`, `start`, `run`, `stop`. All values come in the environment.
set -eu
folder=$RUNNER_TEMP/lectern
START_SECONDS=300
END_SECONDS=10

fail() {
    echo "::error title=Lectern sandbox::$*"
    exit 1
}

# The name of the release's tarball for this machine.
download() {
    version=${LECTERN_VERSION:-$LECTERN_REF}
    version=${version#v}
    case $version in
    [0-9]*.[0-9]*.[0-9]*) ;;
    *) fail "which release? Name one with \`version\`, use the action by the tag of one, or give a \`file\`" ;;
    esac
    name=lectern-$version-$(uname -m)-unknown-linux-gnu.tar.gz
    for file in "$name" SHA256SUMS; do
        curl --silent --show-error --fail --location --retry 3 --output "$folder/$file" \
            "$LECTERN_RELEASES/v$version/$file" || fail "$LECTERN_RELEASES/v$version has no $file"
    done
    (cd "$folder" && grep -F "  $name" SHA256SUMS | sha256sum --check --quiet -) ||
        fail "$name is not what SHA256SUMS of its release says"
    archive=$folder/$name
}

install() {
    rm -rf -- "$folder"
    mkdir -p -- "$folder/app"
    archive=$LECTERN_FILE
    if [ -z "$archive" ]; then download; fi
    [ -f "$archive" ] || fail "there is no file $archive"
    if [ -n "$LECTERN_SHA256" ]; then
        echo "$LECTERN_SHA256  $archive" | sha256sum --check --quiet - ||
            fail "$archive has another checksum than \`sha256\`"
    fi
    tar -xzf "$archive" -C "$folder/app" --strip-components=1 || fail "$archive is no tarball of a release"
    [ -x "$folder/app/lectern" ] || fail "$archive has no program \`lectern\`"
    echo "LECTERN_COMMAND=$folder/app/lectern" >>"$GITHUB_ENV"
    echo "command=$folder/app/lectern" >>"$GITHUB_OUTPUT"
}

# The value of a member of the line that tells that it serves.
member() {
    sed -n 's/.*"'"$1"'" *: *"\([^"]*\)".*/\1/p' "$folder/ready"
}

start() {
    if alive; then fail "a sandbox runs in this job already: end it with deploy/github-action/stop"; fi
    set -- "$folder/app/lectern" sandbox --json --listen "127.0.0.1:$LECTERN_PORT"
    if [ -n "$LECTERN_SCENARIO" ]; then set -- "$@" --scenario "$LECTERN_SCENARIO"; fi
    # A session of its own: the end of this step does not end it, and `stop` ends all of it.
    setsid nohup "$@" </dev/null >"$folder/ready" 2>"$folder/log" &
    echo $! >"$folder/pid"
    waited=0
    until [ -n "$(member address)" ]; do
        alive || { cat "$folder/log"; fail "the sandbox ended before it served"; }
        [ "$waited" -lt "$START_SECONDS" ] || { stop; fail "the sandbox does not serve after $START_SECONDS s"; }
        sleep 1
        waited=$((waited + 1))
    done
    address=$(member address)
    token=$(member admin)
    echo "::add-mask::$token"
    printf 'address=%s\ntoken=%s\n' "$address" "$token" >>"$GITHUB_OUTPUT"
    printf 'LECTERN_SANDBOX_ADDRESS=%s\nLECTERN_SANDBOX_TOKEN=%s\n' "$address" "$token" >>"$GITHUB_ENV"
    echo "The sandbox serves $address"
}

# A process that has ended and that nobody has asked about yet does not count. It may end at any moment.
alive() {
    [ -f "$folder/pid" ] || return 1
    state=$(sed -n 's/^State:[[:space:]]*//p' "/proc/$(cat "$folder/pid")/status" 2>/dev/null) || return 1
    [ -n "$state" ] && [ "${state#Z}" = "$state" ]
}

send() {
    kill "-$1" "-$(cat "$folder/pid")" 2>/dev/null || ! alive
}

run() {
    trap stop EXIT
    bash -eo pipefail -c "$LECTERN_RUN"
}

stop() {
    if alive; then
        send TERM
        waited=0
        while alive && [ "$waited" -lt "$END_SECONDS" ]; do
            sleep 1
            waited=$((waited + 1))
        done
        if alive; then send KILL; fi
    fi
    if [ -s "$folder/log" ]; then
        echo "::group::Log of the sandbox"
        cat "$folder/log"
        echo "::endgroup::"
    fi
    rm -f -- "$folder/pid" "$folder/log"
}

case ${1:-} in
install | start | run | stop) "$1" ;;
*) fail "install, start, run or stop" ;;
esac
