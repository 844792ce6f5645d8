import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { type DescMessage, getOption, hasOption } from "@bufbuild/protobuf";
import { createNatsUsers, type NatsUsers } from "@cloud/local-servers";
import { appendEvents, connectNats, messagingMigrations, startRelay } from "@cloud/messaging";
import { migrate, openDatabase, statement } from "@cloud/postgres";
import { subject } from "@cloud/proto/cloud/api/v1/options_pb";
import * as environmentEvents from "@cloud/proto/environment/v1/events_pb";
import * as identityEvents from "@cloud/proto/identity/v1/events_pb";
import * as workspaceEvents from "@cloud/proto/workspace/v1/events_pb";
import { createTestDatabase, startTestNats, testTelemetry, waitFor } from "@cloud/testkit";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { connect, ErrorCode, type NatsError } from "nats";

const PAGE = fileURLToPath(new URL("../events.md", import.meta.url));
const CONSUMER = fileURLToPath(new URL("consumer.ts", import.meta.url));
const PASSWORD = "billing-password";
const DEADLINE = { deadlineMs: 30_000 };

let resources: AsyncDisposableStack;
beforeEach(() => {
  resources = new AsyncDisposableStack();
});
afterEach(() => resources.disposeAsync());

/** The users of production, and the one that the page describes. */
function usersWithBilling(): NatsUsers {
  const users = createNatsUsers();
  const [, billing = ""] = /```conf\n([\s\S]*?)```/.exec(readFileSync(PAGE, "utf8")) ?? [];
  const own = billing.replace("$NATS_BILLING_PASSWORD", `"${PASSWORD}"`);
  return { ...users, configuration: users.configuration.replace("users: [", `users: [\n${own}`) };
}

async function startPublisher(url: string) {
  const telemetry = testTelemetry();
  const database = await createTestDatabase("workspace");
  resources.defer(() => database.drop());
  await migrate({ url: database.ownerUrl, schema: "workspace", sources: [messagingMigrations], log: telemetry.log });
  const db = openDatabase({ url: database.ownerUrl, schema: "workspace", applicationName: "test", log: telemetry.log });
  resources.defer(() => db.close());
  const transport = connectNats({ url, clientName: "workspace", telemetry });
  resources.defer(() => transport.close());
  const relay = startRelay({ db, transport, source: "workspace", telemetry });
  resources.defer(() => relay.stop());
  return async (ids: readonly string[]) => {
    await db.transaction((tx) =>
      appendEvents(
        tx,
        workspaceEvents.WorkspaceDeletedSchema,
        ids.map((workspaceId) => ({ workspaceId })),
      ),
    );
    // The example's stream is there with its first event.
    const waiting = statement`select from outbox where published_at is null`;
    await waitFor(async () => (await db.read(waiting)).rowCount === 0 || undefined, DEADLINE);
  };
}

/** Runs the example as its page says. Returns the lines that it prints, and how to kill it. */
function runConsumer(url: string) {
  const { host } = new URL(url);
  const env = { ...process.env, NATS_URL: `nats://${host}`, NATS_USER: "billing", NATS_PASSWORD: PASSWORD };
  const child = spawn(process.execPath, [CONSUMER], { env, stdio: ["ignore", "pipe", "inherit"] });
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  const lines: string[] = [];
  createInterface(child.stdout).on("line", (line) => lines.push(line));
  const kill = async () => {
    child.kill("SIGKILL");
    await ended;
  };
  resources.defer(kill);
  return { lines, kill };
}

const idsOf = (lines: readonly string[]) => new Set(lines.map((line) => line.split(" ")[1]));

test("the example consumer reads every event by its own user and durable, also after a kill", async () => {
  const nats = await startTestNats({ users: usersWithBilling() });
  resources.defer(() => nats.stop());
  const append = await startPublisher(nats.urlOf("workspace"));
  await append(["a", "b"]);
  const first = runConsumer(nats.url);
  await waitFor(() => idsOf(first.lines).size === 2 || undefined, DEADLINE);
  await first.kill();
  await append(["c"]);
  const second = runConsumer(nats.url);
  await waitFor(() => idsOf(second.lines).has("c") || undefined, DEADLINE);
  expect(idsOf([...first.lines, ...second.lines])).toEqual(new Set(["a", "b", "c"]));
}, 60_000);

test("its user may read no other event, and publish none", async () => {
  const nats = await startTestNats({ users: usersWithBilling() });
  resources.defer(() => nats.stop());
  await startPublisher(nats.urlOf("workspace"));
  const { host } = new URL(nats.url);
  const nc = await connect({ servers: host, user: "billing", pass: PASSWORD, inboxPrefix: "_INBOX_billing" });
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
  const table = readFileSync(PAGE, "utf8").split("<!-- events:begin -->")[1]?.split("<!-- events:end -->")[0] ?? "";
  expect(table.trim().split("\n").slice(2)).toEqual(rows.sort());
});
