# Shared by the scripts here: where the project is, and how to speak to the person who runs them.
# shellcheck shell=bash

set -euo pipefail

project=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
cd "$project"

# Progress goes to standard error, so that a script's standard output stays what was asked for.
say() { printf '==> %s\n' "$*" >&2; }

fail() {
    printf 'error: %s\n' "$*" >&2
    exit 1
}

# `make test`, `make build` and `make conformance` share one build, so they must share its flags: other flags would compile
# everything again. Warnings are errors here, and not in the release build, which people make with compilers not yet known.
# shellcheck disable=SC2034 # used by the scripts that source this file
strict_flags=(-Xswiftc -warnings-as-errors)

# The folders and files that hold Swift, nested packages included.
swift_sources() {
    local path
    for path in Package.swift Sources Tests Fuzzing/Package.swift Fuzzing/Sources Benchmarks/Package.swift Benchmarks/Sources \
        Differential/Package.swift Differential/Sources; do
        if [[ -e $path ]]; then printf '%s\n' "$path"; fi
    done
}

# Swift Testing starts every test at once. Those that compute (keys, hashing rounds) then keep those that talk to servers in the
# same process from answering within their deadlines. A few at a time are as fast on few cores, and steady.
limit_parallel_tests() {
    local cores
    cores=$(nproc)
    export SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH=$((cores + 1))
}
