/** A package.json of this repository, as far as packing reads it. */
export interface SourceManifest {
  readonly exports: Readonly<Record<string, string>>;
  readonly [key: string]: unknown;
}

/** Where the compiler reads and writes, relative to the package. */
export interface Folders {
  readonly rootDir: string;
  readonly outDir: string;
}

/** Returns the manifest of the tarball: with compiled files, without scripts and what only the sources need. */
export function publishedManifest(source: SourceManifest, folders: Folders) {
  const { private: _private, scripts: _scripts, devDependencies: _dev, exports, ...kept } = source;
  return { ...kept, exports: compiledExports(exports, folders) };
}

/** Leaves out what is not compiled, such as what only tests of this repository import. */
function compiledExports(sources: Readonly<Record<string, string>>, { rootDir, outDir }: Folders) {
  const published = Object.entries(sources).filter(([, file]) => file.startsWith(`./${rootDir}/`));
  return Object.fromEntries(
    published.map(([name, file]) => {
      const compiled = `./${outDir}/${file.slice(`./${rootDir}/`.length).replace(/\.ts$/, "")}`;
      return [name, { types: `${compiled}.d.ts`, default: `${compiled}.js` }];
    }),
  );
}
