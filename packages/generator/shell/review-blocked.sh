#!/bin/sh
# Turns the change back into a draft and posts what the review found: done.
# shellcheck source=lib.sh
. "${RELAYFLOW_SHELL:-.}/lib.sh"

block() {
  regain_branch
  {
    printf 'The review of this change is not resolved: %s\n\n' "$RELAYFLOW_OUTCOME"
    [ ! -s review.md ] || fit 60000 <review.md
  } >review-blocked.md
  if command -v relayflow-change >/dev/null; then
    relayflow-change draft || failed=1
    relayflow-change comment --body-file review-blocked.md || failed=1
  else
    gh pr ready --undo || failed=1
    gh pr comment --body-file review-blocked.md || failed=1
  fi >&2 </dev/null
  [ -z "$failed" ] || say 'the change is no draft, or lacks review-blocked.md'
}

reply 'done' block
