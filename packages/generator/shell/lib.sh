# Functions that the parts of a flow share. A part holds those that it uses.
# shellcheck shell=sh

# Says something to people. Only the answer of a part goes to standard output.
say() {
  printf 'relayflow: %s\n' "$*" >&2
}

# Prints the one word that a part ($2, perhaps told $3) answers with, or $1 when it has none. Always succeeds.
reply() {
  word=$(
    set +eu
    # A git that started this, a hook say, means another index or reads paths in another way.
    unset CDPATH
    forget_git 'DIR|WORK_TREE|INDEX_FILE|EXTERNAL_DIFF|[A-Z]*_PATHSPECS'
    mkdir -p .relayflow
    restore_head && "$2" "$3"
  ) || :
  printf '%s\n' "${word:-$1}"
}

# Unsets the variables of git whose names go on, behind GIT_, as an expression says.
forget_git() {
  # shellcheck disable=SC2046
  unset $(env | LC_ALL=C sed -nE "s/^(GIT_($1))=.*/\1/p")
}

# Git without what its user's configuration changes: it runs no hooks, asks and says nothing, takes no lock in passing.
git() {
  GIT_TERMINAL_PROMPT=0 GIT_OPTIONAL_LOCKS=0 command git -c core.quotePath=false -c core.fsmonitor=false \
    -c core.hooksPath=/dev/null -c submodule.recurse=false -c diff.orderFile=/dev/null "$@" 2>/dev/null
}

# The branch that is checked out. Fails when none is.
current_branch() {
  ref=$(git symbolic-ref -q HEAD) && echo "${ref#refs/heads/}"
}

# The commit that a name stands for. Fails when there is none.
commit_of() {
  git rev-parse -q --verify "$1^{commit}"
}

# The commit that the branch grew from. Fails when it is not known, or not here.
base_commit() {
  commit_of "$RELAYFLOW_BASE"
}

# Comes back from the base commit to the branch that a killed run had left.
restore_head() {
  lock=$(git rev-parse --git-path index.lock)
  if [ -e "$lock" ]; then
    lock=$(cd "$(dirname "$lock")" && pwd -P)/index.lock
    # One that a living process has open stays, and so it does where nobody can tell.
    case $(ls -l /proc/[0-9]*/fd 2>/dev/null) in
      *"$lock"* | '') ;;
      *) rm -f "$lock" && say "removed $lock of a stopped git" ;;
    esac
  fi
  set -- .relayflow/base-check
  [ -f "$1.restore" ] || return 0
  read -r at from <"$1.restore"
  # On the base there is only what checks did; on a branch that somebody went to, their work is kept.
  current_branch >/dev/null || set -- "$1" -f
  git checkout -q ${2:+-f} "${from:-$at}" -- || git checkout -q ${2:+-f} "$at" -- || return
  [ ! -f "$1.script" ] || mv -f "$1.script" .relayflow/check.sh
  rm -f "$1.restore"
}

# Comes back to the branch of the work, and takes along what was committed on top of it elsewhere.
regain_branch() {
  ours=$(cat .relayflow/head.ref 2>/dev/null) && [ "$ours" != "$(git symbolic-ref -q HEAD)" ] || return 0
  # It may have been renamed.
  git merge-base --is-ancestor "$(commit_of "$ours" || commit_of HEAD)" HEAD ||
    git checkout -q "${ours#refs/heads/}" -- || return
  git update-ref "$ours" HEAD && git symbolic-ref HEAD "$ours"
}

# The working files of a flow, one a line, relative to where it runs. A folder ends with a slash.
working_files() {
  printf '%s\n' summary.md plan.md reviewed-plan.md review.md review.clean review-blocked.md comparison.md \
    prototype-notes.md .relayflow/ .relayflowd/ START-HERE.txt flow-input.json relay-preflight.mjs \
    software-factory.flow.mts
}

# The usual checks of the kind of project that the current folder is, as the lines of a script: those of the first row of
# which a file is here, if it has tests. A wrapper that the repository brings comes before the tool itself.
default_checks() {
  while IFS='|' read -r files tool lines; do
    eval "any_file $files" || continue
    case $tool in
      # A target `test`, perhaps beside others, or phony.
      make | just)
        eval "cat $files" 2>/dev/null | grep -Eq -e '^\.PHONY *:(.* )?test( |$)' \
          -e '^@?([^[:space:]#:=][^#:=]* )?test( +[^:= ][^:]*)? *:([^=]|$)' || continue
        ;;
      node)
        ! grep -q 'no test specified' package.json || continue
        grep -q '"test" *:' package.json || continue
        node_checks
        return
        ;;
      uv | poetry | python3) [ -n "$(git ls-files '*test*.py')" ] || continue ;;
    esac
    using "$tool" "$lines"
    [ "$tool" != python3 ] || cat <<'END'
. "$work/venv/bin/activate"
pip install -q pytest
[ ! -f requirements.txt ] || pip install -q -r requirements.txt
[ ! -f pyproject.toml ] && [ ! -f setup.py ] || pip install -q -e .
python -m pytest
END
    return
  done <<'END'
GNUmakefile makefile Makefile|make|make test
justfile Justfile .justfile|just|just test
package.json|node|
Cargo.toml|cargo|cargo test
go.mod|go|go test ./...
spec/*_spec.rb spec/*/*_spec.rb|bundle|bundle install --quiet;bundle exec rspec
Rakefile|bundle|bundle install --quiet;bundle exec rake
mvnw|sh|sh ./mvnw -B -q verify
pom.xml|mvn|mvn -B -q verify
gradlew|sh|sh ./gradlew check
build.gradle build.gradle.kts|gradle|gradle check
./*.sln ./*.slnx ./*.csproj ./*.fsproj|dotnet|dotnet test
mix.exs|mix|mix local.hex --force --if-missing;mix deps.get;mix test
uv.lock|uv|uv run --frozen pytest
poetry.lock|poetry|poetry install --no-interaction;poetry run pytest
requirements.txt pyproject.toml setup.py setup.cfg tox.ini|python3|python3 -m venv "$work/venv"
END
  return 1
}

# The package manager is the one whose lockfile is there; of several, the one that package.json names.
node_checks() {
  named=$(sed -nE 's/.*"packageManager" *: *"(pnpm|yarn|bun|npm)@.*/\1/p' package.json)
  for lock in "$(echo "${named:-pnpm}" | sed 's/^npm/package/')"*lock* \
    pnpm-lock.yaml yarn.lock bun.lock* package-lock.json npm-shrinkwrap.json none; do
    [ ! -f "$lock" ] || break
  done
  install='install --frozen-lockfile'
  case $lock in
    pnpm*) named=pnpm ;;
    yarn*) named=yarn && ! grep -q ^__metadata: yarn.lock || install='install --immutable' ;;
    bun*) named=bun ;;
    none) install=install ;;
    *) named=npm install=ci ;;
  esac
  # Corepack brings a manager that is missing, without questions, and whatever package.json names.
  cat <<'END'
export COREPACK_ENABLE_DOWNLOAD_PROMPT=0 COREPACK_ENABLE_STRICT=0 PATH="$PATH:$work/bin"
mkdir -p "$work/bin" && corepack enable --install-directory "$work/bin" 2>/dev/null || :
END
  using "${named:-npm}" "${named:-npm} $install;${named:-npm} run test"
}

any_file() {
  for file in "$@"; do [ ! -f "$file" ] || return 0; done
  return 1
}

# The lines of a script that needs the tool $1, and says so when it is missing.
using() {
  echo "command -v $1 >/dev/null || { echo '$1 is not installed' >&2; exit 127; }"
  echo "$2" | tr ';' '\n'
}

# Runs .relayflow/check.sh, its output in $1.log and how it ended in $1.exit, .elapsed and .limit. Answers how.
run_checks() {
  limit=${RELAYFLOW_CHECK_LIMIT:-840}
  rm -f "$1.log" "$1.exit"
  begun=$(date +%s)
  if [ ! -s .relayflow/check.sh ]; then
    word=none
  elif (limited_checks "$1") >/dev/null 2>&1; then
    case $(cat "$1.exit") in
      0) word=pass ;;
      # Where not even that could be written, nothing is known.
      126 | 127 | '') word=unrunnable ;;
      *) word=fail ;;
    esac
  else
    word=timeout
    echo 124 >"$1.exit"
    say "the checks were stopped after $limit seconds"
  fi
  echo "$limit" >"$1.limit"
  echo "$(($(date +%s) - begun))" >"$1.elapsed"
  [ ! -f "$1.log" ] || tail -n 40 "$1.log" >&2
  echo "$word"
}

# The check script in a process group of its own, without a terminal and the host's git configuration. At the limit,
# which is a failure, and when the script has ended, the whole group is stopped.
limited_checks() {
  forget_git 'CONFIG[A-Z0-9_]*'
  set +m -- "$1" sh setsid
  ! head -n 1 .relayflow/check.sh | grep '^#!.*bash' || ! command -v bash || set -- "$1" bash setsid
  sleep "$limit" &
  sleeper=$!
  (
    # Without it, only a shell that makes groups without a terminal can stop what the script starts.
    command -v setsid || set -m -- "$1" "$2" env
    "$3" "$2" .relayflow/check.sh >"$1.log" 2>&1 </dev/null &
    echo "$!" >"$1.group"
    wait "$!"
    echo "$?" >"$1.exit"
    kill "$sleeper"
  ) &
  wait "$sleeper"
  stopped=$?
  if [ "$stopped" = 0 ]; then
    signal_group TERM "$1"
    # Five seconds to clean up, if it takes them.
    for _ in 1 2 3 4 5; do ! signal_group 0 "$1" || sleep 1; done
  fi
  signal_group KILL "$1"
  wait
  [ "$stopped" != 0 ]
}

signal_group() {
  read -r group <"$2.group"
  kill "-$1" "-$group" || kill "-$1" "$group"
}

# Takes user names, passwords and tokens out of addresses.
without_credentials() {
  LC_ALL=C sed 's#\(://\)[^/[:space:]]*@#\1***@#g;s#\([?&][a-z_]*token=\)[^&[:space:]]*#\1***#g'
}

# The first $1 bytes of a text for a description, in whole characters: without credentials, without words that close
# a ticket, since the one line that does is the flow's own, and with nothing left open that swallows what follows.
fit() {
  without_credentials | LC_ALL=C awk -v left="$1" '
    BEGIN { closing = "(close[sd]?|fix(es|ed)?|resolve[sd]?):?[ \t]+[^ \t]*(#|/issues/)[0-9]" }
    NR == 1 { sub(/^[\200-\277]+/, "") }
    left <= 0 { exit }
    {
      cut = length($0) > left
      $0 = substr($0, 1, left)
      gsub(/``````````+/, "`````````")
      gsub(/~~~~~~~~~~+/, "~~~~~~~~~")
      while (match(tolower($0), closing)) {
        words = substr($0, RSTART, RLENGTH)
        sub(/[^ \t]*$/, "ticket &", words)
        $0 = substr($0, 1, RSTART - 1) words substr($0, RSTART + RLENGTH)
      }
      if (cut || length($0) > left) {
        $0 = substr($0, 1, left)
        sub(/[\300-\377]?[\200-\277]*$/, "…")
      }
      left -= length($0) + 1
      print
    }
    match($0, /^ ? ? ?(```+|~~~+)/) {
      mark = substr($0, RSTART, RLENGTH)
      gsub(/ /, "", mark)
      if (fence == "") fence = mark
      else if (index(mark, fence) == 1 && $0 ~ /^[ `~]*$/) fence = ""
    }
    fence == "" {
      for (rest = $0; match(rest, /<!--|-->/); rest = substr(rest, RSTART + RLENGTH)) {
        comment = substr(rest, RSTART, 1) == "<"
      }
    }
    END {
      if (fence) print fence
      if (comment) print "-->"
    }'
}

# The commit that a branch of the remote is at; empty when it has none.
remote_commit() {
  git ls-remote --heads "$(git remote get-url --push origin)" "refs/heads/$1" | cut -f 1
}

# Pushes a branch with its hooks, and reads back what arrived, which is what counts: a push that says it worked does
# not prove it.
push_branch() {
  GIT_TERMINAL_PROMPT=0 command git push -u origin "HEAD:refs/heads/$1" </dev/null 2>&1 |
    without_credentials >.relayflow/push.log
  tail -n 20 .relayflow/push.log >&2
  [ "$(remote_commit "$1")" = "$(commit_of HEAD)" ] || ! say 'the remote does not have the commit'
}
