import { problemsOf, repositoryFiles, type Gate } from './gate.mjs';

/** Published flows never change, so they are held to `strict` alone and not to what is asked of sources. */
async function publishedProblems(root: string): Promise<readonly string[]> {
  const flows = await repositoryFiles(root, 'published/*.flow.ts');
  return flows.length === 0 ? [] : problemsOf(root, 'tsc', ['-p', 'published', '--pretty', 'false']);
}

export const types: Gate = {
  name: 'types',
  proves: 'packages, tests, examples, benchmarks, scripts and published flows type-check',
  afterBuild: true,
  problems: async (root) => [...(await problemsOf(root, 'tsc', ['-p', 'tsconfig.tests.json', '--pretty', 'false'])), ...(await publishedProblems(root))],
};
