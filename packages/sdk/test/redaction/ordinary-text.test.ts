import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { createRedactor } from '../../src/redaction/redactor.js';

const root = new URL('../../../../', import.meta.url);
const { text: redact } = createRedactor({ env: { GITHUB_TOKEN: 'tok-Abcdef123456', PATH: '/usr/bin' } });

/** What flows read all day. A body receives redacted values, so any change here would change what a flow does. */
const SAMPLES: Readonly<Record<string, string>> = {
  'git log': `commit 9fceb02d0ae598e95dc970b74767f19372d61af8 (HEAD -> main, origin/main)
Author: Key Author <key.author@example.test>
AuthorDate: Mon Nov 30 16:18:54 2026 +0000

    fix(auth): refresh the token before it expires

    The session key was reused. Authorization: see docs/auth.md for how it works.
    Closes #123, PROJ-4567. Co-authored-by: Someone <someone@example.test>

 src/auth/token.ts | 12 ++++++------
 src/secrets/key-store.ts => src/secrets/keys.ts | 0
`,
  'git diff': `diff --git a/src/auth.ts b/src/auth.ts
index 3f2a9c1..d0ae598 100644
--- a/src/auth.ts
+++ b/src/auth.ts
@@ -1,7 +1,7 @@ export class Auth {
-  const token = getToken();
+  const token = await this.tokens.next(session.key);
   if (token === undefined || token.secret !== secret) throw new AuthError('no token');
   headers: { authorization: \`Bearer \${token}\`, cookie: cookies.join('; ') },
   for (const [key, value] of Object.entries(map)) lookup[key] = value;
   type Props = { key: string; token?: string; password: string | undefined };
`,
  'npm output': `npm warn deprecated inflight@1.0.6: This module is not supported
added 651 packages, and audited 652 packages in 12s
npm error code E401
npm error Incorrect or missing password.
npm error A complete log of this run can be found in: /home/maria/.npm/_logs/2026-11-30T16_18_54_000Z-debug-0.log
> relayflows@0.0.0 test
> npm run build && vitest run --token-limit=5
`,
  'test output': ` RUN  v4.1.12 /home/user/project
 ✓ test/auth/token.test.ts (12 tests) 34ms
   × keeps the key: expected 'abc' to be 'def'
 Test Files  1 failed | 41 passed (42)   sk-SK locale   at_least_one_thing
`,
  'shell': `set -eu
export API_TOKEN="$(cat "$TOKEN_FILE")" DB_PASSWORD="\${DB_PASSWORD:?}" KEY=$1
curl -fsS -H "Authorization: Bearer $API_TOKEN" "https://\${USER}:\${PASS}@example.test/" | jq -r '.key'
git config --get user.signingkey; ssh -i ~/.ssh/id_ed25519 git@example.test
GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=protocol.allow GIT_CONFIG_VALUE_0=never git fetch
`,
  'workflow file': `jobs:
  test:
    env:
      TOKEN: \${{ secrets.GITHUB_TOKEN }}
      NODE_AUTH_TOKEN: \${{ secrets.NPM_TOKEN }}
    steps:
      - uses: actions/cache@1bd1e32a3bdc45362d1e726936510720a7c30a57
        with: { key: "npm-\${{ runner.os }}-\${{ hashFiles('package-lock.json') }}" }
`,
  'identifiers': `run 01hf2x9k3m7p2q4 step run-12 attempt-1 550e8400-e29b-41d4-a716-446655440000
sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855
sha512-z4PhNX7vuL3xVChQ1m2AB9Yg5AULVxXcg/SpIdNs6c5H0NE8XYXysP+DGNKHfuwvY7kxvUdBeoGlODJ6+SfaPg==
/srv/shop/.relayflowd/runs/01hf2x9k3m7p2q4/steps/run-12/attempt-1.stdout.log PROJ-123 KEY-1 TOKEN-22
`,
  'ticket as JSON': JSON.stringify({
    key: 'PROJ-123', issueKey: 'PROJ-124', project: { key: 'PROJ', name: 'Key management' }, author: 'someone', labels: ['auth', 'token'], sessionId: '550e8400-e29b-41d4-a716-446655440000',
    body: 'The password field forgets its key. See https://example.test:8443/browse/PROJ-123?focused=1#c-2 and ask @someone.', next: null, keys: ['a', 'b'], tokens: 1234567890, maxTokens: '4096',
  }, null, 2),
};

describe('ordinary text stays as it is', () => {
  it.each(Object.entries(SAMPLES))('%s', (_, sample) => {
    expect(redact(sample)).toBe(sample);
    expect(redact(JSON.stringify(sample))).toBe(JSON.stringify(sample));
  });

  it('the lock file and the manifests of this repository', () => {
    for (const path of ['package.json', 'package-lock.json', 'packages/sdk/package.json', 'packages/cli/package.json']) {
      const content = readFileSync(new URL(path, root), 'utf8');
      expect(redact(content) === content, path).toBe(true);
    }
  });

  it('the sources of the runtime, apart from the redactor itself', () => {
    const src = new URL('packages/sdk/src/', root);
    for (const path of readdirSync(src, { recursive: true, encoding: 'utf8' })) {
      if (!path.endsWith('.ts') || path.startsWith('redaction')) continue;
      const content = readFileSync(fileURLToPath(new URL(path, src)), 'utf8');
      expect(redact(content) === content, path).toBe(true);
    }
  });
});
