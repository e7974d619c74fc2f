#!/bin/sh
# Keeps the working files of a flow out of commits, through the exclude file of the clone. Answers `done`.
# shellcheck source=lib.sh
. "${RELAYFLOW_SHELL:-.}/lib.sh"

exclude() {
  in_checkout || return
  file=$(plain_git rev-parse --git-path info/exclude) && mkdir -p "$(dirname "$file")" || return
  # This run uses the lines; the last one that does takes them out again.
  runs=$(plain_git rev-parse --git-common-dir)/relayflow/runs
  mkdir -p "$runs" && : >"$runs/${RELAYFLOW_RUN_ID:-unnamed}"
  # The folder of the run within the repository, as a pattern that means just that folder.
  prefix=$(plain_git rev-parse --show-prefix | sed 's/[][\\*?]/\\&/g')
  {
    [ ! -f "$file" ] || sed '/^# relayflow begin$/,/^# relayflow end$/d' "$file"
    printf '# relayflow begin\n'
    {
      [ ! -f "$file" ] || sed -n '/^# relayflow begin$/,/^# relayflow end$/p' "$file" | grep '^/'
      working_files | while IFS= read -r name; do printf '/%s%s\n' "$prefix" "$name"; done
    } | awk '!seen[$0]++'
    printf '# relayflow end\n'
  } >"$file.relayflow.$$" && mv -f "$file.relayflow.$$" "$file"
}

exclude || say 'the working files could not be excluded; they are taken out of commits before the push'
printf 'done\n'
