#!/bin/sh
# Whether title, reference and description of the change are fit to publish: `valid`, or the reason.
# shellcheck source=lib.sh
. "${RELAYFLOW_SHELL:-.}/lib.sh"

validate() {
  body=.relayflow/pr-body.md
  line=$(printf '%s' "$RELAYFLOW_TITLE" | tr -d '\n')
  if [ -z "$line" ]; then
    echo no-title
  elif [ "$line" != "$RELAYFLOW_TITLE" ]; then
    echo title-of-many-lines
  elif [ ! -s "$body" ]; then
    echo no-description
  elif [ -z "$RELAYFLOW_REFERENCE" ] || ! grep -Fxq -- "$RELAYFLOW_REFERENCE" "$body"; then
    echo no-reference
  elif [ "$(wc -c <"$body")" -gt 65536 ]; then
    echo description-too-long
  elif grep -Fxv -- "$RELAYFLOW_REFERENCE" "$body" |
    grep -Eiq '(close[sd]?|fix(es|ed)?|resolve[sd]?):?[[:space:]]+[^[:space:]]*(#|/issues/)[0-9]'; then
    echo another-closing-reference
  else
    echo valid
  fi
}

reply no-description validate
