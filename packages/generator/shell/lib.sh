# Functions that the parts of a flow share. A part holds those that it uses.
# shellcheck shell=sh

# Says something to people. Only the answer of a part goes to standard output.
say() {
  printf 'relayflow: %s\n' "$*" >&2
}

# Prints the one word that a part ($2) answers with, or $1 when it has none. Always succeeds.
reply() {
  word=$(
    set +e
    # A git that started this, a hook say, means another index or reads paths in another way.
    unset GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE GIT_PREFIX GIT_EXTERNAL_DIFF CDPATH
    unset GIT_LITERAL_PATHSPECS GIT_GLOB_PATHSPECS GIT_NOGLOB_PATHSPECS GIT_ICASE_PATHSPECS
    mkdir -p .relayflow
    restore_head && "$2"
  ) || :
  printf '%s\n' "${word:-$1}"
}

# Git without what its user's configuration changes: it runs no hooks, asks nothing and takes no lock in passing.
git() {
  GIT_TERMINAL_PROMPT=0 GIT_OPTIONAL_LOCKS=0 command git -c core.quotePath=false -c core.fsmonitor=false \
    -c core.hooksPath=/dev/null -c submodule.recurse=false -c diff.orderFile=/dev/null "$@"
}

# The branch that is checked out; empty when none is.
current_branch() {
  ref=$(git symbolic-ref -q HEAD 2>/dev/null) && printf '%s\n' "${ref#refs/heads/}"
}

# The commit that is checked out. Fails when there is none.
head_commit() {
  git rev-parse -q --verify 'HEAD^{commit}' 2>/dev/null
}

# The commit that the branch grew from. Fails when it is not known, or not here.
base_commit() {
  git rev-parse -q --verify "${RELAYFLOW_BASE:-}^{commit}" 2>/dev/null
}

# Where the run is within the repository: empty, or a folder with a slash at its end.
run_prefix() {
  git rev-parse --show-prefix
}

# Removes the lock of an index whose git was killed. One that a living process has open stays.
clear_index_lock() {
  lock=$(git rev-parse --git-path index.lock 2>/dev/null) && [ -e "$lock" ] || return 0
  lock=$(cd "$(dirname "$lock")" && pwd -P)/index.lock
  # Where nobody can tell which files are open, it stays too.
  case $(ls -l /proc/[0-9]*/fd 2>/dev/null) in
    *"$lock"* | '') ;;
    *) rm -f "$lock" && say "removed $lock, which a git that was stopped had left" ;;
  esac
}

# Comes back from the base commit to the branch that a killed run had left.
restore_head() {
  clear_index_lock
  [ -f .relayflow/base-check.restore ] || return 0
  read -r at from <.relayflow/base-check.restore
  now=$(current_branch)
  # On the base there is only what checks did; on a branch that somebody went to, their work is kept.
  if [ -n "$at" ] && { [ -z "$now" ] || [ "$now" != "$from" ]; }; then
    force=-qf
    [ -z "$now" ] || force=-q
    git checkout "$force" "${from:-$at}" -- || git checkout "$force" "$at" -- || return
    say "came back to ${from:-$at} from the base commit"
  fi
  [ ! -f .relayflow/base-check.script ] || mv -f .relayflow/base-check.script .relayflow/check.sh
  rm -f .relayflow/base-check.restore
}

# The working files of a flow, one a line, relative to where it runs. A folder ends with a slash.
working_files() {
  printf '%s\n' summary.md plan.md reviewed-plan.md review.md review.clean review-blocked.md comparison.md \
    prototype-notes.md .relayflow/ .relayflowd/ START-HERE.txt flow-input.json relay-preflight.mjs \
    software-factory.flow.mts
}

# The usual checks of the kind of project that the current folder is, as the lines of a script.
default_checks() {
  if has_target GNUmakefile makefile Makefile; then
    using make 'make test'
  elif has_target justfile Justfile .justfile; then
    using just 'just test'
  elif node_checks; then
    :
  elif any_file Cargo.toml; then
    using cargo 'cargo test'
  elif any_file go.mod; then
    using go 'go test ./...'
  elif any_file pyproject.toml setup.py setup.cfg requirements.txt tox.ini &&
    git ls-files '*test*.py' | grep -q .; then
    python_checks
  elif any_file Gemfile && [ -d spec ]; then
    using bundle 'bundle install --quiet' 'bundle exec rspec'
  elif any_file Gemfile && any_file Rakefile; then
    using bundle 'bundle install --quiet' 'bundle exec rake'
  elif any_file pom.xml; then
    # A wrapper that the repository brings comes before the tool itself.
    if [ -x mvnw ]; then echo './mvnw -B -q verify'; else using mvn 'mvn -B -q verify'; fi
  elif any_file build.gradle build.gradle.kts; then
    if [ -x gradlew ]; then echo './gradlew check'; else using gradle 'gradle check'; fi
  elif any_file ./*.sln ./*.slnx ./*.csproj ./*.fsproj; then
    using dotnet 'dotnet test'
  elif any_file mix.exs; then
    using mix 'mix local.hex --force --if-missing' 'mix deps.get' 'mix test'
  else
    return 1
  fi
}

any_file() {
  for file in "$@"; do [ ! -f "$file" ] || return 0; done
  return 1
}

# The lines $2… of a script that needs the tool $1, and says so when it is missing.
using() {
  echo "command -v $1 >/dev/null || { echo '$1 is not installed' >&2; exit 127; }"
  shift
  [ $# -eq 0 ] || printf '%s\n' "$@"
}

# Whether one of the files of make or just has a target `test`, perhaps beside others, or calls it phony.
has_target() {
  cat "$@" 2>/dev/null | grep -Eq \
    -e '^@?([^[:space:]#:=][^#:=]*[[:space:]])?test([[:space:]]+[^:=[:space:]][^:]*)?[[:space:]]*:([^=]|$)' \
    -e '^\.PHONY[[:space:]]*:(.*[[:space:]])?test([[:space:]]|$)'
}

# The package manager is the one whose lockfile is there; of several, the one that package.json names.
node_checks() {
  grep -q '"test"[[:space:]]*:' package.json 2>/dev/null && ! grep -q 'no test specified' package.json || return
  declared=$(sed -nE 's/.*"packageManager"[[:space:]]*:[[:space:]]*"(pnpm|yarn|bun|npm)@.*/\1/p' package.json)
  for manager in $declared pnpm yarn bun npm; do
    install='install --frozen-lockfile'
    case $manager in
      pnpm) any_file pnpm-lock.yaml ;;
      yarn) any_file yarn.lock ;;
      bun) any_file bun.lock bun.lockb ;;
      npm) any_file package-lock.json npm-shrinkwrap.json && install=ci ;;
    esac && break
    install='install'
  done
  [ "$install" != 'install' ] || manager=${declared:-npm}
  ! grep -q '^__metadata:' yarn.lock 2>/dev/null || [ "$manager" != yarn ] || install='install --immutable'
  case $manager in
    pnpm | yarn)
      # Corepack brings them, without questions, and whatever package.json names.
      cat <<'END'
export COREPACK_ENABLE_DOWNLOAD_PROMPT=0 COREPACK_ENABLE_STRICT=0 PATH="$PATH:$work/bin"
mkdir -p "$work/bin" && corepack enable --install-directory "$work/bin" || :
END
      ;;
  esac
  using "$manager" "$manager $install" "$manager run test"
}

python_checks() {
  if any_file uv.lock; then
    using uv 'uv run --frozen pytest'
  elif any_file poetry.lock; then
    using poetry 'poetry install --no-interaction' 'poetry run pytest'
  else
    using python3
    cat <<'END'
python3 -m venv "$work/venv"
. "$work/venv/bin/activate"
pip install -q pytest
END
    ! any_file requirements.txt || echo 'pip install -q -r requirements.txt'
    ! any_file pyproject.toml setup.py || echo 'pip install -q -e .'
    echo 'python -m pytest'
  fi
}

# Runs .relayflow/check.sh, its output in $1.log and how it ended in $1.exit, .elapsed and .limit. Answers how.
run_checks() {
  limit=${RELAYFLOW_CHECK_LIMIT:-840}
  rm -f "$1.log" "$1.exit" "$1.elapsed" "$1.stopped"
  [ -s .relayflow/check.sh ] || {
    echo none
    return
  }
  begun=$(date +%s)
  (limited_checks "$1") 2>/dev/null
  echo "$(($(date +%s) - begun))" >"$1.elapsed"
  echo "$limit" >"$1.limit"
  tail -n 40 "$1.log" >&2
  if [ -e "$1.stopped" ]; then
    echo 124 >"$1.exit"
    say "the checks were stopped after $limit seconds"
    echo timeout
    return
  fi
  case $(cat "$1.exit") in
    0) echo pass ;;
    126 | 127) echo unrunnable ;;
    *) echo fail ;;
  esac
}

# The check script in a process group of its own, without a terminal and the host's git configuration. At the limit,
# and when the script has ended, the whole group is stopped.
limited_checks() {
  unset GIT_CONFIG_COUNT GIT_CONFIG_GLOBAL GIT_CONFIG_NOSYSTEM GIT_CONFIG_SYSTEM GIT_CONFIG_PARAMETERS
  set -- "$1" sh setsid
  if head -n 1 .relayflow/check.sh | grep -q '^#!.*bash' && command -v bash >/dev/null; then set -- "$1" bash setsid; fi
  set +m
  sleep "$limit" &
  sleeper=$!
  (
    # Without it, only a shell that makes groups without a terminal can stop what the script starts.
    command -v setsid >/dev/null || { set -- "$1" "$2" env && set -m; }
    "$3" "$2" .relayflow/check.sh >"$1.log" 2>&1 </dev/null &
    echo "$!" >"$1.group"
    wait "$!"
    echo "$?" >"$1.exit"
    kill "$sleeper"
  ) &
  if wait "$sleeper"; then
    : >"$1.stopped"
    signal_group TERM "$1.group"
    # Five seconds to clean up, if it takes them.
    for _ in 1 2 3 4 5; do
      signal_group 0 "$1.group" || break
      sleep 1
    done
  fi
  signal_group KILL "$1.group"
  wait
}

signal_group() {
  group=$(cat "$2")
  kill "-$1" "-$group" || kill "-$1" "$group"
}

# Runs a command that makes a commit, in the name of the flow when nobody's is configured.
with_identity() {
  if git var GIT_COMMITTER_IDENT >/dev/null 2>&1 && git var GIT_AUTHOR_IDENT >/dev/null 2>&1; then
    "$@"
  else
    GIT_AUTHOR_NAME=relayflow GIT_AUTHOR_EMAIL=relayflow@localhost \
      GIT_COMMITTER_NAME=relayflow GIT_COMMITTER_EMAIL=relayflow@localhost "$@"
  fi
}

# Takes user names, passwords and tokens out of addresses.
without_credentials() {
  LC_ALL=C sed -e 's#\(://\)[^/[:space:]]*@#\1***@#g' -e 's#\([?&][a-z_]*token=\)[^&[:space:]]*#\1***#g'
}

# The first or last (`head`, `tail`) $2 bytes of a text, cut between characters.
keep() {
  "$1" -c "$(($2 + 1))" | LC_ALL=C awk -v end="$1" -v most="$2" '
    function half(byte) { return byte >= "\200" && byte < "\300" }
    { text = text $0 "\n" }
    END {
      if (length(text) > most + 1 && end == "tail") {
        text = substr(text, length(text) - most + 1)
        while (half(substr(text, 1, 1))) text = substr(text, 2)
        print "…"
      } else if (length(text) > most + 1) {
        text = substr(text, 1, most)
        while (half(substr(text, length(text)))) text = substr(text, 1, length(text) - 1)
        text = substr(text, 1, length(text) - 1) "\n…\n"
      }
      printf "%s", text
    }'
}

# The commit that a branch of the remote is at; empty when it has none.
remote_commit() {
  {
    git ls-remote --heads "$(git remote get-url --push origin)" "refs/heads/$1" | cut -f 1
  } 2>/dev/null
}

# Pushes a branch with its hooks, and reads back what arrived: that a push says it worked does not prove it.
push_branch() {
  GIT_TERMINAL_PROMPT=0 command git push -u origin "HEAD:refs/heads/$1" </dev/null >.relayflow/push.raw 2>&1
  pushed=$?
  without_credentials <.relayflow/push.raw >.relayflow/push.log
  rm -f .relayflow/push.raw
  tail -n 20 .relayflow/push.log >&2
  [ "$pushed" -eq 0 ] || return
  [ "$(remote_commit "$1")" = "$(head_commit)" ] || {
    say 'the push said that it worked, and the remote does not have the commit'
    return 1
  }
}
