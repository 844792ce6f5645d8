import { randomUUID } from "node:crypto";
import { create, toBinary } from "@bufbuild/protobuf";
import { EnvironmentDeletedSchema } from "@cloud/proto/environment/v1/events_pb";
import { connectToNats } from "@cloud/testkit";
import { headers } from "nats";
import type { System } from "../system/start-system.ts";

/** The subject of deleted environments. */
const SUBJECT = "cloud.v1.environment.environment.deleted";

/** Publishes two messages that no consumer can read: one has an id that is not a UUID, the other is not Protobuf. */
export async function publishUnreadable({ nats }: System): Promise<void> {
  const connection = await connectToNats(nats.url);
  try {
    const malformed = toBinary(EnvironmentDeletedSchema, create(EnvironmentDeletedSchema, { environmentId: "poison" }));
    for (const payload of [malformed, new Uint8Array([255, 255, 255])]) {
      await connection.jetstream().publish(SUBJECT, payload, { headers: eventHeaders() });
    }
  } finally {
    await connection.close();
  }
}

function eventHeaders() {
  const sent = headers();
  sent.set("ce-id", randomUUID());
  sent.set("ce-type", EnvironmentDeletedSchema.typeName);
  sent.set("ce-time", new Date().toISOString());
  return sent;
}
