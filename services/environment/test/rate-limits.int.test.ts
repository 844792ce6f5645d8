import { findRateLimit } from "@cloud/access/errors";
import { refusal } from "@cloud/access/testing";
import { statement } from "@cloud/postgres";
import { EnvironmentService } from "@cloud/proto/environment/v1/environment_service_pb";
import { RetryInfoSchema } from "@cloud/proto/google/rpc/error_details_pb";
import { SERVICE_TOKEN, tokenOf } from "@cloud/service/testing";
import { execute } from "@cloud/testkit";
import { Code, ConnectError, createClient, type Transport } from "@connectrpc/connect";
import { createConnectTransport, createGrpcTransport } from "@connectrpc/connect-node";
import { describe, expect, test } from "@jest/globals";
import type { Clients } from "./fixture.ts";
import { type Replicas, startReplicas } from "./rate-limits/start-replicas.ts";

const LIMIT = 20;
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

/** Sends requests to the two replicas in turn. */
async function passingInTurn({ replicas, identity }: Replicas, requests: number): Promise<number> {
  let passed = 0;
  for (let index = 0; index < requests; index++) {
    passed += await passing(1, replicas[index % 2 === 0 ? 0 : 1].admin, identity.home);
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
    const retryAfterSeconds = findRateLimit(error)?.retryAfterSeconds ?? 0;
    expect(findRateLimit(error)).toEqual({ policy: "token", quota: 1, windowSeconds: 60, retryAfterSeconds });
    expect(retryAfterSeconds).toBeGreaterThanOrEqual(1);
    expect(retryAfterSeconds).toBeLessThanOrEqual(60);
    const delays = error.findDetails(RetryInfoSchema).map(({ retryDelay }) => retryDelay?.seconds);
    expect(delays).toEqual([BigInt(retryAfterSeconds)]);
  });

  test("is described in the headers of each reply, with the organization's", async () => {
    await using shared = await startReplicas({ perToken: LIMIT, perOrganization: 10 });
    const [{ url }] = shared.replicas;
    const headersOf = (transport: Transport, token: string) => limitHeadersOf(transport, token, shared.identity.home);
    const policies = '"token";q=20;w=60, "organization";q=10;w=60';
    const grpc = createGrpcTransport({ baseUrl: url });
    const left = (token: number, organization: number) =>
      expect.stringMatching(new RegExp(`^"token";r=${token};t=\\d+, "organization";r=${organization};t=\\d+$`));
    expect(await headersOf(grpc, tokenOf("admin"))).toEqual([policies, left(19, 9)]);
    const connect = createConnectTransport({ baseUrl: url, httpVersion: "1.1" });
    expect(await headersOf(connect, tokenOf("admin"))).toEqual([policies, left(18, 8)]);
    expect(await headersOf(connect, SERVICE_TOKEN)).toEqual([null, null]);
  });

  test("asks identity nothing about a token that has used it up, and counts no unknown token", async () => {
    await using shared = await startReplicas({ perToken: 1, perOrganization: 0 });
    const { identity, replicas } = shared;
    const [{ admin, stranger }] = replicas;
    expect(await list(admin, identity.home)).toBe("not refused");
    expect(await list(stranger, identity.home)).toMatch(/^401/);
    expect(Object.values(await shared.sums())).toEqual([1]);
    await identity.stop();
    expect(await list(admin, identity.home)).toBe(LIMITED);
    expect(await list(stranger, identity.home)).toMatch(/^503/);
  });

  test("keeps no token, but a digest", async () => {
    await using shared = await startReplicas({ perToken: LIMIT, perOrganization: LIMIT });
    await list(shared.replicas[0].admin, shared.identity.home);
    expect(Object.keys(await shared.sums())).toEqual([
      `organization:${shared.identity.home}`,
      expect.stringMatching(/^token:[0-9a-f]{32}$/),
    ]);
  });

  test("starts again at 0 in the next window", async () => {
    await using shared = await startReplicas({ perToken: LIMIT, perOrganization: 0 });
    const { identity, replicas, db } = shared;
    expect(await passing(LIMIT, replicas[0].admin, identity.home)).toBe(LIMIT);
    await execute(db, statement`update rate_limits set expire = 0`);
    expect(await passing(LIMIT + 1, replicas[1].admin, identity.home)).toBe(LIMIT);
  });
});

describe("two replicas", () => {
  test("together let pass the limit", async () => {
    await using shared = await startReplicas({ perToken: LIMIT, perOrganization: 0 });
    expect(await passingInTurn(shared, 3 * LIMIT)).toBe(LIMIT);
  });

  test("control: without what they have counted together, each lets pass the limit", async () => {
    await using shared = await startReplicas({ perToken: LIMIT, perOrganization: 0 });
    const { identity, replicas, db } = shared;
    expect(await passing(2 * LIMIT, replicas[0].admin, identity.home)).toBe(LIMIT);
    await execute(db, statement`delete from rate_limits`);
    expect(await passing(2 * LIMIT, replicas[1].admin, identity.home)).toBe(LIMIT);
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
  const connections = statement`
    select
    from pg_stat_activity
    where datname = current_database() and application_name = 'environment rate limits'`;
  expect((await shared.db.read(connections)).rowCount).toBe(0);
  expect(await replica.metrics()).not.toContain("rate_limit");
});
