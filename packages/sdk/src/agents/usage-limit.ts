/** How providers say that an account may not be used further for now. */
const USAGE_LIMIT = /usage limit|hit your limit|(?:5-hour|weekly|session) limit reached|rate_limit_error|API Error: 429|credit balance is too low/i;

/** The line in which a text says so, trimmed; `undefined` when it does not. */
export function usageLimitLine(text: string): string | undefined {
  return text.split('\n').find((line) => USAGE_LIMIT.test(line))?.trim();
}
