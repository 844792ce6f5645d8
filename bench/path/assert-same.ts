import { deepStrictEqual } from "node:assert";
import type { Records } from "./seed.ts";

/** Refuses to measure contestants that do not serve the same: compares the bodies of the three reads. */
export async function assertSame(ours: string, theirs: string, records: Records): Promise<void> {
  const [workspace] = records.workspaces;
  const reads = [
    `/api/workspaces/${workspace}`,
    `/api/workspaces?orgId=${records.organization}`,
    `/api/workspaces/${workspace}/environments`,
  ];
  for (const path of reads) {
    deepStrictEqual(await read(theirs + path, records), await read(ours + path, records), path);
  }
}

async function read(url: string, { tokens }: Records): Promise<unknown> {
  const response = await fetch(url, { headers: { authorization: `Bearer ${tokens[0]}` } });
  // A whole second is written with three zeros by JavaScript and without by Protobuf's JSON.
  return JSON.parse((await response.text()).replaceAll(".000Z", "Z"));
}
