import { cleanLine } from './clean.js';

/** What a person calls a step, on one line: `reviewer: Review the change`. */
export function stepTitle({ label, title }: { readonly label?: string | undefined; readonly title: string }): string {
  return cleanLine(label === undefined || title.startsWith(label) ? title : `${label}: ${title}`);
}
