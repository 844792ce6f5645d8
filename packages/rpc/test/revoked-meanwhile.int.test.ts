import { fileURLToPath } from "node:url";
import { TOKEN_PREFIX } from "@cloud/access/principal";
import { type Program, startProgram, takeStablePort, waitFor, without } from "@cloud/testkit";
import { afterEach, expect, test } from "@jest/globals";
import { type IdentityServer, startIdentityServer } from "./identity-server.ts";
import { PROFILE } from "./start-user-server.ts";

/** A request joins the look-up of its token that is in flight. */
const JOINED = {
  marker: "look-up-per-request",
  instead: `
    const inFlight = (globalThis.inFlight ??= new Map());
    if (!inFlight.has(bearer)) inFlight.set(bearer, lookUp(bearer).finally(() => inFlight.delete(bearer)));
    const state = await inFlight.get(bearer);`,
};

const token = (name: string) => TOKEN_PREFIX + name.padEnd(43, "x");

const resources: (() => unknown)[] = [];
afterEach(async () => {
  for (const release of resources.splice(0).reverse()) await release();
});

async function start(identity: IdentityServer, { preload, env }: ReturnType<typeof without>): Promise<Program> {
  const main = fileURLToPath(new URL("revoked-meanwhile/program.ts", import.meta.url));
  const [port, operatorPort] = [await takeStablePort(), await takeStablePort()];
  const settings = { ...env, IDENTITY_URL: identity.url };
  const program = await startProgram({ name: "rpc", main, port, operatorPort, env: settings, preload });
  resources.push(() => program.close());
  return program;
}

/** Waits until as many requests of the program are being authenticated. */
async function authenticating({ operatorUrl }: Program, count: number): Promise<void> {
  await waitFor(
    async () => {
      const metrics = await (await fetch(operatorUrl + "/metrics")).text();
      const found = /^admission_in_flight\{[^}]*work="authentication"[^}]*\} (\d+)/m.exec(metrics)?.[1];
      return Number(found) === count ? true : undefined;
    },
    { deadlineMs: 30_000 },
  );
}

async function statusOf({ url }: Program, bearer: string): Promise<number> {
  const headers = { "content-type": "application/json", authorization: "Bearer " + bearer };
  const response = await fetch(url + PROFILE, { method: "POST", headers, body: "{}" });
  await response.text();
  return response.status;
}

/**
 * Holds `held` look-ups after they have found their tokens valid, revokes the first token, and sends another request
 * with it before the held ones are replied. Returns the status of a held request, and that of the other.
 */
async function revokeWhileHeld(held: number, removed: Parameters<typeof without>[0]) {
  const identity = await startIdentityServer();
  resources.push(() => identity.stop());
  const program = await start(identity, without(removed));
  const tokens = Array.from({ length: held }, (_, index) => token(String(index)));
  for (const one of tokens) identity.valid.add(one);
  const gate = Promise.withResolvers<void>();
  identity.beforeReply = () => gate.promise;

  const before: Promise<number>[] = [];
  for (const one of tokens) {
    before.push(statusOf(program, one));
    await waitFor(() => (identity.lookUps.length === before.length ? true : undefined), { deadlineMs: 30_000 });
  }
  identity.valid.delete(tokens[0] ?? "");
  const after = statusOf(program, tokens[0] ?? "");
  await authenticating(program, held + 1);
  gate.resolve();
  const [first] = await Promise.all(before); // all of them: the program is killed after the test
  return { before: first, after: await after };
}

// With one, the other request is looked up at once; with two, its look-up waits for one of them.
test.each([1, 2])(
  "a token revoked during %d look-ups is refused to a request that arrives during them",
  async (held) => {
    expect(await revokeWhileHeld(held, [])).toEqual({ before: 200, after: 401 });
  },
);

test("control: a request that joins the look-up in flight is let through with a revoked token", async () => {
  expect(await revokeWhileHeld(1, [JOINED])).toEqual({ before: 200, after: 200 });
});
