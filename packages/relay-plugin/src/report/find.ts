import { labelLine } from './labels.js';
import { reportLines, withoutFence } from './lines.js';

/**
 * The report in what a program wrote: from the last line that begins with the label `STATUS` to the end, without a code fence that encloses just that.
 * Undefined where no line begins so. Whether it is a valid report is for `parseReport` to say.
 */
export function findReport(output: string): string | undefined {
  const lines = reportLines(output);
  const start = lines.findLastIndex((line) => labelLine(line)?.label === 'STATUS');
  if (start < 0) return undefined;
  const fence = lines.findLastIndex((line, index) => index < start && line.trim() !== '');
  return ((fence < 0 ? undefined : withoutFence(lines.slice(fence))) ?? lines.slice(start)).join('\n');
}
