import { existsSync } from "node:fs";
import { open, readFile, rename, writeFile } from "node:fs/promises";
import { dirname } from "node:path";

import type { Operators } from "./stack-addresses.ts";

export interface DemoUser {
  id: string;
  /** A security token of the user. */
  token: string;
}

/** The contents of `demo.json`: the addresses, and the records that the demo starts with. */
export interface Demo {
  gateway: string;
  services: { workspace: string; environment: string; identity: string };
  /** Where each program's /readyz and /metrics are. */
  operators: Operators;
  /** The operator's credential: accepted by the services for every RPC, and never by the gateway. */
  serviceToken: string;
  /** Two. */
  organizations: { id: string; name: string }[];
  /** The first five hold the one role of that name in the first organization; the outsider is in the second only. */
  users: Record<DemoUserName, DemoUser>;
  teams: { first: string[]; second: string[] };
  designs: string[];
  views: string[];
  connections: string[];
  environments: { ordinary: string; platformProvisioned: string };
}

export type DemoUserName = "user" | "teamAdmin" | "workspaceAdmin" | "orgAdmin" | "providerAdmin" | "outsider";

/** Returns undefined if there is none, or none that can be read. */
export async function readDemo(file: string): Promise<Demo | undefined> {
  if (!existsSync(file)) return undefined;
  try {
    return JSON.parse(await readFile(file, "utf8")) as Demo;
  } catch {
    return undefined;
  }
}

/** Writes it readable by its owner only, because of its tokens, and atomically even on a power failure. */
export async function writeDemo(file: string, demo: Demo): Promise<void> {
  const unfinished = `${file}.unfinished`;
  await writeFile(unfinished, `${JSON.stringify(demo, null, 2)}\n`, { mode: 0o600, flush: true });
  await rename(unfinished, file); // protects: whole-demo-file
  await using folder = await open(dirname(file));
  await folder.sync();
}
