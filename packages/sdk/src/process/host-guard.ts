import { spawn } from 'node:child_process';
import { stepScope } from './marker.js';
import type { ProcessRequest, SupervisedProcess } from './port.js';

/*
 * A process whose host is killed would go on until the run is resumed. A guard is a shell that waits for the end of a pipe that only the host holds:
 * it hears of the host's end however that comes about, and then stops the group, and what carries the marker of the attempt, as the ladder would.
 *
 * It is no part of the tree it guards: in a session of its own, without the marker.
 */

const GUARD = `
read -r group scope || exit
read -r word && [ "$word" = done ] && exit
stop() {
  kill "-$1" "-$group"
  for file in $(grep -ls "$scope" /proc/[0-9]*/environ); do
    pid=\${file#/proc/}
    kill "-$1" "\${pid%/environ}"
  done
}
stop TERM
for second in 1 2 3 4 5; do
  sleep 1
  kill -0 "-$group" || grep -qs "$scope" /proc/[0-9]*/environ || exit
done
stop KILL
# What was just being started when the others were stopped.
sleep 1
stop KILL
`;

/** Starts processes as `supervise` does, each with a guard for as long as it lives. A guard that cannot be started is done without. */
export function guarded(supervise: (request: ProcessRequest) => SupervisedProcess): (request: ProcessRequest) => SupervisedProcess {
  return (request) => {
    const child = supervise(request);
    if (child.identity === undefined) return child;
    const dismiss = startGuard({ group: child.identity.pid, scope: pattern(stepScope(request.marker)), path: request.env['PATH'] });
    void child.outcome.then(dismiss);
    return child;
  };
}

/** A basic regular expression for an environment with this scope, which is not one that another ends with. */
function pattern(scope: string): string {
  return `[=;]${scope.replaceAll('.', '\\.')}`;
}

function startGuard({ group, scope, path }: { readonly group: number; readonly scope: string; readonly path: string | undefined }): () => void {
  const guard = spawn('/bin/sh', ['-c', GUARD], {
    cwd: '/',
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
    // Its own environment must not name the scope where a guard, or the sweep of the step, looks for it.
    env: { PATH: path ?? '/usr/bin:/bin' },
    argv0: 'relayflows-guard',
  });
  guard.on('error', () => undefined);
  guard.stdin.on('error', () => undefined);
  guard.stdin.write(`${group} ${scope}\n`);
  guard.unref();
  // The pipe must not keep the host from ending, only tell of its end.
  (guard.stdin as unknown as { readonly unref?: () => void }).unref?.();
  return () => guard.stdin.end('done\n');
}
