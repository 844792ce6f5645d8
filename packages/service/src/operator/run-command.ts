import { readConfig } from "@cloud/config";
import { connectNats, natsAccess, natsSettings } from "@cloud/messaging";
import type { Database } from "@cloud/postgres";
import type { ServiceTransport } from "@cloud/rpc";
import type { Telemetry } from "@cloud/telemetry";
import { noCommitSignals } from "../commit-signals.ts";
import { ownersOf } from "../owners/owner.ts";
import { graceSettings } from "../reconciler/start-reconciler.ts";
import type { Purge } from "../retention.ts";
import type { ServiceParts } from "../service-parts.ts";
import { acceptInstallation } from "./accept-installation.ts";
import { checkCounts } from "./check-counts.ts";
import { endUnknown } from "./end-unknown.ts";
import { purge } from "./purge.ts";
import { type Command, Usage } from "./read-command.ts";
import { type ReconcileCommand, reconcileNow, showDifferences } from "./reconcile-now.ts";
import { replay } from "./replay.ts";
import { rewind } from "./rewind.ts";

/** What the commands act on. */
export interface Place<Peer extends string> {
  readonly parts: ServiceParts<Peer>;
  readonly db: Database;
  readonly purges: readonly Purge[];
  readonly telemetry: Telemetry;
  readonly print: (line: string) => void;
  readonly env: NodeJS.ProcessEnv;
}

/** Runs a command and returns its exit code. @throws Usage, ConfigError, and what the servers reply */
export async function runCommand<Peer extends string>(
  command: Exclude<Command, "help" | { readonly name: "migrate" }>,
  place: Place<Peer>,
): Promise<number> {
  const { parts, db, purges, telemetry, print, env } = place;
  if (command.name === "purge") return await purge({ db, purges, log: telemetry.log, dryRun: command.dryRun, print });
  if (command.name === "check-counts") return await checkCounts({ db, repair: command.repair, print });
  if (command.name === "replay") return await replay({ db, id: command.id, dryRun: command.dryRun, print });
  const wiring = parts.wire(db, ownersOf(parts.peers, db, telemetry.conditions), noCommitSignals);
  if (command.name === "end-unknown") return await endUnknown({ db, wiring, count: command.count, print });
  if (command.name === "rewind") {
    const nats = natsAccess(readConfig(natsSettings(), env));
    return await rewind({ nats, consumer: parts.schema.name, effects: wiring.effects, dryRun: command.dryRun, print });
  }
  if (command.name === "reconcile") {
    return command.dryRun ? await showDifferences(wiring.kinds, print) : await reconcileOverNats(place, wiring);
  }
  const { peer, dryRun } = command;
  const transport = (parts.peers as Readonly<Record<string, ServiceTransport>>)[peer];
  if (transport === undefined) throw new Usage(`--peer takes one of ${Object.keys(parts.peers).join(", ")}`);
  return await acceptInstallation({ db, peer, transport, kinds: wiring.kinds, dryRun, print });
}

/** While NATS is away, an event that is in transit looks like one that is missing. */
async function reconcileOverNats<Peer extends string>(
  { parts, telemetry, print, env }: Place<Peer>,
  wiring: ReconcileCommand["wiring"],
): Promise<number> {
  const { RECONCILER_GRACE_MS: graceMs, ...settings } = readConfig({ ...natsSettings(), ...graceSettings() }, env);
  const transport = connectNats({ ...natsAccess(settings), clientName: parts.schema.name, telemetry });
  try {
    return await reconcileNow({ wiring, transport, graceMs, print });
  } finally {
    await transport.close();
  }
}
