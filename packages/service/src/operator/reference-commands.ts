import { deleteParked, reverifyUnknown } from "@cloud/events";
import { connectNats, natsAccess, natsSettings } from "@cloud/events/nats";
import { RecordKind, RecordStateService } from "@cloud/proto/cloud/api/v1/record_state_service_pb";
import { readConfig } from "@cloud/runtime/settings";
import { createClient } from "@connectrpc/connect";
import {
  findDifferences,
  type Page,
  type ReconcileResult,
  type ReferenceSet,
  reconcile,
} from "../references/reconcile.ts";
import {
  selectOrInsertPeerInstallation,
  selectPeerInstallation,
  upsertPeerInstallation,
} from "../references/references-sql.ts";
import { graceSettings, waitConnected } from "../references/start-reconciler.ts";
import type { Outcome, Place } from "./place.ts";
import { type CommandOptions, Usage } from "./read-command.ts";

/** Compares all references with their owners once, and repairs them, as the service does, or lists the differences. */
export async function reconcileNow(place: Place, { dryRun }: CommandOptions): Promise<Outcome> {
  const { parts, components, telemetry, print, step, env } = place;
  if (dryRun) return await showDifferences(place);
  const { RECONCILER_GRACE_MS: graceMs, ...settings } = readConfig({ ...natsSettings(), ...graceSettings() }, env);
  // While NATS is away, an event in transit looks like a missing one.
  const transport = connectNats({ ...natsAccess(settings), clientName: parts.schema.name, telemetry });
  const grace = async () => {
    step(`differences were found: they are looked at again after ${graceMs / 1_000} s, since events may be in transit`);
    await waitConnected(transport, graceMs, AbortSignal.timeout(graceMs + CONNECT_MS)).catch((error: unknown) => {
      throw new Error("NATS was not connected all the time: nothing more was changed", { cause: error });
    });
  };
  const references: object[] = [];
  try {
    for (const kind of components.references) {
      let [ended, cleared] = [0, 0];
      let pass: ReconcileResult;
      do {
        pass = await reconcile(withSteps(kind, step), { grace });
        ended += pass.ended;
        cleared += pass.cleared;
        step(`${kind.name}: ${ended} ended, ${cleared} cleared`);
      } while (pass.ended + pass.cleared > 0);
      const unknown = pass.unknown.length;
      print(
        `${kind.name}: ${ended} references to deleted records ended, ${cleared} tombstones of live records cleared, ${unknown} unknown`,
      );
      references.push({ kind: kind.name, ended, cleared, unknown });
    }
    return { code: 0, report: { references } };
  } finally {
    await transport.close();
  }
}

/** Milliseconds that NATS may take to connect, besides the grace period. */
const CONNECT_MS = 10_000;

/** Returns the references, with a step for each page of them that is compared. */
function withSteps(kind: ReferenceSet, step: Place["step"]): ReferenceSet {
  let compared = 0;
  const counted =
    <Row>(page: Page<Row>): Page<Row> =>
    async (after, limit) => {
      const rows = await page(after, limit);
      compared += rows.length;
      step(`${kind.name}: ${compared} compared`);
      return rows;
    };
  return { ...kind, inUse: counted(kind.inUse), tombstones: counted(kind.tombstones) };
}

/** Prints the differences that a reconciliation may repair, and changes nothing. */
async function showDifferences({ components: { references }, print, step }: Place): Promise<Outcome> {
  let count = 0;
  const differences: object[] = [];
  for (const kind of references) {
    const { deleted, live, unknown } = await findDifferences(withSteps(kind, step));
    const report = (difference: string) => (id: string) => ({ kind: kind.name, id, difference });
    differences.push(...deleted.map(report("deleted")), ...live.map(({ id }) => report("live")(id)));
    differences.push(...unknown.map(report("unknown")));
    for (const id of deleted) print(`${kind.name} ${id}: is deleted, and in use here`);
    for (const { id } of live) print(`${kind.name} ${id}: is live, and deleted here`);
    for (const id of unknown) print(`${kind.name} ${id}: is unknown to its owner (end-unknown)`);
    count += deleted.length + live.length;
  }
  print(
    count === 0 ? "nothing would be repaired" : `${count} would be repaired if they stay: reconcile without --dry-run`,
  );
  return { code: 0, report: { differences } };
}

/**
 * Lists the references to records that their owners do not have, or deletes them as if the records had been deleted.
 * This is permanent: links are unlinked, and organizations are deleted with all their records.
 */
export async function unlinkUnknown(place: Place, { count, dryRun }: CommandOptions): Promise<Outcome> {
  const { print, step } = place;
  const unknown = await findUnknown(place, dryRun);
  for (const { kind, id } of unknown) print(`${kind} ${id}`);
  const isNone = unknown.length === 0;
  const ends = !isNone && count === unknown.length;
  for (const [index, reference] of ends ? unknown.entries() : []) {
    await end(place, reference);
    step(`${index + 1} of ${unknown.length} ended`);
  }
  if (isNone) print("nothing here refers to a record that its owner does not know");
  else if (dryRun) print(`${unknown.length} would be ended, for good: end-unknown --count ${unknown.length}`);
  else if (ends) print(`${unknown.length} ended`);
  else
    print(
      `nothing was ended: ${unknown.length} are unknown now, not ${count}; look at them with end-unknown --dry-run`,
    );
  return { code: isNone || dryRun || ends ? 0 : 1, report: { unknown, ended: ends ? unknown.length : 0 } };
}

async function end({ db, components: { references } }: Place, { kind, id }: UnknownReference): Promise<void> {
  if (kind === PARKED) await deleteParked(db, [id]);
  else await references.find(({ name }) => name === kind)?.unlink(id);
}

/** Checks all references with their owners. @throws InstallationChanged, ConnectError */
async function findUnknown(
  { db, components: { references, effects }, step }: Place,
  dryRun: boolean,
): Promise<UnknownReference[]> {
  const found: UnknownReference[] = [];
  for (const kind of references) {
    const { unknown } = await findDifferences(withSteps(kind, step));
    found.push(...unknown.map((id) => ({ kind: kind.name, id })));
  }
  const { unknown } = await reverifyUnknown(db, effects, { dryRun });
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

/** Accepts the database that a peer currently uses, so that its replies count, or shows it. */
export async function acceptInstallation(place: Place, { peer = "", dryRun }: CommandOptions): Promise<Outcome> {
  const { parts, components, db, print } = place;
  const transport = parts.peers[peer];
  if (transport === undefined) throw new Usage(`--peer takes one of ${Object.keys(parts.peers).join(", ")}`);
  const kind = components.references.find(({ owner }) => owner.name === peer)?.record ?? RecordKind.UNSPECIFIED;
  const { installationId: now } = await createClient(RecordStateService, transport).batchGetRecordStates({ kind });
  const before = await (dryRun ? selectPeerInstallation(db, peer) : selectOrInsertPeerInstallation(db, peer, now));
  print(`${peer} answers from installation ${now}; accepted so far: ${before ?? "none"}`);
  if (now === before) print("nothing to do");
  else if (dryRun) print("it would be accepted: accept-installation without --dry-run");
  else {
    await upsertPeerInstallation(db, peer, now);
    print("accepted");
  }
  return { code: 0, report: { peer, installation: now, acceptedBefore: before ?? null } };
}
