import { readFileSync } from "node:fs";
import { parse } from "yaml";
import { changed, entriesOf, isObject, type Json } from "./json.ts";
import { root } from "./programs.ts";

const FOLDER = `${root}deploy/overlays/production/nats`;

/** Returns the values that NATS' chart is given: the two files, the second over the first, as Helm merges them. */
export function natsValues(): Json {
  const [values = null, accounts = null] = ["values.yaml", "accounts.yaml"].map(
    (file) => parse(readFileSync(`${FOLDER}/${file}`, "utf8")) as Json,
  );
  return merged(values, accounts);
}

function merged(below: Json, above: Json): Json {
  if (!isObject(below) || !isObject(above)) return above;
  return entriesOf(above).reduce(
    (result, [key, value]) => changed(result, [key], key in below ? merged(below[key] ?? null, value) : value),
    below as Json,
  );
}

/** Writes a part of the values as the chart writes it to nats.conf: `<< … >>` without quotes, all else as JSON. */
export function natsConfiguration(part: Json | undefined): string {
  return JSON.stringify(part, null, 2).replace(/"<< (.*?) >>"/g, "$1");
}
