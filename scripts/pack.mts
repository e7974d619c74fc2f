import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';

export interface Manifest {
  readonly name: string;
  readonly private?: boolean;
  readonly engines?: { readonly node?: string };
  readonly bin?: Readonly<Record<string, string>>;
  readonly exports?: Readonly<Record<string, unknown>>;
}

export interface PackedPackage {
  /** `packages/<name>`. */
  readonly folder: string;
  readonly manifest: Manifest;
  /** Absolute path. */
  readonly tarball: string;
  /** Paths inside the package. */
  readonly files: readonly string[];
}

interface PackReport {
  readonly filename: string;
  readonly files: readonly { readonly path: string }[];
}

/** Packs every published package of the checkout at `root` into `destination`, as `npm publish` would. */
export async function packPackages(root: string, destination: string): Promise<readonly PackedPackage[]> {
  const packed: PackedPackage[] = [];
  for (const name of (await readdir(join(root, 'packages'))).sort()) {
    const folder = join('packages', name);
    const manifest = JSON.parse(await readFile(join(root, folder, 'package.json'), 'utf8')) as Manifest;
    if (manifest.private === true) continue;
    const { stdout } = await execa('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', destination, `./${folder}`], { cwd: root });
    const [report] = JSON.parse(stdout) as readonly PackReport[];
    if (report === undefined) throw new Error(`npm pack said nothing about ${folder}.`);
    packed.push({ folder, manifest, tarball: join(destination, report.filename), files: report.files.map((file) => file.path) });
  }
  return packed;
}
