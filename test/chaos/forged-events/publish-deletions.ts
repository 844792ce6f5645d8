import { randomUUID } from "node:crypto";
import { create, type DescMessage, getOption, type MessageInitShape, toBinary } from "@bufbuild/protobuf";
import { subject } from "@cloud/proto/cloud/api/v1/options_pb";
import { EnvironmentDeletedSchema } from "@cloud/proto/environment/v1/events_pb";
import { OrganizationDeletedSchema, TeamDeletedSchema } from "@cloud/proto/identity/v1/events_pb";
import { WorkspaceDeletedSchema } from "@cloud/proto/workspace/v1/events_pb";
import { connectToNats } from "@cloud/testkit";
import { headers, type NatsConnection } from "nats";

/** The ids of the records that the events report as deleted. */
export interface Victims {
  readonly organization: string;
  readonly team: string;
  readonly environment: string;
  readonly workspace: string;
}

/** Number of consumers per set of victims: an organization's deletion is applied by two services. */
export const DELIVERIES = 5;

/** Publishes a deletion of each of them directly to NATS, as any of its clients can. */
export async function publishDeletions(natsUrl: string, victims: readonly Victims[]): Promise<void> {
  const connection = await connectToNats(natsUrl, { name: "forger" });
  try {
    for (const { organization: organizationId, team, environment, workspace } of victims) {
      const common = { organizationId, actor: "mallory" };
      await publish(connection, TeamDeletedSchema, { ...common, teamId: team });
      await publish(connection, EnvironmentDeletedSchema, { ...common, environmentId: environment });
      await publish(connection, WorkspaceDeletedSchema, { ...common, workspaceId: workspace });
      await publish(connection, OrganizationDeletedSchema, common);
    }
  } finally {
    await connection.close();
  }
}

async function publish<Schema extends DescMessage>(
  connection: NatsConnection,
  schema: Schema,
  event: MessageInitShape<Schema>,
): Promise<void> {
  const sent = headers();
  sent.set("ce-id", randomUUID());
  sent.set("ce-type", schema.typeName);
  sent.set("ce-time", new Date().toISOString());
  const payload = toBinary(schema, create(schema, event));
  await connection.jetstream().publish(getOption(schema, subject), payload, { headers: sent });
}
