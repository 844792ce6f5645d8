import { create } from "@bufbuild/protobuf";
import { Scope } from "@cloud/proto/cloud/api/v1/options_pb";
import { Permission } from "@cloud/proto/cloud/api/v1/permission_pb";
import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import { AuthenticateResponseSchema } from "@cloud/proto/identity/v1/auth_service_pb";
import { expect, test } from "@jest/globals";
import { Caller } from "./caller.ts";
import { servicePrincipal, userPrincipal } from "./principal.ts";
import { newId, type OrganizationId } from "./values.ts";

const [own, second, foreign] = [newId<OrganizationId>(), newId<OrganizationId>(), newId<OrganizationId>()];

const user = userPrincipal(
  create(AuthenticateResponseSchema, {
    userId: newId(),
    memberships: [own, second].map((organizationId) => ({ organizationId, permissions: [] })),
  }),
  "",
  async () => true,
);

const LIMIT = { policy: "organization", quota: 9, windowSeconds: 60, remaining: 8, retryAfterSeconds: 37 } as const;

/** Returns the organizations that a call counts for, while it does what it may not. */
async function counted(scope: Scope, act: (caller: Caller) => Promise<unknown>, principal = user) {
  const organizations: OrganizationId[] = [];
  const rule = { method: "test", forServicesOnly: false, callers: [], scope, permission: Permission.EDIT_WORKSPACE };
  const countOrganization = async (organization: OrganizationId) => {
    organizations.push(organization);
    return LIMIT;
  };
  const caller = new Caller(principal, rule, { countOrganization, counted: [] });
  await act(caller).catch(() => undefined);
  expect(caller.rateLimits).toEqual(organizations.map(() => LIMIT));
  return organizations;
}

const access = (organization: OrganizationId) => (caller: Caller) =>
  caller.requireAccess(organization, Reason.WORKSPACE_NOT_FOUND);

test("a request counts for the organization of its target, although the permission is missing", async () => {
  expect(await counted(Scope.RECORD, access(own))).toEqual([own]);
});

test("it counts once, for the first organization", async () => {
  const act = async (caller: Caller) => {
    await caller.isMemberOf(second);
    await caller.isMemberOf(second);
    await access(own)(caller);
  };
  expect(await counted(Scope.RECORD, act)).toEqual([second]);
});

test("a list counts for its organization", async () => {
  expect(await counted(Scope.LIST, (caller) => caller.requireListScope(own))).toEqual([own]);
  expect(await counted(Scope.LIST, (caller) => caller.requireListScope("all"))).toEqual([]);
});

test("nothing counts for an organization that the caller is not in", async () => {
  expect(await counted(Scope.RECORD, access(foreign))).toEqual([]);
  expect(await counted(Scope.LIST, (caller) => caller.requireListScope(foreign))).toEqual([]);
  expect(await counted(Scope.CREATION, (caller) => caller.requireCreation(foreign))).toEqual([]);
});

test("requests of services do not count", async () => {
  expect(await counted(Scope.RECORD, access(own), servicePrincipal("", "workspace"))).toEqual([]);
});
