import type { AgentDeed } from '../../src/agents/conformance.js';
import type { Act } from './fixture.js';

/** What the scripted agent does to play a turn of a part. */
export function actsOf(deeds: readonly AgentDeed[]): readonly Act[] {
  return deeds.flatMap(actOf);
}

function actOf(deed: AgentDeed): Act[] {
  switch (deed.do) {
    case 'say':
      return deed.usage === undefined ? [{ say: deed.text }] : [{ result: { output: deed.text, usage: { input_tokens: deed.usage.input, output_tokens: deed.usage.output } } }];
    case 'write':
      return [{ write: { path: deed.path, content: deed.content } }];
    case 'run':
      return [{ sh: deed.command }];
    case 'commit':
      return [{ sh: `git add -A && git commit -qm '${deed.message}'` }];
    case 'detach':
      return [{ detach: deed.command }];
    case 'hang':
      return [{ hang: true }];
    case 'fail':
      return [{ stderr: `${deed.text}\n` }, { exit: 1 }];
  }
}
