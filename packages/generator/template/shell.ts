/** The text of a shell part; the generator puts it in place of the call. */
declare function part(name: string): string;
/** The functions that the parts of this flow share. */
declare function library(): string;

export const SHELL_LIBRARY = library();
export const START = part('start');
export const EXCLUDE_WORKING_FILES = part('exclude');
export const CHECK_RESOLVE = part('check-resolve');
export const CHECK_REMEMBER = part('check-remember');
export const CHECK_RUN = part('check-run');
export const BASE_CHECK = part('base-check');
export const CHANGE_CHECK = part('change-check');
export const NEEDS_INPUT = part('needs-input');
export const DROP_WORKING_FILES = part('drop');
export const PUBLISH_CHECK = part('publish-check');
export const CHECK_REPORT = part('check-report');
export const CHANGE_METADATA = part('change-metadata');
export const PUSH = part('push');
export const OPEN_CHANGE = part('open-change');
export const REVIEW_BLOCKED = part('review-blocked');
export const FINISH = part('finish');
