#!/bin/sh
# Whether there is something to publish.
# Answers `publish`, `no-summary` (there is, and nobody described it) or `no-commits`.
# shellcheck source=lib.sh
. "${RELAYFLOW_SHELL:-.}/lib.sh"

publish_check() {
  head=$(head_commit) || return
  ! base=$(base_commit) || ! git diff-tree --quiet "$base" "$head" -- || return
  if [ -s summary.md ]; then echo publish; else echo no-summary; fi
}

reply no-commits publish_check
