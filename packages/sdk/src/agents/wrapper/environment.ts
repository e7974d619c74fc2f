import { stepEnvironment } from '../../process/environment.js';
import { SCOPE_VARIABLE } from '../../process/marker.js';

/** What a wrapper sees of the host's environment: enough to find programs and the home directory, no tokens. */
const PASSED_ON = [
  'PATH', 'HOME', 'TMPDIR', 'TMP', 'TEMP', 'SHELL', 'LANG', 'LC_ALL', 'LC_CTYPE', 'TZ', 'USER', 'LOGNAME', 'SystemRoot', 'ComSpec', 'PATHEXT', 'WINDIR',
  // Not for the wrapper: with it the sweep of an outer flow's step finds what an inner flow started.
  SCOPE_VARIABLE,
];

export function wrapperEnvironment(
  hostEnv: Readonly<Record<string, string | undefined>>,
  runEnv: Readonly<Record<string, string>> = {},
): Record<string, string> {
  const inherited = stepEnvironment({ host: hostEnv, secrets: 'inherit', runVariables: {} });
  const env: Record<string, string> = {};
  for (const name of PASSED_ON) {
    const value = inherited[name];
    if (value !== undefined) env[name] = value;
  }
  return { ...env, ...runEnv };
}
