import { randomUUID } from "node:crypto";
import { connectToNats } from "@cloud/testkit";
import { headers, type NatsConnection } from "nats";

let connection: Promise<NatsConnection> | undefined;

/**
 * Replaces `appendEvent` in the control of promise 1, as a service without an outbox would: it publishes immediately,
 * and a change is not refused if its event could not be sent.
 */
export async function publishFromRequest(subject: string, type: string, payload: Uint8Array): Promise<void> {
  connection ??= connectToNats(process.env["NATS_URL"] ?? "", {
    maxReconnectAttempts: -1,
    waitOnFirstConnect: true,
  });
  const sent = headers();
  sent.set("ce-id", randomUUID());
  sent.set("ce-type", type);
  sent.set("ce-time", new Date().toISOString());
  const publishing = connection.then((nc) =>
    nc.jetstream().publish(subject, payload, { headers: sent, timeout: 1000 }),
  );
  await publishing.catch(() => undefined);
}
