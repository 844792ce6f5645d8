import { create } from "@bufbuild/protobuf";
import { type Database, openDatabase } from "@cloud/postgres";
import { DeleteConnectionRequestSchema } from "@cloud/proto/environment/v1/connection_service_pb";
import {
  AssignConnectionRequestSchema,
  DeleteEnvironmentRequestSchema,
  ListEnvironmentConnectionsRequestSchema,
} from "@cloud/proto/environment/v1/environment_service_pb";
import { type Id, newId, serviceCaller } from "@cloud/rpc";
import { refusal } from "@cloud/rpc/testing";
import {
  type LinkOutcomes,
  type Random,
  type Rewrite,
  raceLinks,
  rewriting,
  testTelemetry,
  type Watched,
  watchLists,
} from "@cloud/testkit";
import { assignConnection } from "../../src/assignments/assign-connection.ts";
import { listEnvironmentConnections } from "../../src/assignments/list-environment-connections.ts";
import { deleteConnection } from "../../src/connections/delete-connection.ts";
import type { Context } from "../../src/context.ts";
import { deleteEnvironment } from "../../src/environments/delete-environment.ts";
import type { Fixture } from "../fixture.ts";
import { danglingLinks } from "../records.ts";

export interface ConnectionRaces {
  /** Which end of the link is deleted. */
  readonly end: "connection" | "environment";
  readonly races: number;
  readonly random: Random;
  /** Of the assigning transaction. */
  readonly rewrite: Rewrite;
}

/** Lists are watched where the environments outlive the races. */
export interface ConnectionOutcomes extends LinkOutcomes, Partial<Watched> {
  /** Links to what is gone. */
  readonly dangling: number;
}

/** May do everything. */
const system = serviceCaller("");
const LANES = 8;

/** Every race has an end of its own that is deleted; the other is shared by all races of a lane. */
export async function raceConnectionLinks(fixture: Fixture, options: ConnectionRaces): Promise<ConnectionOutcomes> {
  const { end, races, random, rewrite } = options;
  const { log } = testTelemetry();
  // The races of a run are many, and may wait their turn on a busy machine.
  const patience = { connectTimeoutMs: 20_000, statementTimeoutMs: 20_000 };
  const db = openDatabase({ ...fixture.db, applicationName: "races", log, maxConnections: 40, ...patience });
  const context = (change: Rewrite): Context => ({
    db: { ...db, withTransaction: (work) => db.withTransaction((tx) => work(rewriting(tx, change))) },
    organizations: { isLive: async () => true, liveAmong: async () => [], listLiveIds: async () => [] },
  });
  const [plain, assigning] = [context((text) => text), context(rewrite)];
  const environments = await insertRecords(fixture, db, "environments", end === "environment" ? races : LANES);
  const connections = await insertRecords(fixture, db, "connections", end === "connection" ? races : LANES);
  const shared = environments.slice(0, LANES) as [Id];
  const watch = end === "connection" ? watchLists(() => listIn(plain, random.pick(shared))) : undefined;

  const pairOf = (race: number) => ({
    id: environments[race % environments.length] ?? "",
    connectionId: connections[race % connections.length] ?? "",
  });
  const removeEnvironment = ({ id }: { id: string }) =>
    deleteEnvironment(plain, system, create(DeleteEnvironmentRequestSchema, { id }));
  const removeConnection = async ({ connectionId }: { connectionId: string }) => {
    await deleteConnection(plain, system, create(DeleteConnectionRequestSchema, { id: connectionId }));
    watch?.gone(connectionId);
  };
  const remove = end === "environment" ? removeEnvironment : removeConnection;

  const outcomes = await raceLinks({
    races,
    width: 2 * LANES,
    lateBy: () => random.between(-3, 3),
    assign: (race) => refusal(assignConnection(assigning, system, create(AssignConnectionRequestSchema, pairOf(race)))),
    remove: (race) => refusal(remove(pairOf(race))),
    tooLate: "404 " + end.toUpperCase() + "_NOT_FOUND: " + end + " not found",
  });
  const watched = await watch?.stop();
  await db.close();
  return { ...outcomes, ...watched, dangling: await danglingLinks(fixture) };
}

async function insertRecords(
  { identity }: Fixture,
  db: Database,
  table: "environments" | "connections",
  count: number,
): Promise<Id[]> {
  const ids = Array.from({ length: count }, () => newId<Id>());
  await db.query("insert into organizations (id) values ($1) on conflict do nothing", [identity.home]);
  const insert =
    table === "environments"
      ? "insert into environments (id, organization_id, name, description) select unnest($1::uuid[]), $2, '', ''"
      : "insert into connections (id, organization_id, name, description, kind, type, status)" +
        " select unnest($1::uuid[]), $2, '', '', '', '', ''";
  await db.query(insert, [ids, identity.home]);
  await db.query("analyze " + table);
  return ids;
}

async function listIn(context: Context, id: Id): Promise<string[]> {
  const request = create(ListEnvironmentConnectionsRequestSchema, { id, pageSize: 100n });
  const { connections } = await listEnvironmentConnections(context, system, request);
  return connections.map((connection) => connection.id);
}
