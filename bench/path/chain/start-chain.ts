import { fileURLToPath } from "node:url";
import { type Peer, startPeer } from "../../harness/start-peer.ts";

/** The programs of the chain, gateway, workspace and identity, each a process. */
export interface Chain {
  readonly gateway: Peer;
  readonly workspace: Peer;
  readonly identity: Peer;
  stop(): Promise<void>;
}

const fileOf = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/**
 * Starts the least that three programs can be: `node:http`, undici and `pg` by themselves, which check nothing but the
 * token and the permission, measure nothing, limit nothing, and share no look-ups. They serve GET one only.
 */
export async function startChain(databaseUrl: string): Promise<Chain> {
  await using resources = new AsyncDisposableStack();
  const start = async (path: string, env: Record<string, string>) => {
    const peer = await startPeer({ args: [fileOf(path)], env });
    resources.defer(() => peer.stop());
    return peer;
  };
  const database = { DATABASE_URL: databaseUrl };
  const identity = await start("identity-process.ts", database);
  const workspace = await start("workspace-process.ts", { ...database, IDENTITY_URL: identity.url });
  const gateway = await start("../../gateway/peers/undici-process.ts", { BACKEND: workspace.url });
  const kept = resources.move();
  return { gateway, workspace, identity, stop: () => kept.disposeAsync() };
}
