#!/bin/sh
# Takes the working files of a flow out of the exclude file of the clone, once no run needs them there.
# Answers `done`.
# shellcheck source=lib.sh
. "${RELAYFLOW_SHELL:-.}/lib.sh"

finish() {
  file=$(git rev-parse --git-path info/exclude) || return
  runs=$(git rev-parse --git-common-dir)/relayflow/runs
  rm -f "$runs/${RELAYFLOW_RUN_ID:-unnamed}"
  # A run that died long ago needs nothing any more.
  find "$runs" -type f -mtime +7 -exec rm -f {} + 2>/dev/null
  [ -z "$(ls "$runs" 2>/dev/null)" ] || return 0
  sed '/^# relayflow begin$/,/^# relayflow end$/d' "$file" >"$file.$$" && mv -f "$file.$$" "$file"
}

reply 'done' finish
