import { deleteParked, reverifyUnknown } from "@cloud/events";
import { connectNats, natsAccess, natsSettings } from "@cloud/events/nats";
import { RecordKind, RecordStateService } from "@cloud/proto/cloud/api/v1/record_state_service_pb";
import { readConfig } from "@cloud/runtime/settings";
import { createClient } from "@connectrpc/connect";
import { findDifferences, type ReconcileResult, reconcile } from "../references/reconcile.ts";
import { selectOrInsertPeerInstallation, upsertPeerInstallation } from "../references/references-sql.ts";
import { graceSettings, waitConnected } from "../references/start-reconciler.ts";
import type { Place } from "./place.ts";
import { type CommandOptions, Usage } from "./read-command.ts";

/**
 * Compares all references with their owners once, and repairs them, as the service does, or lists the differences.
 * Returns the exit code.
 */
export async function reconcileNow(place: Place, { dryRun }: CommandOptions): Promise<number> {
  const { parts, components, telemetry, print, env } = place;
  if (dryRun) return await showDifferences(place);
  const { RECONCILER_GRACE_MS: graceMs, ...settings } = readConfig({ ...natsSettings(), ...graceSettings() }, env);
  // While NATS is away, an event in transit looks like a missing one.
  const transport = connectNats({ ...natsAccess(settings), clientName: parts.schema.name, telemetry });
  const grace = async () => {
    print(`differences were found: they are looked at again in ${graceMs / 1_000} s, since events may be in transit`);
    await waitConnected(transport, graceMs, AbortSignal.timeout(graceMs + CONNECT_MS)).catch((error: unknown) => {
      throw new Error("NATS was not connected all the time: nothing more was changed", { cause: error });
    });
  };
  try {
    for (const kind of components.references) {
      let [ended, cleared] = [0, 0];
      let pass: ReconcileResult;
      do {
        pass = await reconcile(kind, { grace });
        ended += pass.ended;
        cleared += pass.cleared;
      } while (pass.ended + pass.cleared > 0);
      print(
        `${kind.name}: ${ended} references to deleted records ended, ${cleared} tombstones of live records cleared, ${pass.unknown.length} unknown`,
      );
    }
    return 0;
  } finally {
    await transport.close();
  }
}

/** Milliseconds that NATS may take to connect, besides the grace period. */
const CONNECT_MS = 10_000;

/** Prints the differences that a reconciliation may repair, and changes nothing. Returns the exit code. */
async function showDifferences({ components: { references }, print }: Place): Promise<number> {
  let count = 0;
  for (const kind of references) {
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

/**
 * Lists the references to records that their owners do not have, or deletes them as if the records had been deleted.
 * This is permanent: links are unlinked, and organizations are deleted with all their records. Returns the exit code.
 */
export async function unlinkUnknown(place: Place, { count }: CommandOptions): Promise<number> {
  const { print } = place;
  const found = await findUnknown(place);
  for (const { kind, id } of found) print(`${kind} ${id}`);
  if (found.length === 0) {
    print("nothing here refers to a record that its owner does not know");
    return 0;
  }
  if (count === undefined) {
    print(`${found.length} would be ended, for good: end-unknown --count ${found.length}`);
    return 0;
  }
  if (count !== found.length) {
    print(`nothing was ended: ${found.length} are unknown now, not ${count}; look at them with end-unknown --dry-run`);
    return 1;
  }
  for (const reference of found) await end(place, reference);
  print(`${found.length} ended`);
  return 0;
}

async function end({ db, components: { references } }: Place, { kind, id }: UnknownReference): Promise<void> {
  if (kind === PARKED) await deleteParked(db, [id]);
  else await references.find(({ name }) => name === kind)?.unlink(id);
}

/** Checks all references with their owners. @throws InstallationChanged, ConnectError */
async function findUnknown({ db, components: { references, effects } }: Place): Promise<UnknownReference[]> {
  const found: UnknownReference[] = [];
  for (const kind of references) {
    const { unknown } = await findDifferences(kind);
    found.push(...unknown.map((id) => ({ kind: kind.name, id })));
  }
  const { unknown } = await reverifyUnknown(db, effects);
  return [...found, ...unknown.map((id) => ({ kind: PARKED, id }))];
}

/** A reference to a record that its owner does not have. */
interface UnknownReference {
  /** The name of a ReferenceSet, or `parked-deletion`. */
  readonly kind: string;
  /** The id of the record, or of the parked message. */
  readonly id: string;
}

const PARKED = "parked-deletion";

/** Accepts the database that a peer currently uses, so that its replies count, or shows it. Returns the exit code. */
export async function acceptInstallation(place: Place, { peer = "", dryRun }: CommandOptions): Promise<number> {
  const { parts, components, db, print } = place;
  const transport = parts.peers[peer];
  if (transport === undefined) throw new Usage(`--peer takes one of ${Object.keys(parts.peers).join(", ")}`);
  const kind = components.references.find(({ owner }) => owner.name === peer)?.record ?? RecordKind.UNSPECIFIED;
  const { installationId: now } = await createClient(RecordStateService, transport).batchGetRecordStates({ kind });
  const before = await selectOrInsertPeerInstallation(db, peer, now);
  print(`${peer} answers from installation ${now}; accepted so far: ${before}`);
  if (now === before) print("nothing to do");
  else if (dryRun) print("it would be accepted: accept-installation without --dry-run");
  else {
    await upsertPeerInstallation(db, peer, now);
    print("accepted");
  }
  return 0;
}
