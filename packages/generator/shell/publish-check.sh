#!/bin/sh
# Whether there is something to publish: publish, no-summary or no-commits.
# shellcheck source=lib.sh
. "${RELAYFLOW_SHELL:-.}/lib.sh"

# no-summary: something, and nobody described it.

publish_check() {
  commit_of HEAD >/dev/null || return
  ! base=$(base_commit) || ! git diff-tree --quiet "$base" HEAD -- || return
  if [ -s summary.md ]; then echo publish; else echo no-summary; fi
}

reply no-commits publish_check
