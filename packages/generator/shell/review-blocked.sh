#!/bin/sh
# Turns the change back into a draft and posts what the review found. Answers `done`.
# shellcheck source=lib.sh
. "${RELAYFLOW_SHELL:-.}/lib.sh"

# As much of a file as a comment holds, whole lines.
beginning() {
  head -c 60000 "$1" | sed '$!b' 2>/dev/null
}

{
  printf 'The review of this change is not resolved: %s\n\n' "${RELAYFLOW_OUTCOME:-no reason is known}"
  [ ! -s review.md ] || beginning review.md
} | without_credentials >review-blocked.md

if command -v relayflow-change >/dev/null 2>&1; then
  relayflow-change draft >&2 && relayflow-change comment --body-file review-blocked.md >&2
elif command -v gh >/dev/null 2>&1; then
  gh pr ready --undo >&2 && gh pr comment --body-file review-blocked.md >&2
fi || say 'the change request could not be turned into a draft; the review is in review-blocked.md'
printf 'done\n'
