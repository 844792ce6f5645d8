// An example of a program of the operator's own that follows events: docs/events.md describes its user of NATS.
// NATS_URL=nats://127.0.0.1:4222 NATS_USER=billing NATS_PASSWORD=… node docs/events/consumer.ts
import { fromBinary } from "@bufbuild/protobuf";
import { WorkspaceDeletedSchema } from "@cloud/proto/workspace/v1/events_pb";
import { AckPolicy, connect, DeliverPolicy } from "nats";

const STREAM = "CLOUD_EVENTS";
const DURABLE = "billing-workspace-deleted";
const SUBJECT = "cloud.v1.workspace.workspace.deleted";
const { NATS_URL: servers = "", NATS_USER: user = "", NATS_PASSWORD: pass = "" } = process.env;

const nc = await connect({ servers, user, pass, inboxPrefix: "_INBOX_billing", maxReconnectAttempts: -1 });
const jsm = await nc.jetstreamManager({ checkAPI: false });
await jsm.consumers.add(STREAM, {
  durable_name: DURABLE,
  filter_subject: SUBJECT,
  ack_policy: AckPolicy.Explicit,
  deliver_policy: DeliverPolicy.All,
});
// A real consumer keeps the ids in a table, in the transaction of the effect: an event may be delivered twice.
const applied = new Set<string>();
const consumer = await nc.jetstream({ checkAPI: false }).consumers.get(STREAM, DURABLE);
for await (const message of await consumer.consume()) {
  const id = message.headers?.get("ce-id") ?? "";
  if (!applied.has(id)) {
    const { workspaceId } = fromBinary(WorkspaceDeletedSchema, message.data);
    process.stdout.write(`${id} ${workspaceId}\n`);
    applied.add(id);
  }
  message.ack();
}
