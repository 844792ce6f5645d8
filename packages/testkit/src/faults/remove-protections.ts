import { registerHooks } from "node:module";
import type { RemovedProtection } from "../start-program.ts";

/**
 * Loaded into a real program before its own code (`node --import`), removes protections from it: this creates a run's
 * control without a switch in the product. `REMOVED_PROTECTIONS` is a JSON list of `RemovedProtection`.
 */

const removed = JSON.parse(process.env["REMOVED_PROTECTIONS"] ?? "[]") as RemovedProtection[];

registerHooks({
  load: (url, context, next) => {
    const loaded = next(url, context);
    if (!url.endsWith(".ts")) return loaded;
    return { ...loaded, source: removed.reduce(take, Buffer.from(loaded.source as Uint8Array).toString()) };
  },
});

function take(source: string, { marker, instead = "" }: RemovedProtection): string {
  const mark = `(?://|--) protects: ${marker}$`;
  return source.replace(new RegExp(`^ *${mark}\n.*|^.*${mark}`, "m"), () => instead);
}
