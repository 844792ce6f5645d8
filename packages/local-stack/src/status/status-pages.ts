import { readFileSync } from "node:fs";
import type { OperatorPage, OperatorPages, Readiness } from "@cloud/program";
import type { Telemetry } from "@cloud/telemetry";
import { readSample } from "./metric-sample.ts";
import { createStatusFeed } from "./status-feed.ts";
import type { ProgramSample } from "./take-snapshot.ts";

/** A program that the page shows. */
export interface ObservedProgram {
  readonly telemetry: Telemetry;
  readonly readiness: () => Promise<Readiness>;
}

/** Nothing from elsewhere, nothing inline. */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; " +
  "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const FILES = [
  ["/status", "status.html", "text/html"],
  ["/status/status.css", "status.css", "text/css"],
  ["/status/status.js", "status.js", "text/javascript"],
  ["/status/map.js", "map.js", "text/javascript"],
  ["/status/icon.svg", "icon.svg", "image/svg+xml"],
] as const;

/** Creates the status page of all programs, and the stream of what it shows: `/status`. */
export function createStatusPages(programs: ReadonlyMap<string, ObservedProgram>): OperatorPages {
  const sample = async () => {
    const read = [...programs].map(async ([name, program]) => [name, await sampleOf(program)] as const);
    return { at: performance.now(), programs: new Map(await Promise.all(read)) };
  };
  const log = programs.get("gateway")?.telemetry.log;
  const stream = createStatusFeed(sample, (err) => log?.warn({ err }, "the status could not be read"));
  const headers = {
    "content-security-policy": POLICY,
    "referrer-policy": "no-referrer",
    "cache-control": "no-store",
  };
  const fileOf = ([path, file, type]: (typeof FILES)[number]): [string, () => Promise<OperatorPage>] => [
    path,
    async () => ({
      status: 200,
      contentType: `${type}; charset=utf-8`,
      headers,
      body: readFileSync(new URL(`page/${file}`, import.meta.url), "utf8"),
    }),
  ];
  const events = async () => ({ status: 200, contentType: "text/event-stream", headers, body: "", stream });
  return new Map([...FILES.map(fileOf), ["/status/events", events]]);
}

async function sampleOf({ telemetry, readiness }: ObservedProgram): Promise<ProgramSample> {
  const [metrics, { ready }] = await Promise.all([readSample(telemetry.metrics), readiness()]);
  return { metrics, ready, conditions: telemetry.conditions.list().map(({ name, message }) => `${name}: ${message}`) };
}
