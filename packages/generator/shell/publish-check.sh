#!/bin/sh
# Whether there is something to publish.
# Answers `publish`, `no-summary` (there is, and nobody described it) or `no-commits`.
# shellcheck source=lib.sh
. "${RELAYFLOW_SHELL:-.}/lib.sh"

publish_check() {
  in_checkout && restore_head || return
  head=$(plain_git rev-parse -q --verify 'HEAD^{commit}') || return
  base=$(base_commit)
  if [ -n "$base" ] && plain_git diff-tree --quiet "$base" "$head" --; then
    return
  fi
  if [ -s summary.md ]; then echo publish; else echo no-summary; fi
}

answer=$(publish_check)
printf '%s\n' "${answer:-no-commits}"
