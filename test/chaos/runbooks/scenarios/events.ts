import { takeStablePort, waitFor } from "@cloud/testkit";
import { expect } from "@jest/globals";
import { AckPolicy, DeliverPolicy, nanos } from "nats";
import { STREAM, withJetStream } from "../../system/with-jetstream.ts";
import {
  conditionsBecome,
  DEADLINE,
  deleteEnvironments,
  drained,
  linksEnd,
  metricBecomes,
  type Scenario,
  seedLinks,
} from "../stage.ts";

const SUBJECT = "cloud.v1.environment.environment.deleted";
const DURABLE = `workspace-${SUBJECT.replaceAll(".", "_")}`;

export const lookAtAProgram: Scenario = async ({ open }) => {
  const page = open("README", { SERVICE: "workspace", LOCAL_PORT: String(await takeStablePort()) });
  const shown = await page.run("port-forward");
  expect(shown).toMatch(/^ready\n/);
  expect(shown).toMatch(/^messaging_connected.* 1$/m);
};

/** A stream with a shorter age, and a durable that skips messages: NATS permits to correct the first only. */
export const conditions: Scenario = async (stage) => {
  const { system } = stage.cluster;
  const page = stage.open("conditions", { DURABLE });
  await withJetStream(system, (jsm) => jsm.streams.update(STREAM, { max_age: nanos(3_600_000) }));
  await conditionsBecome(stage, "workspace", ["stream-configuration"]);
  await page.run("nats stream edit");
  await conditionsBecome(stage, "workspace", []);

  const { environments } = await seedLinks(stage, 1);
  const consumers = system.services.workspace;
  await Promise.all(consumers.map((program) => program.kill()));
  await deleteEnvironments(stage, environments);
  await withJetStream(system, async (jsm) => {
    await jsm.consumers.delete(STREAM, DURABLE);
    const skipping = { ack_policy: AckPolicy.Explicit, deliver_policy: DeliverPolicy.New, filter_subject: SUBJECT };
    await jsm.consumers.add(STREAM, { durable_name: DURABLE, ...skipping });
  });
  await Promise.all(consumers.map((program) => program.start()));
  await conditionsBecome(stage, "workspace", ["consumer-configuration"]);
  await page.run("nats consumer rm");
  await conditionsBecome(stage, "workspace", []);
  await linksEnd(stage, environments);
};

/** The disk is lost, with an event that was not applied; later the page itself deletes the stream. */
export const streamLost: Scenario = async (stage) => {
  const { nats } = stage.cluster;
  const { environments } = await seedLinks(stage, 2);
  const [first = "", second = ""] = environments;
  await nats.kill();
  await nats.wipe();
  await deleteEnvironments(stage, [first]);
  await nats.start();
  await linksEnd(stage, [first]);
  await drained(stage);

  const page = stage.open("stream-lost", { SERVICE: "workspace" });
  const { state } = JSON.parse(await page.run("nats stream info")) as { state: { messages: number } };
  expect(state.messages).toBeGreaterThan(0);
  expect(await page.run("rewind --dry-run")).toContain("would be delivered again");
  expect(await page.run("rewind")).toContain("are delivered again");
  expect(await page.run("reconcile --dry-run")).toContain("nothing would be repaired");
  expect(await page.run("reconcile")).toContain("0 references to deleted records ended");
  await page.run("nats stream rm");
  await page.run("statefulset/nats");
  await deleteEnvironments(stage, [second]);
  await linksEnd(stage, [second]);
  await drained(stage);
  for (const service of ["identity", "environment", "workspace"])
    await metricBecomes(stage, service, "messaging_outbox_backlog_rows", (rows) => rows === 0);
};

/** The stream is full. */
export const outboxLag: Scenario = async (stage) => {
  const { environments } = await seedLinks(stage, 1);
  await withJetStream(stage.cluster.system, async (jsm) => {
    const { state } = await jsm.streams.info(STREAM);
    await jsm.streams.update(STREAM, { max_bytes: state.bytes });
  });
  await deleteEnvironments(stage, environments);
  await metricBecomes(stage, "environment", "messaging_outbox_backlog_rows", (rows) => rows > 0);

  const page = stage.open("outbox-lag", { SERVICE: "environment" });
  const [first] = stage.cluster.system.services.environment;
  await waitFor(
    () => first.log().some(({ msg }) => msg.startsWith("events could not be published")) || undefined,
    DEADLINE,
  );
  expect(await page.run("kubectl logs")).toContain("maximum bytes exceeded");
  await page.run("nats stream edit");
  await metricBecomes(stage, "environment", "messaging_outbox_backlog_rows", (rows) => rows === 0);
  await linksEnd(stage, environments);
};

/** No replica consumes. */
export const consumerLag: Scenario = async (stage) => {
  const { environments } = await seedLinks(stage, 3);
  await stage.cluster.deployment("workspace").scale(0);
  await deleteEnvironments(stage, environments);
  const page = stage.open("consumer-lag", { SERVICE: "workspace", N: "2" });
  await page.run("kubectl scale");
  await linksEnd(stage, environments);
  await metricBecomes(stage, "workspace", "messaging_consumer_lag_messages", (messages) => messages === 0);
};

/** Two events wait among the parked ones, although their cause has ended. */
export const parkedEvents: Scenario = async (stage) => {
  const { databases } = stage.cluster;
  const { environments } = await seedLinks(stage, 2);
  await deleteEnvironments(stage, environments);
  await drained(stage);
  const parked = await databases.query<{ id: string }>(parkLastEvents);

  const [id = ""] = parked.map((row) => row.id);
  const page = stage.open("parked-events", { SERVICE: "workspace", ID: id });
  const listed = await page.run("replay --dry-run");
  expect(listed).toContain(`"id":"${id}"`);
  expect(listed).toContain("2 would be published again");
  expect(await page.run("replay --id")).toContain("1 are published again");
  expect(await page.run("operator.mjs replay")).toContain("1 are published again");
  await metricBecomes(stage, "workspace", "messaging_parked_messages", (messages) => messages === 0);
};

const parkLastEvents = `
  insert into workspace.parked_messages (consumer, subject, event_id, headers, payload, reason, error, tries)
  select 'workspace', subject, id, jsonb_build_object('ce-specversion', '1.0', 'ce-id', id, 'ce-source', 'environment',
    'ce-type', type, 'ce-time', created_at), payload, 'failed', 'it was tried', 5
  from environment.outbox
  where subject = '${SUBJECT}'
  order by created_at desc
  limit 2
  returning id`;

/** A link to a deleted environment, as if its event had never come. */
export const reconcilerRepairs: Scenario = async (stage) => {
  const { environments, workspaceId } = await seedLinks(stage, 1);
  await deleteEnvironments(stage, environments);
  await drained(stage);
  const link =
    "insert into workspace.assignments (id, workspace_id, kind, resource_id) values (gen_random_uuid(), $1, 'environment', $2)";
  await stage.cluster.databases.query(link, [workspaceId, environments[0]]);
  await linksEnd(stage, environments);
  await metricBecomes(stage, "workspace", "reconciler_repairs_total", (repairs) => repairs > 0);

  const page = stage.open("reconciler-repairs", { SERVICE: "workspace" });
  expect(await page.run("kubectl logs")).toContain('"repaired":1');
  expect(await page.run("replay --dry-run")).toBe("no message is parked\n");
};
