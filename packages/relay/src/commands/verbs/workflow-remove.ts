import type { CommandContext, Shown } from '../command.js';

export async function execute({ client, invocation: { values } }: CommandContext): Promise<Shown> {
  const data = await client().call('removeWorkflow', { params: { name: values['name'] ?? '' } });
  return { data, lines: [`The workflow ${data.name} is forgotten. Tickets that it claimed keep their labels.`] };
}
