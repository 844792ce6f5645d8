import { deepStrictEqual } from "node:assert";
import type { Tenant } from "./tenants.ts";

/** Refuses to measure contestants that do not serve the same: compares the bodies of the three reads. */
export async function assertSame(ours: string, theirs: string, tenant: Tenant): Promise<void> {
  const [workspace] = tenant.workspaces;
  const reads = [
    `/api/workspaces/${workspace}`,
    `/api/workspaces?orgId=${tenant.organization}`,
    `/api/workspaces/${workspace}/environments`,
  ];
  for (const path of reads) {
    deepStrictEqual(await read(theirs + path, tenant), await read(ours + path, tenant), path);
  }
}

async function read(url: string, { tokens }: Tenant): Promise<unknown> {
  const response = await fetch(url, { headers: { authorization: `Bearer ${tokens[0]}` } });
  // A whole second is written with three zeros by JavaScript and without by Protobuf's JSON.
  return JSON.parse((await response.text()).replaceAll(".000Z", "Z"));
}
