#!/bin/sh
# Whether the change can be published as it is described: valid, or the reason.
# shellcheck source=lib.sh
. "${RELAYFLOW_SHELL:-.}/lib.sh"

# Title, reference and description: what a forge takes, and closes no ticket but the one.

validate() {
  body=.relayflow/pr-body.md
  [ -s "$body" ] || return
  why=valid
  # What is said last counts.
  ! grep -Fxv -- "$RELAYFLOW_REFERENCE" "$body" |
    grep -Eiq '(close[sd]?|fix(es|ed)?|resolve[sd]?):?[[:space:]]+[^[:space:]]*(#|/issues/)[0-9]' ||
    why=another-closing-reference
  [ "$(wc -c <"$body")" -le 65536 ] || why=description-too-long
  { [ -n "$RELAYFLOW_REFERENCE" ] && grep -Fxq -- "$RELAYFLOW_REFERENCE" "$body"; } || why=no-reference
  [ "$(printf '%s' "$RELAYFLOW_TITLE" | wc -l)" -eq 0 ] || why=title-of-many-lines
  [ -n "$RELAYFLOW_TITLE" ] || why=no-title
  echo "$why"
}

reply no-description validate
