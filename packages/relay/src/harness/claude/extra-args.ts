/** What the harness says itself, or what would take the turn away from it. */
const TAKEN: ReadonlySet<string> = new Set([
  '-p', '--print', '--output-format', '--input-format', '--verbose', '--include-partial-messages', '--json-schema', '--prompt-suggestions', '--replay-user-messages',
  '-r', '--resume', '-c', '--continue', '--session-id', '--fork-session', '--from-pr', '--no-session-persistence', '--teleport', '--remote',
  '--agent', '--model', '--permission-mode', '--dangerously-skip-permissions', '--allow-dangerously-skip-permissions',
  '--bg', '--background', '-w', '--worktree', '--tmux', '-h', '--help', '-v', '--version', '--',
]);

/** Why these cannot be added to a call, as the rest of a message; `undefined` when they can. */
export function extraArgsProblem(args: readonly string[]): string | undefined {
  const [first] = args;
  if (first !== undefined && !first.startsWith('-')) return `must begin with a switch, and ${JSON.stringify(first)} is none`;
  const taken = args.find((arg) => TAKEN.has(arg.split('=', 1)[0] ?? ''));
  if (taken !== undefined) return `must not hold ${taken.split('=', 1)[0]}, which the harness decides`;
  return args.some((arg) => arg.includes('\0')) ? 'must not hold a zero byte' : undefined;
}
