import { fail, reasonOf } from "@cloud/access/errors";
import { TOKEN_PREFIX } from "@cloud/access/principal";
import { refusal } from "@cloud/access/testing";
import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import { AuthService } from "@cloud/proto/identity/v1/auth_service_pb";
import { takeStablePort, waitFor } from "@cloud/testkit";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import type { Authenticator } from "../src/authenticator.ts";
import { createAuthenticator, createServiceTransport } from "../src/index.ts";
import { startIdentityServer } from "./identity-server.ts";
import { startUserServer, WORKSPACE } from "./start-user-server.ts";

const TOKEN = TOKEN_PREFIX + "x".repeat(43);
const resources: (() => unknown)[] = [];
afterEach(async () => {
  for (const release of resources.splice(0).reverse()) await release();
});

function authenticatorAt(url: string, serviceToken: string) {
  const identity = createServiceTransport({ url, serviceToken, deadlineMs: 30_000 });
  resources.push(() => identity.close());
  return createAuthenticator({ identity });
}

test("a token of another form is refused without a call of identity", async () => {
  const { authenticate } = authenticatorAt(`http://127.0.0.1:${await takeStablePort()}`, "any");
  expect(await refusal(authenticate("garbage"))).toBe("401 UNAUTHENTICATED: a valid security token is required");
  expect(await refusal(authenticate(TOKEN))).toMatch(/^503 UNAVAILABLE/);
});

test("a refusal of this service's own credential is not the caller's fault", async () => {
  const server = await startUserServer({
    services: [AuthService],
    routes: (router) =>
      router.service(AuthService, {
        authenticate: () => ({}),
        batchAuthenticate: () => ({ identities: { 0: {} } }),
      }),
    serviceCredentials: [
      { name: "workspace", secret: "credential-of-workspace" },
      { name: "identity", secret: "credential-of-identity" },
    ],
  });
  resources.push(() => server.stop());
  const as = (credential: string) => refusal(authenticatorAt(server.url, credential).authenticate(TOKEN));
  expect(await as("credential-of-workspace")).toBe("not refused");
  for (const credential of ["credential-of-identity", "unknown"]) {
    expect(await as(credential)).toBe("500 INTERNAL: internal error");
  }
});

const tokenOf = (name: string) => TOKEN_PREFIX + name.padEnd(43, "x");

async function startIdentity(options: Parameters<typeof startIdentityServer>[0] = {}) {
  const server = await startIdentityServer(options);
  resources.push(() => server.stop());
  return { server, ...authenticatorAt(server.url, WORKSPACE) };
}

test("tokens that are presented together are one look-up, and each caller has the user of its own", async () => {
  const { server, authenticate } = await startIdentity();
  const names = ["a", "b", "c", "a"].map(tokenOf);
  for (const name of names) server.valid.add(name);
  const outcomes = [...names, tokenOf("unknown"), "garbage"].map((token) =>
    authenticate(token).then(({ userId }) => userId, reasonOf),
  );
  expect(await Promise.all(outcomes)).toEqual([...names, Reason.UNAUTHENTICATED, Reason.UNAUTHENTICATED]);
  expect(server.lookUps).toEqual([["a", "b", "c", "unknown"].map(tokenOf)]);
});

test("the permissions in each organization come from the roles there", async () => {
  const { server, authenticate } = await startIdentity();
  const [token] = ["a"].map(tokenOf) as [string];
  server.valid.add(token);
  server.membership = { organizationId: "home", roleNames: ["viewer", "editor", "of no permission"] };
  server.roles = { viewer: { permissions: ["View", "List"] }, editor: { permissions: ["Edit", "View"] } };
  const { memberships } = await authenticate(token);
  expect(memberships).toMatchObject([{ organizationId: "home", permissions: ["Edit", "List", "View"] }]);
});

test("300 tokens are two look-ups, none of more than 256", async () => {
  const { server, authenticate } = await startIdentity();
  const tokens = Array.from({ length: 300 }, (_, index) => tokenOf(String(index)));
  for (const token of tokens) server.valid.add(token);
  const users = await Promise.all(tokens.map(authenticate));
  expect(users.map(({ userId }) => userId)).toEqual(tokens);
  expect(server.lookUps.map(({ length }) => length)).toEqual([256, 44]);
});

test("a look-up that fails, fails its own callers only", async () => {
  const { server, authenticate } = await startIdentity();
  const [bad, good] = ["bad", "good"].map(tokenOf) as [string, string];
  server.valid.add(good);
  server.beforeReply = async (tokens) => {
    if (tokens.includes(bad)) throw fail(Reason.UNAVAILABLE);
  };
  const failed = [refusal(authenticate(bad)), refusal(authenticate(good))];
  expect(await Promise.all(failed)).toEqual(Array(2).fill(expect.stringMatching(/^503 UNAVAILABLE/)));
  expect((await authenticate(good)).userId).toBe(good);
});

test("a silent look-up delays the others by a moment, not by its deadline", async () => {
  const { server, authenticate } = await startIdentity();
  const [first, second, third] = ["1", "2", "3"].map(tokenOf) as [string, string, string];
  for (const token of [first, second, third]) server.valid.add(token);
  const gate = Promise.withResolvers<void>();
  server.beforeReply = (tokens) => (tokens.includes(third) ? Promise.resolve() : gate.promise);
  const silent: Promise<unknown>[] = [];
  for (const token of [first, second]) {
    silent.push(authenticate(token));
    await waitFor(() => (server.lookUps.length === silent.length ? true : undefined), { deadlineMs: 30_000 });
  }
  expect((await authenticate(third)).userId).toBe(third);
  gate.resolve();
  await Promise.all(silent);
});

test("users with so many memberships that one reply cannot contain them are looked up one by one", async () => {
  const { server, authenticate } = await startIdentity();
  const tokens = ["1", "2"].map(tokenOf);
  for (const token of tokens) server.valid.add(token);
  server.beforeReply = async ({ length }) => {
    if (length > 1) throw fail(Reason.ANSWER_TOO_LARGE);
  };
  const users = await Promise.all(tokens.map(authenticate));
  expect(users.map(({ userId }) => userId)).toEqual(tokens);
  expect(server.lookUps).toEqual([tokens, ...tokens.map((token) => [token])]);
});

test("an identity that does not have the RPC at all is asked one by one", async () => {
  const older = { ...AuthService, methods: [AuthService.method.authenticate] };
  const server = await startUserServer({
    services: [AuthService],
    routes: (router) => router.service(older, { authenticate: ({ token }) => ({ userId: token }) }),
  });
  resources.push(() => server.stop());
  const { authenticate } = authenticatorAt(server.url, WORKSPACE);
  const tokens = ["1", "2"].map(tokenOf);
  const users = await Promise.all(tokens.map(authenticate));
  expect(users.map(({ userId }) => userId)).toEqual(tokens);
});

describe("while identity is of a release without BatchAuthenticate", () => {
  const [valid, invalid] = ["valid", "invalid"].map(tokenOf) as [string, string];
  let isOlder: boolean;
  beforeEach(() => {
    isOlder = true;
  });
  const both = ({ authenticate }: Pick<Authenticator, "authenticate">) =>
    Promise.all([valid, invalid].map((token) => authenticate(token).then(({ userId }) => userId, reasonOf)));

  test("tokens are looked up one by one, and together as soon as it has it", async () => {
    const { server, ...authenticator } = await startIdentity({ isOlder: () => isOlder });
    server.valid.add(valid);
    const expected = [valid, Reason.UNAUTHENTICATED];
    expect(await both(authenticator)).toEqual(expected);
    expect(server.lookUps.splice(0)).toEqual([[valid], [invalid]]);
    isOlder = false;
    expect(await both(authenticator)).toEqual(expected);
    expect(server.lookUps).toEqual([[valid, invalid]]);
  });

  test("a failure of one look-up fails the callers with its token only", async () => {
    const { server, ...authenticator } = await startIdentity({ isOlder: () => isOlder });
    server.valid.add(valid);
    server.beforeReply = async ([token]) => {
      if (token === invalid) throw fail(Reason.OVERLOADED);
    };
    expect(await both(authenticator)).toEqual([valid, Reason.OVERLOADED]);
  });
});
