import type { Database } from "@cloud/postgres";
import { RecordKind, RecordStateService } from "@cloud/proto/cloud/api/v1/record_state_service_pb";
import type { ServiceTransport } from "@cloud/rpc";
import { createClient } from "@connectrpc/connect";
import { selectOrInsertPeerInstallation, upsertPeerInstallation } from "../installation/installation-sql.ts";
import type { ReferenceKind } from "../reconciler/reconcile.ts";

export interface AcceptInstallationOptions {
  readonly db: Database;
  readonly peer: string;
  readonly transport: ServiceTransport;
  readonly kinds: readonly ReferenceKind[];
  readonly dryRun: boolean;
  readonly print: (line: string) => void;
}

/**
 * Accepts the database that a peer currently uses, so that its replies count. Returns the exit code.
 */
export async function acceptInstallation(options: AcceptInstallationOptions): Promise<number> {
  const { db, peer, transport, kinds, dryRun, print } = options;
  const kind = kinds.find(({ owner }) => owner.name === peer)?.record ?? RecordKind.UNSPECIFIED;
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
