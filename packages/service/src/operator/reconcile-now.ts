import type { EventTransport } from "@cloud/messaging";
import { sweepLocalLinks } from "../reconciler/local-links.ts";
import type { ReferenceKind } from "../reconciler/reconcile.ts";
import { findDifferences, reconcile } from "../reconciler/reconcile.ts";
import { waitConnected } from "../reconciler/start-reconciler.ts";
import type { Wiring } from "../service-parts.ts";

/** What NATS may take to connect, besides the grace. */
const CONNECT_MS = 10_000;

export interface ReconcileCommand {
  readonly wiring: Pick<Wiring, "kinds" | "localLinks">;
  readonly transport: Pick<EventTransport, "isConnected" | "onStatusChange">;
  /** Milliseconds that an event may be in transit. */
  readonly graceMs: number;
  readonly print: (line: string) => void;
}

/** Compares all references with their owners once, and repairs them, as the service does. Returns the exit code. */
export async function reconcileNow({ wiring, transport, graceMs, print }: ReconcileCommand): Promise<number> {
  const grace = async () => {
    print(`differences were found: they are looked at again in ${graceMs / 1_000} s, since events may be in transit`);
    await waitConnected(transport, graceMs, AbortSignal.timeout(graceMs + CONNECT_MS)).catch((error: unknown) => {
      throw new Error("NATS was not connected all the time: nothing more was changed", { cause: error });
    });
  };
  for (const kind of wiring.kinds) {
    let [ended, cleared] = [0, 0];
    for (let pass = await reconcile(kind, { grace }); ; pass = await reconcile(kind, { grace })) {
      ended += pass.ended;
      cleared += pass.cleared;
      if (!pass.isComplete && pass.ended + pass.cleared > 0) continue;
      print(
        `${kind.name}: ${ended} references to deleted records ended, ${cleared} tombstones of live records cleared, ${pass.unknown.length} unknown`,
      );
      break;
    }
  }
  for (const links of wiring.localLinks) {
    let ended = 0;
    let cursor = "";
    do {
      const sweep = await sweepLocalLinks(links, cursor);
      ended += sweep.ended;
      cursor = sweep.cursor;
    } while (cursor !== "");
    print(`${links.name}: ${ended} ended`);
  }
  return 0;
}

/** Prints what a reconciliation may repair, and changes nothing. Returns the exit code. */
export async function showDifferences(kinds: readonly ReferenceKind[], print: (line: string) => void): Promise<number> {
  let count = 0;
  for (const kind of kinds) {
    const { deleted, live, unknown } = await findDifferences(kind);
    for (const id of deleted) print(`${kind.name} ${id}: is deleted, and in use here`);
    for (const { id } of live) print(`${kind.name} ${id}: is live, and deleted here`);
    for (const id of unknown) print(`${kind.name} ${id}: is unknown to its owner (end-unknown)`);
    count += deleted.length + live.length;
  }
  print(
    count === 0 ? "nothing would be repaired" : `${count} would be repaired if they stay: reconcile without --dry-run`,
  );
  return 0;
}
