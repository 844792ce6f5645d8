import { randomUUID } from "node:crypto";
import { connect, headers, type NatsConnection } from "nats";

let connection: Promise<NatsConnection> | undefined;

/**
 * What the control of promise 1 does in place of `appendEvent`, as a service without an outbox would: it publishes at
 * once, and a change is not refused because its event could not be sent.
 */
export async function publishFromRequest(subject: string, type: string, payload: Uint8Array): Promise<void> {
  connection ??= connect({
    servers: process.env["NATS_URL"] ?? "",
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
