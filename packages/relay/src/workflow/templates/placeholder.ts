/** A name in a template. No blanks are trimmed: `{{ ticket }}` is a name that does not exist. */
export const PLACEHOLDER = /\{\{([^{}]*)\}\}/g;
