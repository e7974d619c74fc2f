/**
 * A flow with everything its body needs, as data: the bundled source of the root and of each child, and the packages it imports.
 * The digest covers the bundles with bare imports still bare, so that the same source has the same digest on every machine.
 */
export interface SealedFlow {
  readonly kind: 'sealed';
  /** sha256, hexadecimal. */
  readonly digest: string;
  /** Absolute path of the file it was sealed from. */
  readonly path: string;
  readonly root: SealedModule;
  /** Children by the key `<importer>#<specifier>` as in `use`, each one once, depth first. */
  readonly children: readonly SealedChild[];
}

export interface SealedModule {
  /** Path relative to the root flow's folder, with forward slashes. */
  readonly path: string;
  /** An ES module. Bare imports are bare; relative ones are inlined. */
  readonly code: string;
  /** The packages it imports, with what they resolved to when sealed. */
  readonly dependencies: readonly SealedDependency[];
}

export interface SealedChild extends SealedModule {
  /** The `path` of the module whose `use` names it. */
  readonly parent: string;
  /** The entry of `use`. */
  readonly specifier: string;
}

export interface SealedDependency {
  /** As written: `@relayflows/surface`, `zod/v4`, `node:fs`. */
  readonly specifier: string;
  /** Name and version of the package; absent for Node's own modules. */
  readonly name?: string;
  readonly version?: string;
  /** Absolute file URL, or the `node:` name. Not covered by the digest. */
  readonly url: string;
}
