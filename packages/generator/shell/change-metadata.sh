#!/bin/sh
# Whether title, reference and description of the change are fit to publish. Answers `valid`, or the reason.
# shellcheck source=lib.sh
. "${RELAYFLOW_SHELL:-.}/lib.sh"

# How many lines of the description close an issue of the tracker.
closing_lines() {
  grep -Eic '^[[:space:]]*(fix(es|ed)?|close[sd]?|resolve[sd]?)[[:space:]]+#[0-9]+[[:space:]]*$' .relayflow/pr-body.md
}

validate() {
  [ -n "${RELAYFLOW_TITLE:-}" ] || {
    echo no-title
    return
  }
  [ "$(printf '%s' "$RELAYFLOW_TITLE" | wc -l)" -eq 0 ] || {
    echo title-of-many-lines
    return
  }
  [ -s .relayflow/pr-body.md ] || {
    echo no-description
    return
  }
  grep -Fxq -- "${RELAYFLOW_REFERENCE:-}" .relayflow/pr-body.md || {
    echo no-reference
    return
  }
  case ${RELAYFLOW_REFERENCE:-} in
    'Fixes #'*) [ "$(closing_lines)" -eq 1 ] || {
      echo more-than-one-closing-reference
      return
    } ;;
  esac
  [ "$(wc -m <.relayflow/pr-body.md)" -le 65536 ] || {
    echo description-too-long
    return
  }
  echo valid
}

validate
