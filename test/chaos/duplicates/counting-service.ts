/** A service in its own process whose only effect is, against the rules, to count how often each event was applied. */
import { createServer } from "node:http";
import { effect, startConsumer } from "@cloud/events";
import { connectNats } from "@cloud/events/nats";
import { openDatabase, statement, type Tx } from "@cloud/postgres";
import { EnvironmentDeletedSchema } from "@cloud/proto/environment/v1/events_pb";
import { OrganizationCreatedSchema, TeamDeletedSchema } from "@cloud/proto/identity/v1/events_pb";
import { WorkspaceDeletedSchema } from "@cloud/proto/workspace/v1/events_pb";
import { createTelemetry } from "@cloud/runtime/telemetry";

const { DATABASE_URL: url = "", NATS_URL = "", SCHEMA: schema = "", OPERATOR_PORT } = process.env;
const telemetry = createTelemetry({ service: schema, level: "warn", processMetrics: false });
const db = openDatabase({ url, schema, applicationName: schema, log: telemetry.log });
const transport = connectNats({ url: NATS_URL, clientName: schema, telemetry });
const count = async (tx: Tx, _event: unknown, { id }: { id: string }) => {
  await tx.query(
    statement`
      insert into applied as known (event_id, times)
      values ($1, 1)
      on conflict (event_id) do update
      set times = known.times + 1`,
    [id],
  );
};
const effects = [
  effect(EnvironmentDeletedSchema, count),
  effect(TeamDeletedSchema, count),
  effect(WorkspaceDeletedSchema, count),
  effect(OrganizationCreatedSchema, count),
];
startConsumer({ db, transport, name: schema, effects, telemetry });

createServer((_request, response) => response.end("ok\n")).listen(Number(OPERATOR_PORT), "127.0.0.1");
