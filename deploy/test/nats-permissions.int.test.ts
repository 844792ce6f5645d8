import { connectToNats, startTestNats, type TestNats, waitFor } from "@cloud/testkit";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { AckPolicy, ErrorCode, headers, type NatsConnection, NatsError, RetentionPolicy, StorageType } from "nats";

const STREAM = "CLOUD_EVENTS";
const OWN = "environment-cloud_v1_identity_organization_deleted";
const OWN_FILTER = "cloud.v1.identity.organization.deleted";
const OTHERS = "workspace-cloud_v1_identity_organization_deleted";

let nats: TestNats;
let operator: NatsConnection;
/** A connection with only the rights of the environment service's user. */
let service: NatsConnection;

beforeAll(async () => {
  nats = await startTestNats();
  operator = await connectToNats(nats.url);
  service = await connectToNats(nats.urlOf("environment"));
  const jsm = await operator.jetstreamManager();
  await jsm.streams.add({ name: STREAM, subjects: ["cloud.v1.>"] });
  for (const durable of [OWN, OTHERS]) {
    await jsm.consumers.add(STREAM, {
      durable_name: durable,
      filter_subject: OWN_FILTER,
      ack_policy: AckPolicy.Explicit,
    });
  }
});

afterAll(async () => {
  await service.close();
  await operator.close();
  await nats.stop();
});

/**
 * Sends a request and returns `refused`, or `passed` if it reached the server's JetStream, found no receiver, or gets
 * no reply for so long.
 */
async function send(connection: NatsConnection, timeout: number, subject: string, body: object = {}): Promise<string> {
  try {
    await connection.request(subject, JSON.stringify(body), { timeout, headers: headers() });
    return "passed";
  } catch (error) {
    if (!(error instanceof NatsError)) throw error;
    if (error.code === ErrorCode.PermissionsViolation) return "refused";
    if (error.code === ErrorCode.NoResponders || error.code === ErrorCode.Timeout) return "passed";
    throw error;
  }
}

const durable = (name: string, filter: string) => ({
  stream_name: STREAM,
  config: { durable_name: name, filter_subject: filter, ack_policy: AckPolicy.Explicit },
});

/** Sends a configuration of the stream as the service, and returns the reply of the server. */
async function update(config: object): Promise<unknown> {
  const reply = await service.request(`$JS.API.STREAM.UPDATE.${STREAM}`, JSON.stringify(config), { timeout: 30_000 });
  return reply.json();
}

/** Versions of nats-server that have `subject_transform`; before, it is ignored. */
const TRANSFORMS = /^(2\.\d\d|[3-9])/;

/** Requests of a service that was taken over. The last ones destroy the stream, for the control. */
const ATTACKS: readonly (readonly [what: string, subject: string, body?: object])[] = [
  ["publishes another service's event", "cloud.v1.identity.organization.deleted"],
  ["publishes an event of no service", "cloud.v1.other"],
  ["publishes to another client's inbox", "_INBOX_workspace.forged"],
  ["reads another service's durable", `$JS.API.CONSUMER.INFO.${STREAM}.${OTHERS}`],
  ["consumes from another service's durable", `$JS.API.CONSUMER.MSG.NEXT.${STREAM}.${OTHERS}`, { no_wait: true }],
  ["acknowledges another service's message", `$JS.ACK.${STREAM}.${OTHERS}.1.1.1.1.0`],
  [
    "changes another service's durable",
    `$JS.API.CONSUMER.CREATE.${STREAM}.${OTHERS}.${OWN_FILTER}`,
    durable(OTHERS, OWN_FILTER),
  ],
  [
    "gives its own durable another filter",
    `$JS.API.CONSUMER.CREATE.${STREAM}.${OWN}.cloud.v1.>`,
    durable(OWN, "cloud.v1.>"),
  ],
  ["creates a durable by the old request", `$JS.API.CONSUMER.DURABLE.CREATE.${STREAM}.${OWN}`, durable(OWN, "cloud.>")],
  ["creates an ephemeral consumer", `$JS.API.CONSUMER.CREATE.${STREAM}`, { stream_name: STREAM, config: {} }],
  ["deletes another service's durable", `$JS.API.CONSUMER.DELETE.${STREAM}.${OTHERS}`],
  ["lists the durables", `$JS.API.CONSUMER.NAMES.${STREAM}`],
  ["creates a stream of its own", "$JS.API.STREAM.CREATE.OTHER", { name: "OTHER", subjects: ["other.>"] }],
  ["changes another stream", "$JS.API.STREAM.UPDATE.OTHER", { name: "OTHER", subjects: ["cloud.v1.>"] }],
  ["reads an event of another stream", "$JS.API.STREAM.MSG.GET.OTHER", { seq: 1 }],
  ["reads an event by its number", `$JS.API.STREAM.MSG.GET.${STREAM}`, { seq: 1 }],
  ["reads an event directly", `$JS.API.DIRECT.GET.${STREAM}`, { seq: 1 }],
  ["lists the streams", "$JS.API.STREAM.NAMES"],
  ["backs the stream up", `$JS.API.STREAM.SNAPSHOT.${STREAM}`, { deliver_subject: "_INBOX_environment.x" }],
  ["restores a stream", `$JS.API.STREAM.RESTORE.${STREAM}`],
  ["deletes an event", `$JS.API.STREAM.MSG.DELETE.${STREAM}`, { seq: 1 }],
  ["purges the stream", `$JS.API.STREAM.PURGE.${STREAM}`],
  ["deletes the stream", `$JS.API.STREAM.DELETE.${STREAM}`],
];

describe("a service that was taken over", () => {
  test.each(ATTACKS.map(([what, ...attack]) => ({ what, attack })))("$what, and is refused", async ({ attack }) => {
    expect(await send(service, 30_000, ...attack)).toBe("refused");
  });

  test.each([
    ">",
    "cloud.>",
    "cloud.v1.identity.>",
    "$JS.>",
    "$JS.ACK.>",
    "$SYS.>",
    "_INBOX.>",
    "_INBOX_workspace.>",
    "*.>",
  ])("subscribes to %s, and is refused", async (subject) => {
    const refused = Promise.withResolvers<NatsError | null>();
    service.subscribe(subject, { callback: (error) => refused.resolve(error) });
    expect(await refused.promise).toMatchObject({ code: ErrorCode.PermissionsViolation });
  });

  test("gives a durable another filter than the subject of its request names, and is refused", async () => {
    const request = service.request(
      `$JS.API.CONSUMER.CREATE.${STREAM}.${OWN}.${OWN_FILTER}`,
      JSON.stringify(durable(OWN, "cloud.v1.>")),
      { timeout: 30_000 },
    );
    expect((await request).json()).toMatchObject({ error: { code: 400 } });
  });

  test("creates the stream again with other settings, and is refused", async () => {
    const settings = { name: STREAM, subjects: ["cloud.v1.>"], max_msgs: 1, storage: StorageType.Memory };
    const other = { ...settings, retention: RetentionPolicy.Limits };
    const reply = await service.request(`$JS.API.STREAM.CREATE.${STREAM}`, JSON.stringify(other), { timeout: 30_000 });
    expect(reply.json()).toMatchObject({ error: { description: expect.stringContaining("already in use") } });
  });

  test("changes another stream by a request whose subject names this one, and is refused", async () => {
    expect(await update({ name: "OTHER", subjects: ["other.>"] })).toMatchObject({ error: { code: 400 } });
  });

  test("leaves the stream and the durables as they were", async () => {
    const jsm = await operator.jetstreamManager();
    const { config, state } = await jsm.streams.info(STREAM);
    expect(config).toMatchObject({ subjects: ["cloud.v1.>"], max_msgs: -1, storage: "file" });
    expect(state).toMatchObject({ messages: 0, consumer_count: 2 });
    expect((await jsm.consumers.info(STREAM, OWN)).config.filter_subject).toBe(OWN_FILTER);
  });

  // NATS does not compare the reply subject of a request with the permissions, so this is not refused.
  test("has responses sent to another service's subject: no event comes out of it", async () => {
    const reply = "cloud.v1.identity.organization.deleted";
    service.publish(`$JS.API.STREAM.INFO.${STREAM}`, "", { reply });
    service.publish("cloud.v1.environment.environment.deleted", "forged", { reply });
    const jsm = await operator.jetstreamManager();
    const stored = async () => (await jsm.streams.info(STREAM)).state.last_seq;
    await waitFor(async () => (await stored()) === 3 || undefined, { deadlineMs: 30_000 });
    const messages = await Promise.all([1, 2, 3].map((seq) => jsm.streams.getMessage(STREAM, { seq })));
    const redirected = messages.filter(({ subject }) => subject === reply);
    expect(redirected).toHaveLength(2);
    for (const message of redirected) {
      expect(message.json()).toBeInstanceOf(Object); // the server's own JSON, which consumers park as unreadable
      expect(message.header.get("ce-id")).toBe("");
    }
  });
});

// The rights that come with correcting the stream. deploy/README.md describes them, and how to withdraw them.
describe("a service that was taken over can", () => {
  test("purge the stream by a limit, after which it still cannot delete it", async () => {
    const { config, state } = await (await operator.jetstreamManager()).streams.info(STREAM);
    expect(state.messages).toBe(3);
    expect(await update({ ...config, max_msgs: 1 })).toMatchObject({ state: { messages: 1 } });
    await update(config);
  });

  test("publish as another service by a subject_transform, from nats-server 2.10 on", async () => {
    const { config } = await (await operator.jetstreamManager()).streams.info(STREAM);
    const [own, others] = ["cloud.v1.environment.environment.deleted", "cloud.v1.identity.organization.deleted"];
    await update({ ...config, subject_transform: { src: own, dest: others } });
    const { seq } = await service.jetstream().publish(own);
    const { subject } = await (await operator.jetstreamManager()).streams.getMessage(STREAM, { seq });
    expect(subject).toBe(TRANSFORMS.test(operator.info?.version ?? "") ? others : own);
    await update(config);
  });
});

test("control: a user without these limits is refused nothing", async () => {
  for (const [what, subject, body] of ATTACKS) {
    expect([what, await send(operator, 300, subject, body)]).toEqual([what, "passed"]);
  }
  const jsm = await operator.jetstreamManager();
  await expect(jsm.streams.info(STREAM)).rejects.toThrow("stream not found");
});
