/** Adds up the results in a folder (`<stage>.json`, of vitest or of our own scripts) and prints them as the last line: `N passed, N failed, N skipped`. */
import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';

interface Counts {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

interface VitestReport {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly numPendingTests: number;
  readonly numTodoTests: number;
  readonly testResults: readonly { readonly status: string; readonly assertionResults: readonly unknown[] }[];
}

function countsOf(report: Counts | VitestReport): Counts {
  if (!('numPassedTests' in report)) return report;
  // A file that cannot be loaded has no tests; it counts as one that failed.
  const unloadable = report.testResults.filter((file) => file.status === 'failed' && file.assertionResults.length === 0).length;
  return { passed: report.numPassedTests, failed: report.numFailedTests + unloadable, skipped: report.numPendingTests + report.numTodoTests };
}

const folder = process.argv[2];
if (folder === undefined) {
  process.stderr.write('Usage: tsx scripts/tally.mts <folder>\n');
  process.exit(2);
}
const total = { passed: 0, failed: 0, skipped: 0 };
for (const file of (await readdir(folder)).sort()) {
  const { passed, failed, skipped } = countsOf(JSON.parse(await readFile(join(folder, file), 'utf8')) as Counts | VitestReport);
  process.stdout.write(`${file.replace(/\.json$/, '')}: ${passed} passed, ${failed} failed, ${skipped} skipped\n`);
  total.passed += passed;
  total.failed += failed;
  total.skipped += skipped;
}
process.stdout.write(`\n${total.passed} passed, ${total.failed} failed, ${total.skipped} skipped\n`);
process.exitCode = total.failed === 0 && total.passed > 0 ? 0 : 1;
