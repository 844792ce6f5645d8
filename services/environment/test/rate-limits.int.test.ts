import { findRateLimit } from "@cloud/contract";
import { refusal } from "@cloud/contract/testing";
import { sql } from "@cloud/postgres";
import { EnvironmentService } from "@cloud/proto/environment/v1/environment_service_pb";
import { RetryInfoSchema } from "@cloud/proto/google/rpc/error_details_pb";
import { SERVICE_TOKEN, tokenOf } from "@cloud/service/testing";
import { waitFor } from "@cloud/testkit";
import { Code, ConnectError, createClient, type Transport } from "@connectrpc/connect";
import { createConnectTransport, createGrpcTransport } from "@connectrpc/connect-node";
import { describe, expect, test } from "@jest/globals";
import type { Clients } from "./fixture.ts";
import { type Replicas, startReplicas } from "./rate-limits/start-replicas.ts";

const LIMIT = 20;
const NEVER_MS = 3_600_000;
const LIMITED = "429 RATE_LIMITED: too many requests";

const list = (clients: Clients, orgId: string) => refusal(clients.environments.listEnvironments({ orgId }));

/** Sends as many requests, one after the other; returns how many passed. Each of the others was over the limit. */
async function passing(requests: number, clients: Clients, orgId: string): Promise<number> {
  let passed = 0;
  for (let index = 0; index < requests; index++) {
    const result = await list(clients, orgId);
    expect(["not refused", LIMITED]).toContain(result);
    if (result === "not refused") passed++;
  }
  return passed;
}

const total = async ({ sums }: Replicas) => Object.values(await sums()).reduce((sum, used) => sum + used, 0);

/** Lists by a transport of the library; returns the headers of the reply that describe limits. */
async function limitHeadersOf(transport: Transport, token: string, orgId: string): Promise<(string | null)[]> {
  let received: Headers | undefined;
  const onHeader = (header: Headers) => {
    received = header;
  };
  const options = { headers: { authorization: `Bearer ${token}` }, onHeader };
  await createClient(EnvironmentService, transport).listEnvironments({ orgId }, options);
  return ["RateLimit-Policy", "RateLimit"].map((name) => received?.get(name) ?? null);
}

/** Sends requests to the two replicas in turn; each finds the counts of the one before exchanged. */
async function passingInTurn(shared: Replicas, requests: number): Promise<number> {
  const { replicas, identity } = shared;
  let passed = 0;
  for (let index = 0; index < requests; index++) {
    passed += await passing(1, replicas[index % 2 === 0 ? 0 : 1].admin, identity.home);
    const sent = passed;
    await waitFor(async () => (await total(shared)) === sent || undefined, { deadlineMs: 30_000 });
  }
  return passed;
}

describe("a limit per token", () => {
  test("lets pass as many requests as it says; other tokens and services are not affected", async () => {
    await using shared = await startReplicas({ perToken: LIMIT, perOrganization: 0 });
    const { identity, replicas } = shared;
    const [replica] = replicas;
    expect(await passing(LIMIT + 30, replica.admin, identity.home)).toBe(LIMIT);
    expect(await passing(LIMIT, replica.member, identity.home)).toBe(LIMIT);
    expect(await passing(LIMIT, replica.outsider, identity.abroad)).toBe(LIMIT);
    expect(await passing(LIMIT + 30, replica.service, identity.home)).toBe(LIMIT + 30);
    expect(await list(replica.stranger, identity.home)).toMatch(/^401/);
    expect(await replica.metrics()).toContain(`rate_limit_refused_total{policy="token",program="test"} 30\n`);
  });

  test("describes itself in the error", async () => {
    await using shared = await startReplicas({ perToken: 1, perOrganization: 0 });
    const [{ admin }] = shared.replicas;
    await admin.environments.listEnvironments({ orgId: shared.identity.home });
    const error = await admin.environments
      .listEnvironments({ orgId: shared.identity.home })
      .catch((thrown: unknown) => ConnectError.from(thrown));
    if (!(error instanceof ConnectError)) throw new TypeError("the request was not refused");
    expect(error.code).toBe(Code.ResourceExhausted);
    expect(findRateLimit(error)).toEqual({ policy: "token", quota: 1, windowSeconds: 60, retryAfterSeconds: 59 });
    expect(error.findDetails(RetryInfoSchema).map(({ retryDelay }) => retryDelay?.seconds)).toEqual([59n]);
  });

  test("is described in the headers of each reply, with the organization's", async () => {
    await using shared = await startReplicas({ perToken: LIMIT, perOrganization: 10 });
    const { replicas, clock } = shared;
    const [{ url }] = replicas;
    const headersOf = (transport: Transport, token: string) => limitHeadersOf(transport, token, shared.identity.home);
    const policies = '"token";q=20;w=60, "organization";q=10;w=60';
    const grpc = createGrpcTransport({ baseUrl: url });
    expect(await headersOf(grpc, tokenOf("admin"))).toEqual([policies, '"token";r=19;t=59, "organization";r=9;t=59']);
    clock.now += 20_000;
    const connect = createConnectTransport({ baseUrl: url, httpVersion: "1.1" });
    expect(await headersOf(connect, tokenOf("admin"))).toEqual([
      policies,
      '"token";r=18;t=39, "organization";r=8;t=39',
    ]);
    expect(await headersOf(connect, SERVICE_TOKEN)).toEqual([null, null]);
  });

  test("asks identity nothing about a token that has used it up, and counts no unknown token", async () => {
    await using shared = await startReplicas({ perToken: 1, perOrganization: 0, exchangeMs: 10 });
    const { identity, replicas } = shared;
    const [{ admin, stranger }] = replicas;
    expect(await list(admin, identity.home)).toBe("not refused");
    expect(await list(stranger, identity.home)).toMatch(/^401/);
    await waitFor(async () => (await total(shared)) === 1 || undefined, { deadlineMs: 30_000 });
    await identity.stop();
    expect(await list(admin, identity.home)).toBe(LIMITED);
    expect(await list(stranger, identity.home)).toMatch(/^503/);
  });

  test("keeps no token, but a digest", async () => {
    await using shared = await startReplicas({ perToken: LIMIT, perOrganization: LIMIT, exchangeMs: 10 });
    await list(shared.replicas[0].admin, shared.identity.home);
    await waitFor(async () => (await total(shared)) === 2 || undefined, { deadlineMs: 30_000 });
    expect(Object.keys(await shared.sums())).toEqual([
      `organization:${shared.identity.home}`,
      expect.stringMatching(/^token:[0-9a-f]{32}$/),
    ]);
  });

  test("starts again at 0 in the next window; the rows of old windows are deleted", async () => {
    await using shared = await startReplicas({ perToken: LIMIT, perOrganization: 0, exchangeMs: 10 });
    const { identity, replicas, clock, db } = shared;
    await db.query(sql`insert into rate_limit_usage values (now() - interval '6 minutes', 'token:old', 1)`);
    expect(await passing(LIMIT + 1, replicas[0].admin, identity.home)).toBe(LIMIT);
    await waitFor(async () => (await shared.sums())["token:old"] === undefined || undefined, { deadlineMs: 30_000 });
    clock.now += 58_999;
    expect(await passing(1, replicas[0].admin, identity.home)).toBe(0);
    clock.now += 1;
    expect(await passing(LIMIT + 1, replicas[0].admin, identity.home)).toBe(LIMIT);
  });
});

describe("two replicas", () => {
  test("together let pass the limit and what one received since its last exchange", async () => {
    await using shared = await startReplicas({ perToken: LIMIT, perOrganization: 0, exchangeMs: 10 });
    const passed = await passingInTurn(shared, 3 * LIMIT);
    expect(passed).toBeGreaterThanOrEqual(LIMIT);
    expect(passed).toBeLessThanOrEqual(LIMIT + 1);
  });

  test("control: without an exchange, each lets pass the limit", async () => {
    await using shared = await startReplicas({ perToken: LIMIT, perOrganization: 0, exchangeMs: NEVER_MS });
    const { identity, replicas } = shared;
    const passed = await Promise.all(replicas.map(({ admin }) => passing(2 * LIMIT, admin, identity.home)));
    expect(passed).toEqual([LIMIT, LIMIT]);
  });
});

describe("a limit per organization", () => {
  test("is shared by its members; others cannot use it up, and keep their own", async () => {
    await using shared = await startReplicas({ perToken: 0, perOrganization: LIMIT });
    const { identity, replicas } = shared;
    const [replica] = replicas;
    for (let index = 0; index < 2 * LIMIT; index++) expect(await list(replica.outsider, identity.home)).toMatch(/^403/);
    expect(await passing(LIMIT / 2, replica.admin, identity.home)).toBe(LIMIT / 2);
    expect(await passing(LIMIT, replica.member, identity.home)).toBe(LIMIT / 2);
    expect(await list(replica.admin, identity.home)).toBe(LIMITED);
    expect(await list(replica.outsider, identity.home)).toMatch(/^403/);
    expect(await passing(LIMIT, replica.outsider, identity.abroad)).toBe(LIMIT);
    expect(await list(replica.service, identity.home)).toBe("not refused");
    expect(await list(replica.provider, "all")).toBe("not refused");
  });
});

test("without limits there is no row, no connection, no header and no metric", async () => {
  await using shared = await startReplicas(undefined);
  const [replica] = shared.replicas;
  expect(await passing(3 * LIMIT, replica.admin, shared.identity.home)).toBe(3 * LIMIT);
  const transport = createGrpcTransport({ baseUrl: replica.url });
  expect(await limitHeadersOf(transport, tokenOf("admin"), shared.identity.home)).toEqual([null, null]);
  expect(await shared.sums()).toEqual({});
  const connections = sql`
    select
    from pg_stat_activity
    where datname = current_database() and application_name = 'environment rate limits'`;
  expect((await shared.db.query(connections)).rowCount).toBe(0);
  expect(await replica.metrics()).not.toContain("rate_limit");
});
