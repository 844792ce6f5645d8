import { type OwnTestStack, startTestStack } from "@cloud/local-stack/test-stack";
import type { Database } from "@cloud/postgres";
import { openTestDatabase } from "@cloud/testkit";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { type Rest, type RestCalls, refused, restFor } from "../rest.ts";
import { systemRest } from "../system-rest.ts";
import { type Place, preparePlace, tryOperation } from "./permission-targets.ts";
import { ALL_ORGANIZATIONS, OPERATIONS, type Operation } from "./promised-permissions.ts";
import { setRoleKeys } from "./role-keys.ts";

// The matrix cannot distinguish keys that the same roles hold. Here the role User holds no key, or one.
const CHECKED = OPERATIONS.filter(({ permission }) => permission !== undefined);
const UNCHECKED = OPERATIONS.filter(({ permission }) => permission === undefined);
/** The role of the demo's user; no other test uses this database. */
const ROLE = "User";

let stack: OwnTestStack;
let identity: Database;
let system: RestCalls;
let user: Rest;
let place: Place;
beforeAll(async () => {
  stack = await startTestStack();
  const { demo, superuserUrl: url } = stack;
  identity = openTestDatabase({ url, schema: "identity" });
  system = systemRest(stack);
  user = restFor(demo, demo.users.user.token);
  place = await preparePlace(system, demo.organizations[0]?.id ?? "", demo.users.orgAdmin.id);
});
afterAll(async () => {
  await identity.close();
  await stack.stop();
});

const setKeys = (keys: readonly string[]) => setRoleKeys(identity, ROLE, keys);
const attempt = (operation: Operation) => tryOperation(system, user, operation, place);
const keyOf = ({ permission = "" }: Operation) => permission;

test("without any key: unchecked operations succeed, checked ones name the missing key", async () => {
  await setKeys([]);
  for (const operation of UNCHECKED) {
    expect([operation.name, (await attempt(operation)).status]).toEqual([operation.name, operation.success]);
  }
  for (const operation of [...CHECKED, ...ALL_ORGANIZATIONS]) {
    const lacking = '403 permission "' + keyOf(operation) + '" is required';
    expect([operation.name, refused(await attempt(operation))]).toEqual([operation.name, lacking]);
  }
});

test("the one key that the specification names suffices", async () => {
  for (const key of new Set(CHECKED.map(keyOf))) {
    await setKeys([key]);
    for (const operation of CHECKED.filter((checked) => keyOf(checked) === key)) {
      expect([operation.name, (await attempt(operation)).status]).toEqual([operation.name, operation.success]);
    }
  }
});
