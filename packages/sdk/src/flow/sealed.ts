/**
 * A flow with everything its body needs, as data: the bundled source of the root and of each child, and the packages they import.
 * The digest covers the bundles with bare imports still bare, so that the same source has the same digest on every machine.
 */
export interface SealedFlow {
  readonly kind: 'sealed';
  /** sha256, hexadecimal, over every module's path, code and `use`. */
  readonly digest: string;
  /** Absolute path of the file it was sealed from, symbolic links followed. */
  readonly path: string;
  readonly root: SealedModule;
  /** Every file that is a child somewhere in the tree, each one once, depth first. */
  readonly children: readonly SealedModule[];
}

export interface SealedModule {
  /** Path relative to the root flow's folder, with forward slashes. */
  readonly path: string;
  /** An ES module. Bare imports are bare; relative ones are inlined. */
  readonly code: string;
  /** Source map of `code`, as JSON; its sources are relative to the folder of this module. Not covered by the digest. */
  readonly map: string;
  /** The packages it imports, with what they resolved to when sealed. Not covered by the digest. */
  readonly dependencies: readonly SealedDependency[];
  /** The children it declares, in the order of `use`. */
  readonly use: readonly SealedUse[];
}

export interface SealedUse {
  /** The entry of `use`, as written. */
  readonly specifier: string;
  /** The `path` of the child's module. */
  readonly path: string;
}

export interface SealedDependency {
  /** As written: `@relayflows/surface`, `zod/v4`, `node:fs`. */
  readonly specifier: string;
  /** Name and version of the package; absent for Node's own modules. */
  readonly name?: string;
  readonly version?: string;
  /** Absolute file URL, or the `node:` name. */
  readonly url: string;
}
