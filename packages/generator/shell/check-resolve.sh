#!/bin/sh
# Settles .relayflow/check.sh, the script that checks this repository. A command that is given, or a script that
# exists, is kept; else the usual checks of the kind of project that this is are written down.
# Answers `script`, `default` or `none`.
# shellcheck source=lib.sh
. "${RELAYFLOW_SHELL:-.}/lib.sh"

# The package manager of a Node project is the one whose lockfile is there. Corepack brings it, without questions.
node_checks() {
  [ -f package.json ] || return 1
  grep -q '"test"[[:space:]]*:' package.json || return 1
  grep -q 'no test specified' package.json && return 1
  if [ -f pnpm-lock.yaml ]; then
    set -- pnpm 'pnpm install --frozen-lockfile' 'pnpm test'
  elif [ -f yarn.lock ] && [ -f .yarnrc.yml ]; then
    set -- yarn 'yarn install --immutable' 'yarn test'
  elif [ -f yarn.lock ]; then
    set -- yarn 'yarn install --frozen-lockfile' 'yarn test'
  elif [ -f bun.lock ] || [ -f bun.lockb ]; then
    set -- bun 'bun install --frozen-lockfile' 'bun run test'
  elif [ -f package-lock.json ] || [ -f npm-shrinkwrap.json ]; then
    set -- npm 'npm ci' 'npm test'
  else
    set -- npm 'npm install --no-audit --no-fund' 'npm test'
  fi
  if [ "$1" = pnpm ] || [ "$1" = yarn ]; then
    echo 'export COREPACK_ENABLE_DOWNLOAD_PROMPT=0'
    echo "command -v $1 >/dev/null 2>&1 || corepack enable >/dev/null 2>&1 || :"
  fi
  need "$1"
  printf '%s\n' "$2" "$3"
}

# A line that names a missing tool, instead of a failure that does not.
need() {
  printf 'command -v %s >/dev/null 2>&1 || { echo "%s is not installed" >&2; exit 127; }\n' "$1" "$1"
}

has_target() {
  [ -f "$1" ] && grep -Eq "^$2[[:space:]]*:([^=]|\$)" "$1"
}

python_checks() {
  [ -f pyproject.toml ] || [ -f setup.py ] || [ -f setup.cfg ] ||
    [ -f requirements.txt ] || [ -f tox.ini ] || return 1
  if [ -f uv.lock ]; then
    need uv
    echo 'uv run --frozen pytest'
  elif [ -f poetry.lock ]; then
    need poetry
    printf '%s\n' 'poetry install --no-interaction' 'poetry run pytest'
  else
    need python3
    printf '%s\n' 'python3 -m venv .relayflow/venv' '. .relayflow/venv/bin/activate'
    echo 'pip install -q --disable-pip-version-check pytest'
    [ ! -f requirements.txt ] || echo 'pip install -q -r requirements.txt'
    { [ ! -f pyproject.toml ] && [ ! -f setup.py ]; } || echo 'pip install -q -e .'
    echo 'python -m pytest'
  fi
}

ruby_checks() {
  [ -f Gemfile ] || return 1
  need bundle
  echo 'bundle install --quiet'
  if [ -d spec ]; then echo 'bundle exec rspec'; else echo 'bundle exec rake'; fi
}

# A wrapper that the repository brings comes before the tool itself.
maven_checks() {
  [ -f pom.xml ] || return 1
  if [ -x mvnw ]; then echo './mvnw -B -q verify'; else need mvn && echo 'mvn -B -q verify'; fi
}

gradle_checks() {
  [ -f build.gradle ] || [ -f build.gradle.kts ] || return 1
  if [ -x gradlew ]; then echo './gradlew --no-daemon check'; else need gradle && echo 'gradle --no-daemon check'; fi
}

dotnet_checks() {
  for project in ./*.sln ./*.slnx ./*.csproj ./*.fsproj; do
    [ -f "$project" ] || continue
    need dotnet
    echo 'dotnet test'
    return
  done
  return 1
}

default_checks() {
  for makefile in GNUmakefile makefile Makefile; do
    has_target "$makefile" test || continue
    need make
    echo 'make test'
    return
  done
  for justfile in justfile Justfile .justfile; do
    has_target "$justfile" test || continue
    need just
    echo 'just test'
    return
  done
  if node_checks; then
    :
  elif [ -f Cargo.toml ]; then
    need cargo
    echo 'cargo test'
  elif [ -f go.mod ]; then
    need go
    echo 'go test ./...'
  elif python_checks || ruby_checks || maven_checks || gradle_checks || dotnet_checks; then
    :
  elif [ -f mix.exs ]; then
    need mix
    printf '%s\n' 'mix deps.get' 'mix test'
  else
    return 1
  fi
}

write_script() {
  printf '#!/bin/sh\nset -eu\n%s\n' "$1" >.relayflow/check.sh.new &&
    mv -f .relayflow/check.sh.new .relayflow/check.sh
}

resolve() {
  mkdir -p .relayflow || return
  if [ -n "${RELAYFLOW_CHECK_COMMAND:-}" ]; then
    write_script "$RELAYFLOW_CHECK_COMMAND" && echo script
  elif [ -s .relayflow/check.sh ]; then
    echo script
  else
    script=$(default_checks) && write_script "$script" && echo default
  fi
}

restore_head
answer=$(resolve)
printf '%s\n' "${answer:-none}"
