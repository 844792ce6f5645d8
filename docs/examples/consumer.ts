// An example of a program of the operator's own that follows events, with a user of NATS and a durable of its own:
// docs/events.md describes both, and how to run it beside `npm start`.
import { fromBinary } from "@bufbuild/protobuf";
import { WorkspaceDeletedSchema } from "@cloud/proto/workspace/v1/events_pb";
import { AckPolicy, connect, DeliverPolicy } from "nats";

const [STREAM, DURABLE] = ["CLOUD_EVENTS", "billing-workspace-deleted"];
const { NATS_URL: servers = "", NATS_USER: user = "", NATS_PASSWORD: pass = "" } = process.env;

const nc = await connect({ servers, user, pass, inboxPrefix: "_INBOX_billing", maxReconnectAttempts: -1 });
await (await nc.jetstreamManager({ checkAPI: false })).consumers.add(STREAM, {
  durable_name: DURABLE,
  filter_subject: "cloud.v1.workspace.workspace.deleted",
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
