/** It must not replace itself while runs use it. The list of models is fetched beside the turn and holds nothing up, so it may be. */
export const ENVIRONMENT: Readonly<Record<string, string>> = { OPENCODE_DISABLE_AUTOUPDATE: '1' };
