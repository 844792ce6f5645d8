import { randomUUID } from "node:crypto";
import { create, toBinary } from "@bufbuild/protobuf";
import { EnvironmentDeletedSchema } from "@cloud/proto/environment/v1/events_pb";
import { connect, headers } from "nats";
import type { System } from "../system/start-system.ts";

/** The subject that the workspace service hears of deleted environments on. */
const SUBJECT = "cloud.v1.environment.environment.deleted";

/** Publishes messages that no consumer can ever apply: so many of an id that is no UUID, and one that is no Protobuf. */
export async function publishPoison({ nats }: System, count: number): Promise<void> {
  const connection = await connect({ servers: nats.url });
  try {
    const jetStream = connection.jetstream();
    const impossible = toBinary(
      EnvironmentDeletedSchema,
      create(EnvironmentDeletedSchema, { environmentId: "poison" }),
    );
    const payloads = [...Array.from({ length: count }, () => impossible), new Uint8Array([255, 255, 255])];
    for (const payload of payloads) await jetStream.publish(SUBJECT, payload, { headers: eventHeaders() });
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
