import { registerHooks } from "node:module";
import { pathToFileURL } from "node:url";
import JestRuntime from "jest-runtime";
import { useGlobals } from "./globals.js";

const GLOBALS = new URL("globals.js", import.meta.url).href;

registerHooks({
  resolve: (specifier, context, next) =>
    specifier === "@jest/globals" ? { url: GLOBALS, shortCircuit: true } : next(specifier, context),
});

/** How often this worker has run a test file: more than once where files are watched. */
const runs = new Map();

/**
 * The runtime of jest, but test files and what they import are modules of Node itself, as in production: a worker loads and
 * compiles the modules of the product once, and not once for each test file. That took a quarter of the processor that
 * `npm test` had. What jest's own modules would add (mocks of modules, a global object per file, coverage) no test uses.
 */
// biome-ignore lint/style/noDefaultExport: jest takes a runtime by its default export
export default class NativeRuntime extends JestRuntime {
  unstable_shouldLoadAsEsm() {
    return true;
  }

  async unstable_importModule(path) {
    useGlobals(this.jestGlobals.cjsGlobals(path));
    const before = runs.get(path) ?? 0;
    runs.set(path, before + 1);
    await import(pathToFileURL(path).href + (before === 0 ? "" : `?again=${before}`));
  }
}
