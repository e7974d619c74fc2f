/**
 * What Orca's command is called here. On Linux it is not `orca`, which is the screen reader of GNOME there.
 * Looked up once, when the runner is made.
 */
export function orcaExecutable(env: Readonly<Record<string, string | undefined>>, platform: NodeJS.Platform): string {
  const named = env['ORCA_CLI_COMMAND'];
  if (named !== undefined && named !== '') return named;
  const developing = env['ORCA_DEV_REPO_ROOT'];
  if (developing !== undefined && developing !== '') return 'orca-dev';
  return platform === 'linux' ? 'orca-ide' : 'orca';
}
