#!/bin/sh
# Keeps the working files of the flow out of commits: done.
# shellcheck source=lib.sh
. "${RELAYFLOW_SHELL:-.}/lib.sh"

# Through the exclude file of the clone, as long as a run needs it.

exclude() {
  file=$(git rev-parse --git-path info/exclude) && mkdir -p "$(dirname "$file")" && : >>"$file" || return
  # This run uses the lines; the last one that does takes them out again.
  runs=$(git rev-parse --git-common-dir)/relayflow/runs
  mkdir -p "$runs" && : >"$runs/${RELAYFLOW_RUN_ID:-unnamed}"
  # A pattern for just the folder of the run, whatever characters are in its name.
  working_files | prefix=/$(git rev-parse --show-prefix) awk '
    BEGIN {
      prefix = ENVIRON["prefix"]
      gsub(/[][\\*?]/, "\\\\&", prefix)
      gsub(/\n/, "?", prefix)
    }
    NR == FNR { $0 = prefix $0 }
    FNR == 1 { ours = NR == 1 }
    /^# relayflow (begin|end)$/ { ours = $3 == "begin"; next }
    !ours { print }
    ours && !seen[$0]++ { lines = lines $0 "\n" }
    END { printf "# relayflow begin\n%s# relayflow end\n", lines }' - "$file" >"$file.$$" &&
    mv -f "$file.$$" "$file"
}

exclude_files() {
  exclude || say 'working files could not be excluded, and are taken out later'
}

reply 'done' exclude_files
