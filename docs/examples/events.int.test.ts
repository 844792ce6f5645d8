import { readFileSync } from "node:fs";
import { type DescMessage, getOption, hasOption } from "@bufbuild/protobuf";
import { subject } from "@cloud/proto/cloud/api/v1/options_pb";
import * as environmentEvents from "@cloud/proto/environment/v1/events_pb";
import * as identityEvents from "@cloud/proto/identity/v1/events_pb";
import * as workspaceEvents from "@cloud/proto/workspace/v1/events_pb";
import { startTestNats } from "@cloud/testkit";
import { expect, test } from "@jest/globals";
import { connect, ErrorCode, type NatsError } from "nats";

const page = readFileSync(new URL("../events.md", import.meta.url), "utf8");

test("the page shows the user of the example", () => {
  const file = readFileSync(new URL("../../deploy/nats/billing-consumer.conf", import.meta.url), "utf8");
  expect(/```conf\n([\s\S]*?)```/.exec(page)?.[1]).toBe(file);
});

test("its user may read no other event, and publish none", async () => {
  await using resources = new AsyncDisposableStack();
  const nats = await startTestNats();
  resources.defer(() => nats.stop());
  const { host, username: user, password: pass } = new URL(nats.urlOf("billing"));
  const nc = await connect({ servers: host, user, pass, inboxPrefix: "_INBOX_billing" });
  resources.defer(() => nc.close());
  const send = (name: string) =>
    nc.request(name, "{}", { timeout: 30_000 }).then(
      () => "passed",
      (error: NatsError) => error.code,
    );
  for (const forbidden of [
    "cloud.v1.workspace.workspace.deleted",
    "$JS.API.STREAM.MSG.GET.CLOUD_EVENTS",
    "$JS.API.CONSUMER.CREATE.CLOUD_EVENTS.billing-workspace-deleted.cloud.v1.>",
    "$JS.API.CONSUMER.MSG.NEXT.CLOUD_EVENTS.workspace-replayed",
    "$JS.API.STREAM.DELETE.CLOUD_EVENTS",
  ]) {
    expect([forbidden, await send(forbidden)]).toEqual([forbidden, ErrorCode.PermissionsViolation]);
  }
  expect(await send("$JS.API.CONSUMER.INFO.CLOUD_EVENTS.billing-workspace-deleted")).toBe("passed");
}, 60_000);

test("the page lists every event with its subject", () => {
  const schemas = [workspaceEvents, environmentEvents, identityEvents]
    .flatMap((file) => Object.values(file) as { kind?: string }[])
    .filter(({ kind }) => kind === "message") as unknown as DescMessage[];
  const rows = schemas
    .filter((schema) => hasOption(schema, subject))
    .map((schema) => `| \`${getOption(schema, subject)}\` | \`${schema.typeName}\` |`);
  const table = page.split("<!-- events:begin -->")[1]?.split("<!-- events:end -->")[0] ?? "";
  expect(table.trim().split("\n").slice(2)).toEqual(rows.sort());
});
