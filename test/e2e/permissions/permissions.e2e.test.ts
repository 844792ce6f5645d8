import { readFileSync, writeFileSync } from "node:fs";
import { joinTestStack, type TestStack } from "@cloud/local-stack/test-stack";
import { AuthService } from "@cloud/proto/identity/v1/auth_service_pb";
import { createServiceTransport } from "@cloud/rpc";
import { createClient } from "@connectrpc/connect";
import { beforeAll, describe, expect, test } from "@jest/globals";
import { type Rest, type RestCalls, type RestClients, restClients, restFor } from "../rest.ts";
import { systemRest } from "../system-rest.ts";
import { createMember, LOOKS, type Seen } from "./people.ts";
import { type Place, preparePlace, tryOperation } from "./permission-targets.ts";
import {
  ALL_ORGANIZATIONS,
  CALLERS,
  HOLDERS,
  type MatrixCaller,
  OPERATIONS,
  type Operation,
  OWN_HOLDERS,
  promisedStatus,
  ROLES,
  type Role,
} from "./promised-permissions.ts";
import { renderPermissions } from "./render-permissions.ts";

const PAGE = new URL("../../../docs/permissions.md", import.meta.url);
const ROWS: readonly Operation[] = [...OPERATIONS, ...ALL_ORGANIZATIONS];

let stack: TestStack;
let as: RestClients;
let system: RestCalls;
let first: Place;
let revoked: Rest;
beforeAll(async () => {
  stack = await joinTestStack();
  const { demo } = stack;
  as = restClients(demo);
  system = systemRest(stack);
  first = await preparePlace(system, demo.organizations[0]?.id ?? "", demo.users.orgAdmin.id);
  // The token of an Org Admin, whom every operation would otherwise accept.
  const { body } = await as.orgAdmin.post("/identity/tokens", { name: "to be revoked" });
  await as.orgAdmin.delete("/identity/tokens/" + body.token.id);
  revoked = restFor(demo, body.secret);
});

describe("the matrix", () => {
  const matrix = new Map<string, Record<MatrixCaller, number>>();
  const seen = new Map<string, Record<MatrixCaller, Seen>>();
  let held: Record<Role, string[]>;

  beforeAll(async () => {
    const clients = { ...as, anonymous: as.anonymous, revoked };
    const rowOf = async (operation: Operation) => {
      const cells = CALLERS.map(async (caller) => {
        const { status } = await tryOperation(system, clients[caller], operation, first);
        return [caller, status] as const;
      });
      return Object.fromEntries(await Promise.all(cells)) as Record<MatrixCaller, number>;
    };
    for (const operation of ROWS) matrix.set(operation.name, await rowOf(operation));
    held = await readHeldKeys();
    const member = await createMember(system, first.organizationId);
    for (const { name, see } of LOOKS) {
      const cells = CALLERS.map(async (caller) => [caller, await see(clients[caller], member)] as const);
      seen.set(name, Object.fromEntries(await Promise.all(cells)) as Record<MatrixCaller, Seen>);
    }
  });

  test.each(LOOKS.map(({ name, promised }) => [name, promised] as const))("who is seen by %s", (name, promised) => {
    expect(seen.get(name)).toEqual(promised);
  });

  test.each(ROWS.map((operation) => [operation.name, operation] as const))("%s", (name, operation) => {
    const promised = CALLERS.map((caller) => [caller, promisedStatus(operation, caller)]);
    expect(matrix.get(name)).toEqual(Object.fromEntries(promised));
  });

  test.each(ROLES)("the keys of %s", (role) => {
    const promised = Object.entries({ ...HOLDERS, ...OWN_HOLDERS }).filter(([, roles]) => roles.includes(role));
    expect(held[role].toSorted()).toEqual(promised.map(([key]) => key).sort());
  });

  test("docs/permissions.md is up to date", () => {
    const rendered = renderPermissions({
      operations: ROWS,
      matrix,
      seen,
      held,
      keys: Object.keys({ ...HOLDERS, ...OWN_HOLDERS }),
    });
    if (process.env["UPDATE_DOCS"] === "1") writeFileSync(PAGE, rendered);
    expect(readFileSync(PAGE, "utf8")).toBe(rendered);
  });

  test("has a row for each operation of the specification", () => {
    expect(new Set(OPERATIONS.map(({ name }) => name)).size).toBe(29);
  });
});

async function readHeldKeys(): Promise<Record<Role, string[]>> {
  const transport = createServiceTransport({
    url: stack.services.identity,
    serviceToken: stack.serviceToken,
    deadlineMs: 30_000,
  });
  const client = createClient(AuthService, transport);
  const keysOf = async (role: Role) => {
    const { memberships } = await client.authenticate({ token: stack.demo.users[role].token });
    const place = memberships.find(({ organizationId }) => organizationId === first.organizationId);
    return [role, place?.permissions ?? []] as const;
  };
  return Object.fromEntries(await Promise.all(ROLES.map(keysOf))) as Record<Role, string[]>;
}
