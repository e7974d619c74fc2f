#!/bin/sh
# Settles .relayflow/check.sh: a command that is given or a script that is there (`script`), else what is usual for
# this kind of project (`default`), else `none`.
# shellcheck source=lib.sh
. "${RELAYFLOW_SHELL:-.}/lib.sh"

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
      echo '# The root has no checks; this is where the change is.'
      printf "cd '%s'\n%s\n" "$(printf '%s' "$place" | sed "s/'/'\\\\''/g")" "$found"
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
    lines=$(echo '# At the root, which has checks for the whole.' && default_checks || checks_of_change) &&
      write_script "work=\$PWD/.relayflow
$lines" && echo default
  fi
}

reply none resolve
