import { readFile } from "node:fs/promises";
import { dirname, relative } from "node:path";
import type { Plugin } from "esbuild";

/**
 * Lets sources find files beside them, such as migrations, as though they still were where they are below `root`, seen
 * from the folder of the bundle: `import.meta` is the bundle's own there.
 */
export function keepPlaces(root: string): Plugin {
  return {
    name: "keep-places",
    setup: ({ onLoad }) =>
      onLoad({ filter: /\.ts$/ }, async ({ path }) => {
        const place = relative(root, path);
        const contents = (await readFile(path, "utf8"))
          .replaceAll("import.meta.dirname", `(import.meta.dirname + ${JSON.stringify(`/${dirname(place)}`)})`)
          .replaceAll("import.meta.url", `new URL(${JSON.stringify(place)}, import.meta.url).href`);
        return { contents, loader: "ts" };
      }),
  };
}
