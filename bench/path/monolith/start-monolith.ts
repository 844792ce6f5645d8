import { fileURLToPath } from "node:url";
import { installPackages } from "@cloud/testkit/packages";
import { type Peer, startPeer } from "../../harness/start-peer.ts";

const MONOLITH = fileURLToPath(new URL("monolith-process.ts", import.meta.url));

/** Starts the monolith on a database, after it has installed Fastify if necessary. */
export async function startMonolith(databaseUrl: string): Promise<Peer> {
  const installed = await installPackages(new URL("packages/", import.meta.url));
  return await startPeer({ args: [MONOLITH, installed], env: { DATABASE_URL: databaseUrl } });
}
