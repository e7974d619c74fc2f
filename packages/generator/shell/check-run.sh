#!/bin/sh
# Runs the check script: pass, fail, timeout, none or unrunnable.
# shellcheck source=lib.sh
. "${RELAYFLOW_SHELL:-.}/lib.sh"

# none: there is no script.

reply unrunnable run_checks .relayflow/check
