import { existsSync } from "node:fs";
import { readFile, rename, writeFile } from "node:fs/promises";

export interface DemoUser {
  id: string;
  /** A security token of the user. */
  token: string;
}

/** What `demo.json` says: the addresses, and the records that the demo starts with. */
export interface Demo {
  gateway: string;
  services: { workspace: string; environment: string; identity: string };
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

/** Undefined when there is none, or none that can be read. */
export async function readDemo(file: string): Promise<Demo | undefined> {
  if (!existsSync(file)) return undefined;
  try {
    return JSON.parse(await readFile(file, "utf8")) as Demo;
  } catch {
    return undefined;
  }
}

/** Readable by its owner only, for the tokens in it; never half written. */
export async function writeDemo(file: string, demo: Demo): Promise<void> {
  const unfinished = `${file}.unfinished`;
  await writeFile(unfinished, `${JSON.stringify(demo, null, 2)}\n`, { mode: 0o600 });
  await rename(unfinished, file);
}
