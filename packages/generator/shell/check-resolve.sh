#!/bin/sh
# Settles .relayflow/check.sh: script (given, or there), default (the usual one) or none.
# shellcheck source=lib.sh
. "${RELAYFLOW_SHELL:-.}/lib.sh"

# A command that is given, or a script that exists, is kept; else the usual checks of this kind of project are written.

write_script() {
  printf '#!/bin/sh\nset -e\n%s\n' "$1" >.relayflow/check.new && mv -f .relayflow/check.new .relayflow/check.sh
}

# The usual checks of the folder that all of the change is in, or of the nearest around it that has some.
checks_of_change() {
  base=$(base_commit) || return
  place=$(git diff-tree -r -z --name-only --relative "$base" HEAD | tr '\0' '\n' | LC_ALL=C awk '
    { sub(/[^\/]*$/, "") }
    NR == 1 { place = $0 }
    { while (place != "" && index($0, place) != 1) sub(/[^\/]*\/$/, "", place) }
    END { print place }')
  while [ -n "$place" ]; do
    if found=$(cd "./$place" && default_checks); then
      printf "cd './%s'\n%s\n" "$(printf '%s' "$place" | sed "s/'/'\\\\''/g")" "$found"
      return
    fi
    place=$(printf '%s' "$place" | sed 's#[^/]*/$##')
  done
  return 1
}

resolve() {
  if [ -n "$RELAYFLOW_CHECK_COMMAND" ]; then
    write_script "$RELAYFLOW_CHECK_COMMAND" && echo script
  elif [ -s .relayflow/check.sh ]; then
    echo script
  else
    why='# At the root, which has checks for the whole.'
    lines=$(default_checks) || { why='# Where the change is; the root has no checks.' && lines=$(checks_of_change); } &&
      write_script "$why
work=\$PWD/.relayflow
$lines" && echo default
  fi
}

reply none resolve
