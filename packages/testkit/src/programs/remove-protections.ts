/**
 * Loaded into a real program before its own code (`node --import`), removes protections from it: this creates a run's
 * control without a switch in the product. `REMOVED_PROTECTIONS` is a JSON list of `RemovedProtection`.
 */
import { registerHooks } from "node:module";
import type { RemovedProtection } from "./removed-protection.ts";

const removed = JSON.parse(process.env["REMOVED_PROTECTIONS"] ?? "[]") as RemovedProtection[];

registerHooks({
  load: (url, context, next) => {
    const loaded = next(url, context);
    const mine = removed.filter(({ file }) => url.endsWith("/" + file));
    if (mine.length === 0) return loaded;
    const source = mine.reduce(take, Buffer.from(loaded.source as Uint8Array).toString());
    return { ...loaded, source };
  },
});

function take(source: string, { file, find, replace }: RemovedProtection): string {
  if (source.split(find).length !== 2) throw new Error(`${file} does not contain exactly once: ${find}`);
  return source.replace(find, () => replace);
}
