#!/bin/sh
# Runs the check script: `pass`, `fail`, `timeout`, `none` (there is none) or `unrunnable`.
# shellcheck source=lib.sh
. "${RELAYFLOW_SHELL:-.}/lib.sh"

check_run() {
  run_checks .relayflow/check
}

reply unrunnable check_run
