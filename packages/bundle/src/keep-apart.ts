import { basename } from "node:path";
import type { Plugin } from "esbuild";

/**
 * Leaves what a program imports only where a setting asks for it out of its bundle, in a file beside it: the SDK of
 * OpenTelemetry is a tenth of a program, which would read it at each start. `sources` are the entry points of
 * those files.
 */
export function keepApart(sources: readonly string[]): Plugin {
  return {
    name: "keep-apart",
    setup: ({ onResolve }) =>
      onResolve({ filter: /\.ts$/ }, ({ kind, path }) => {
        const isApart = kind === "dynamic-import" && sources.some((source) => basename(source) === basename(path));
        return isApart ? { path: `./${basename(path, ".ts")}.mjs`, external: true } : undefined;
      }),
  };
}
