#!/bin/sh
# Whether title, reference and description of the change are fit to publish. Answers `valid`, or the reason.
# shellcheck source=lib.sh
. "${RELAYFLOW_SHELL:-.}/lib.sh"

# How often the description closes something of the tracker.
closing_references() {
  LC_ALL=C awk '
    BEGIN { closing = "(close[sd]?|fix(es|ed)?|resolve[sd]?):?[ \t]+[^ \t]*(#|/issues/)[0-9]" }
    { line = tolower($0) }
    { count += gsub(closing, "", line) }
    END { print count + 0 }'
}

validate() {
  body=.relayflow/pr-body.md
  line=$(printf '%s' "${RELAYFLOW_TITLE:-}" | tr -d '\n')
  if [ -z "$line" ]; then
    echo no-title
  elif [ "$line" != "$RELAYFLOW_TITLE" ]; then
    echo title-of-many-lines
  elif [ ! -s "$body" ]; then
    echo no-description
  elif [ -z "${RELAYFLOW_REFERENCE:-}" ] || ! grep -Fxq -- "$RELAYFLOW_REFERENCE" "$body"; then
    echo no-reference
  elif [ "$(wc -c <"$body")" -gt 65536 ]; then
    echo description-too-long
  elif [ "${RELAYFLOW_REFERENCE#Fixes #}" != "$RELAYFLOW_REFERENCE" ] &&
    [ "$(closing_references <"$body")" -ne 1 ]; then
    echo more-than-one-closing-reference
  else
    echo valid
  fi
}

reply no-description validate
