/** Files of a folder of published versions. Its version N is `v<N>.flow.ts`. */
export const MANIFEST = 'manifest.json';
/** What the version that is being built is like so far. */
export const NEXT = 'next.flow.ts';
/** What a file is called until it is whole: only then it is renamed. No other files end with this. */
export const STAGED = '.staged';
/** Says that somebody is publishing. */
export const CLAIM = '.claim';

const VERSION = /^v([1-9]\d*)\.flow\.ts$/;

export function versionFile(version: number): string {
  return `v${version}.flow.ts`;
}

/** The number of a version's file, or `undefined` for another file. */
export function versionOf(name: string): number | undefined {
  const digits = VERSION.exec(name)?.[1];
  return digits === undefined ? undefined : Number(digits);
}
