import { permissionName, setPermissions } from "@cloud/access/principal";
import { refusal } from "@cloud/access/testing";
import { statement } from "@cloud/postgres";
import { PermissionSchema } from "@cloud/proto/cloud/api/v1/permission_pb";
import { execute, openTestDatabase, testTelemetry } from "@cloud/testkit";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { selectIdentities } from "../src/authentication/authenticate.ts";
import { ROLE_NAMES, type RoleName } from "../src/memberships/rules.ts";
import { type Fixture, startFixture } from "./fixture.ts";

const UNAUTHENTICATED = "401 UNAUTHENTICATED: a valid security token is required";

let fixture: Fixture;
beforeAll(async () => {
  fixture = await startFixture();
});
afterAll(() => fixture.stop());

async function setUserDeleted(id: string): Promise<void> {
  const text = statement`
    update users
    set deleted_at = now()
    where id = $1`;
  await execute(fixture.db, text, [id]);
}

describe("tokens", () => {
  test("only the digest of a secret is stored", async () => {
    const person = await fixture.createPerson();
    const { token, secret } = await person.tokens.createToken({ name: "laptop" });
    expect(secret).toMatch(/^cst_[A-Za-z0-9_-]{43}$/);
    expect(token).toMatchObject({ userId: person.id, name: "laptop", hint: secret.slice(0, 8) });
    const { rows } = await fixture.db.read(statement<{ row: string }>`
      select row_to_json(tokens)::text as row
      from tokens`);
    expect(rows.some(({ row }) => row.includes(secret.slice(8)))).toBe(false);
    const { tokens, totalCount } = await person.tokens.listTokens({});
    expect([totalCount, tokens.map(({ name }) => name)]).toEqual([2, ["laptop", ""]]);
  });

  test("a revoked token is refused by the very next call; the user's other tokens still work", async () => {
    const person = await fixture.createPerson();
    const { token, secret } = await person.tokens.createToken({});
    const second = fixture.as(secret);
    await second.users.getProfile({});
    await person.tokens.revokeToken({ id: token?.id ?? "" });
    expect(await refusal(second.users.getProfile({}))).toBe(UNAUTHENTICATED);
    expect(await refusal(fixture.service.auth.authenticate({ token: secret }))).toBe(UNAUTHENTICATED);
    const first = await person.tokens.listTokens({});
    await person.tokens.revokeToken({ id: token?.id ?? "" });
    expect(await person.tokens.listTokens({})).toEqual(first);
  });

  test("only a service may revoke the token of another user", async () => {
    const [owner, other] = [await fixture.createPerson(), await fixture.createPerson()];
    const { token, secret } = await owner.tokens.createToken({ userId: other.id });
    expect(token?.userId).toBe(owner.id);
    const notFound = "404 TOKEN_NOT_FOUND: token not found";
    expect(await refusal(other.tokens.revokeToken({ id: token?.id ?? "" }))).toBe(notFound);
    expect((await fixture.service.auth.authenticate({ token: secret })).userId).toBe(owner.id);
    await fixture.service.tokens.revokeToken({ id: token?.id ?? "" });
    expect(await refusal(fixture.service.auth.authenticate({ token: secret }))).toBe(UNAUTHENTICATED);
  });

  test.each(["", "x", "cst_", "cst_" + "A".repeat(43)])("%j is refused", async (token) => {
    expect(await refusal(fixture.service.auth.authenticate({ token }))).toBe(UNAUTHENTICATED);
    expect(await refusal(fixture.as(token).users.getProfile({}))).toBe(UNAUTHENTICATED);
  });

  test("a deleted user's token is refused", async () => {
    const person = await fixture.createPerson();
    await setUserDeleted(person.id);
    expect(await refusal(person.users.getProfile({}))).toBe(UNAUTHENTICATED);
  });
});

describe("BatchAuthenticate", () => {
  /** Returns the users by position, with the permissions of their roles, which the authenticator of a service adds. */
  const authenticateAll = async (tokens: string[]) => {
    const { identities, roles } = await fixture.service.auth.batchAuthenticate({ tokens });
    const permissions = Object.entries(roles).map(([role, held]) => [role, held.permissions] as const);
    setPermissions(Object.values(identities), new Map(permissions));
    return identities;
  };

  test("returns for each token what Authenticate returns, and nothing for a token that it refuses", async () => {
    const [one, two, dead] = [
      await fixture.createOrganization(),
      await fixture.createOrganization(),
      await fixture.createOrganization(),
    ];
    const several = await fixture.createMember(one, "Team Admin", "Workspace Admin");
    await fixture.service.organizations.setMemberRoles({ id: two, userId: several.id, roleNames: ["User"] });
    await fixture.service.organizations.setMemberRoles({ id: dead, userId: several.id, roleNames: ["Org Admin"] });
    const provider = await fixture.createMember(two, "Provider Admin", "User");
    const formerProvider = await fixture.createMember(dead, "Provider Admin");
    await fixture.service.organizations.deleteOrganization({ id: dead });
    const deleted = await fixture.createMember(one, "User");
    await setUserDeleted(deleted.id);
    const revoked = await provider.tokens.createToken({});
    await provider.tokens.revokeToken({ id: revoked.token?.id ?? "" });
    const other = await provider.tokens.createToken({});
    const unknown = "cst_" + "A".repeat(43);
    const valid = [several, await fixture.createPerson(), provider, formerProvider].map(({ token }) => token);
    const refused = [deleted.token, revoked.secret, unknown, "", "x"];
    // A token that is given twice is found twice.
    const tokens = [...valid, ...refused, other.secret, several.token];

    const single = await Promise.all(
      tokens.map(async (token, position) => {
        const identity = await fixture.service.auth.authenticate({ token }).catch(() => undefined);
        return identity === undefined ? [] : [[position, identity] as const];
      }),
    );
    const identities = await authenticateAll(tokens);
    expect(identities).toEqual(Object.fromEntries(single.flat()));
    expect(Object.keys(identities)).toEqual(["0", "1", "2", "3", "9", "10"]);
    expect(identities[0]?.memberships.map(({ organizationId }) => organizationId)).toEqual([one, two].sort());
    expect(identities[1]).toMatchObject({ memberships: [], everywhere: [] });
    expect(identities[2]?.everywhere.length).toBeGreaterThan(20);
    expect(identities[3]).toMatchObject({ memberships: [], everywhere: [] });
    expect(identities[9]?.tokenId).toBe(other.token?.id);
  });

  test("refuses a revoked token and a removed role at the very next call", async () => {
    const organization = await fixture.createOrganization();
    const person = await fixture.createMember(organization, "User");
    const { token, secret } = await person.tokens.createToken({});
    const tokens = [person.token, secret];
    expect(Object.keys(await authenticateAll(tokens))).toEqual(["0", "1"]);
    await person.tokens.revokeToken({ id: token?.id ?? "" });
    const [left, ...others] = Object.entries(await authenticateAll(tokens));
    expect([left?.[0], left?.[1].memberships.length, others]).toEqual(["0", 1, []]);
    await fixture.service.organizations.removeMember({ id: organization, userId: person.id });
    expect((await authenticateAll(tokens))[0]?.memberships).toEqual([]);
  });

  test("takes at most 256 tokens, and none", async () => {
    const { token } = await fixture.createPerson();
    expect(Object.keys(await authenticateAll(Array(256).fill(token)))).toHaveLength(256);
    const refused = "400 INVALID_PARAMETER: tokens must be at most 256 tokens";
    expect(await refusal(authenticateAll(Array(257).fill(token)))).toBe(refused);
    expect(await authenticateAll([])).toEqual({});
  });

  test("is planned once for any number of tokens, not each time", async () => {
    await using resources = new AsyncDisposableStack();
    const { url, schema } = fixture.db;
    const log = testTelemetry().log;
    const db = openTestDatabase({ url, schema, log, maxConnections: 1 });
    resources.defer(() => db.close());
    // Postgres compares five plans for the given tokens with one for any, and keeps the latter unless it costs more.
    for (const count of [1, 1, 1, 1, 1, 1, 2, 64, 256]) await selectIdentities(db, Array(count).fill(Buffer.alloc(32)));
    const { rows } = await db.read(statement`
      select custom_plans::int, generic_plans::int
      from pg_prepared_statements
      where statement like '%from tokens t%' and statement not like '%pg_prepared_statements%'`);
    expect(rows).toEqual([{ custom_plans: 5, generic_plans: 4 }]);
  });
});

describe("permissions", () => {
  test("the seeded keys are the keys of the proto", async () => {
    const { rows } = await fixture.db.read(statement<{ name: string }>`
      select name
      from permissions`);
    const declared = PermissionSchema.values.filter(({ number }) => number !== 0);
    const names = declared.map(({ number }) => permissionName(number as Parameters<typeof permissionName>[0]));
    expect(rows.map(({ name }) => name).sort()).toEqual(names.sort());
  });

  test("only a Provider Admin holds keys that an Org Admin lacks: assigning other roles escalates no privileges", async () => {
    const organization = await fixture.createOrganization();
    const above = async (role: RoleName) => {
      const { token } = await fixture.createMember(organization, role);
      const { memberships, everywhere } = await fixture.service.auth.authenticate({ token });
      const held = memberships[0]?.permissions ?? [];
      expect(held).toEqual(held.toSorted());
      expect(everywhere).toEqual(role === "Provider Admin" ? held : []);
      return held.filter((key) => !ofOrgAdmin.includes(key));
    };
    const orgAdmin = await fixture.createMember(organization, "Org Admin");
    const { memberships } = await fixture.service.auth.authenticate({ token: orgAdmin.token });
    const ofOrgAdmin = memberships[0]?.permissions ?? [];
    const lacked = await Promise.all(ROLE_NAMES.map(async (role) => [role, await above(role)] as const));
    expect(Object.fromEntries(lacked)).toEqual({
      User: [],
      "Team Admin": [],
      "Workspace Admin": [],
      "Org Admin": [],
      "Provider Admin": ["Manage Users", "View All Organizations"],
    });
  });

  test("several roles hold the union of their keys, per organization, and are listed lowest first", async () => {
    const [one, two] = [await fixture.createOrganization(), await fixture.createOrganization()];
    const person = await fixture.createMember(one, "Workspace Admin", "Team Admin");
    await fixture.service.organizations.setMemberRoles({ id: two, userId: person.id, roleNames: ["User"] });
    const { memberships } = await fixture.service.auth.authenticate({ token: person.token });
    const place = (id: string) => memberships.find(({ organizationId }) => organizationId === id);
    expect(place(one)?.roleNames).toEqual(["Team Admin", "Workspace Admin"]);
    expect(place(one)?.permissions).toEqual(expect.arrayContaining(["Manage Teams", "Create Workspace"]));
    expect(place(two)).toMatchObject({ roleNames: ["User"], permissions: expect.arrayContaining(["View Workspace"]) });
    expect(place(two)?.permissions).toHaveLength(3);
  });

  test("a Provider Admin of a deleted organization loses the role", async () => {
    const organization = await fixture.createOrganization();
    const { token } = await fixture.createMember(organization, "Provider Admin");
    await fixture.service.organizations.deleteOrganization({ id: organization });
    expect(await fixture.service.auth.authenticate({ token })).toMatchObject({ memberships: [], everywhere: [] });
  });
});
