import type { CommandContext, Shown } from '../command.js';

export async function execute({ client, invocation: { values } }: CommandContext): Promise<Shown> {
  const data = await client().call('removeRepo', { params: { name: values['name'] ?? '' } });
  return { data, lines: [`The repository ${data.name} is not polled any more. Its tickets, branches and worktrees are as they were.`] };
}
