import { castOf } from '../draft/cast.js';
import type { Draft } from '../draft/schema.js';

/** What the reader of a new kit is told. */
export function startHere(draft: Draft): string {
  const agents = [...new Set([...castOf(draft).values()].map(({ agent }) => agent))];
  return `${[
    'START HERE',
    '',
    'This folder turns a ticket into a reviewed change request of your repository.',
    '',
    '  software-factory.flow.mts  the flow: what happens, stage by stage; read it, change it',
    '  flow-input.json            the ticket, to be filled in',
    '  relay-preflight.mjs        says what is missing before anything is spent',
    '',
    `It needs Node 20.19 or newer, git, and the coding ${agents.length === 1 ? 'agent' : 'agents'} ${agents.join(', ')}, signed in.`,
    '',
    '1. Move the kit into your repository. No file is overwritten:',
    '',
    '     node relay-preflight.mjs --install path/to/your/repository',
    '',
    '2. Write your ticket into flow-input.json there. The title says what is to be done.',
    '',
    '3. See whether all is ready. This asks no model and changes nothing:',
    '',
    '     node relay-preflight.mjs',
    '     npx @relayflows/cli check software-factory.flow.mts',
    '',
    '4. Run it:',
    '',
    '     npx @relayflows/cli run software-factory.flow.mts --input flow-input.json',
    '',
    'What to expect',
    '',
    '  - The work goes to a branch of its own. These files and what the flow writes stay out of its commits.',
    '  - The branch is pushed and a change request opened, whatever the checks say; what they say stands in it.',
    '  - A run that ends well ends with needs_human and exit status 3: a person reads the change and merges it.',
    '  - A run that was stopped goes on with: npx @relayflows/cli resume last',
    '  - Agents run commands in your checkout with your rights. Use a clone that you can do without.',
    '',
  ].join('\n')}`;
}
