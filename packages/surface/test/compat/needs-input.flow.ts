/** A generated flow that stops for input: phases and the question go to standard error line by line, and the verdict is `needs_human`. */
import { flow, matchesIssue } from '@relayflows/surface';

const NEEDS_INPUT = `
printf 'relayflow needs-input-source: %s\\n' needs-input.md
printf 'relayflow needs-input: %s\\n' 'Which file does the ticket mean?' 'I found two.'
`;

export default flow<{ issue: unknown }>('needs-input', async (f, input) => {
  if (!matchesIssue(input.issue, { github: { labels: ['factory'] } })) return f.done('declined', { detail: 'not for this flow' });
  console.error('relayflow phase: implementing');
  console.error((await f.run(NEEDS_INPUT, { timeout: '1m' })).trimEnd());
  f.done('needs_human', { detail: `asked: ${input.issue.title}` });
});
