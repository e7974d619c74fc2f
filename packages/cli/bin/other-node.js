import { spawn } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { constants as os } from 'node:os';
import { isAbsolute } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Runs this command again under the Node that `FLOWS_AUTHORED_NODE` names, and ends as it ends. */
export function runUnder(node, refuse) {
  const hint = 'Set FLOWS_AUTHORED_NODE to the absolute path of a node executable, or unset it.';
  if (!isAbsolute(node)) return refuse(`FLOWS_AUTHORED_NODE is not an absolute path: ${node}`, hint);
  try {
    accessSync(node, constants.X_OK);
  } catch (error) {
    return refuse(`FLOWS_AUTHORED_NODE cannot be executed: ${node} (${error.code}).`, hint);
  }

  const env = { ...process.env };
  delete env.FLOWS_AUTHORED_NODE;
  const command = fileURLToPath(new URL('./flows.js', import.meta.url));
  const child = spawn(node, [...process.execArgv, command, ...process.argv.slice(2)], { stdio: 'inherit', env });

  // The terminal sends Ctrl-C to both processes: this one only has to outlive the other. The rest reaches this one alone.
  process.on('SIGINT', () => {});
  for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));

  return new Promise((resolve) => {
    child.on('error', (error) => resolve(refuse(`FLOWS_AUTHORED_NODE cannot be executed: ${node} (${error.code}).`, hint)));
    child.on('exit', (code, signal) => {
      process.exitCode = code ?? 128 + os.signals[signal];
      resolve();
    });
  });
}
