import type { NatsUsers } from "@cloud/local-servers";
import { connectToNats, startTestNats } from "@cloud/testkit";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { connect, type NatsConnection, RetentionPolicy } from "nats";
import { all, at, entriesOf, text, texts } from "./json.ts";
import { natsConfiguration, natsValues } from "./nats-chart.ts";
import { documentedSecrets } from "./outside-production.ts";
import { podSecurityProblems } from "./pod-security.ts";

const values = natsValues();
const passwords = Object.fromEntries(
  entriesOf(at(values, "container.env")).map(([name]) => [name, `password-of-${name.toLowerCase()}`]),
);

/** A server with what the chart merges into its configuration. */
const users: NatsUsers = {
  configuration: [
    ...Object.entries(passwords).map(([name, password]) => `${name}: "${password}"`),
    ...entriesOf(at(values, "config.merge")).map(([key, value]) => `${key}: ${natsConfiguration(value)}`),
  ].join("\n"),
  loginTo: (url, user) => {
    const login = passwords[`NATS_${user.toUpperCase()}_PASSWORD`] ?? "";
    return url.replace("://", `://${user}:${login}@`);
  },
};

let nats: Awaited<ReturnType<typeof startTestNats>>;
let operator: NatsConnection;
const connections: NatsConnection[] = [];
beforeAll(async () => {
  nats = await startTestNats({ users });
  operator = await connectToNats(nats.url);
  connections.push(operator);
});
afterAll(async () => {
  await Promise.all(connections.map((connection) => connection.close()));
  await nats.stop();
});

async function connectAs(user: string): Promise<NatsConnection> {
  const { host } = new URL(nats.url);
  const connection = await connect({
    servers: host,
    user,
    pass: passwords[`NATS_${user.toUpperCase()}_PASSWORD`] ?? "",
    inboxPrefix: `_INBOX_${user}`,
  });
  connections.push(connection);
  return connection;
}

test("nats-server accepts the accounts: a service creates the stream, and the operator sees it", async () => {
  const service = await connectAs("workspace");
  const settings = { name: "CLOUD_EVENTS", subjects: ["cloud.v1.>"], retention: RetentionPolicy.Limits };
  const reply = await service.request("$JS.API.STREAM.CREATE.CLOUD_EVENTS", JSON.stringify(settings), {
    timeout: 30_000,
  });
  expect(reply.json()).toMatchObject({ config: { name: "CLOUD_EVENTS" } });
  const jsm = await operator.jetstreamManager();
  expect((await jsm.streams.info("CLOUD_EVENTS")).config.subjects).toEqual(["cloud.v1.>"]);
});

test("the account of the system has no stream, and sees no event", async () => {
  const system = await connectAs("system");
  await expect(system.jetstreamManager()).rejects.toThrow(/jetstream is not enabled|503|no responders/i);
});

test("a service cannot publish in the name of another", async () => {
  const service = await connectAs("workspace");
  const refused = (async () => {
    for await (const { data } of service.status()) {
      if (String(data).includes("PERMISSIONS_VIOLATION")) return true;
    }
    return false;
  })();
  service.publish("cloud.v1.identity.organization.deleted", "forged");
  expect(await refused).toBe(true);
});

test("each variable of the accounts has the Secret that the service reads, and no other is set", () => {
  const used = [...JSON.stringify(at(values, "config.merge")).matchAll(/<< \$(\w+) >>/g)].map(([, name]) => name);
  expect(Object.keys(passwords).sort()).toEqual([...new Set(used)].sort());
  const secrets = documentedSecrets();
  for (const [name, variable] of entriesOf(at(values, "container.env"))) {
    const secret = text(variable, "valueFrom.secretKeyRef.name");
    expect(secret).toBe(`${name.split("_")[1]?.toLowerCase()}-nats`);
    expect(secrets[secret]).toContain(text(variable, "valueFrom.secretKeyRef.key"));
  }
});

test("three servers, as many as the stream has replicas, store it on volumes and speak TLS", () => {
  expect(at(values, "config.cluster")).toMatchObject({ enabled: true, replicas: 3, tls: { enabled: true } });
  expect(at(values, "config.jetstream.fileStore")).toMatchObject({ enabled: true, pvc: { enabled: true } });
  expect(at(values, "config.nats.tls")).toEqual({ enabled: true, secretName: "nats-server-tls" });
  expect(at(values, "podDisruptionBudget.enabled")).toBe(true);
});

test("its pods are accepted by a namespace with the restricted standard", () => {
  const contexts = ["container", "reloader", "promExporter"].map((name) => at(values, `${name}.merge`) ?? {});
  const spec = { ...Object(at(values, "podTemplate.merge.spec")), containers: contexts };
  expect(podSecurityProblems("nats", spec)).toEqual([]);
  expect(texts(spec, "containers.*.securityContext.capabilities.drop.*")).toHaveLength(contexts.length);
});

test("its image has no known way around the permissions: 2.11.15 or later, or 2.12.6 or later", () => {
  const [, minor = 0, patch = 0] = text(values, "container.image.tag").split(/[.-]/).map(Number);
  expect(minor > 12 || (minor === 12 && patch >= 6) || (minor === 11 && patch >= 15)).toBe(true);
  expect(all(values, "natsBox.enabled")).toEqual([false]);
});
