import type { Plugin } from "esbuild";

/**
 * Requires `node:http` instead of importing it. An import reads every export of it, and so makes Node load its own fetch
 * and WebSocket, which no program uses: 40 ms of the
 * start of the gateway.
 */
export function requireHttp(): Plugin {
  return {
    name: "require-http",
    setup: ({ onResolve, onLoad }) => {
      onResolve({ filter: /^(node:)?http$/ }, () => ({ path: "node:http", namespace: "require-http" }));
      onLoad({ filter: /^/, namespace: "require-http" }, () => ({
        contents: 'module.exports = process.getBuiltinModule("node:http");',
      }));
    },
  };
}
