import { type Database, openDatabase } from "@cloud/postgres";
import { testTelemetry } from "@cloud/testkit";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { startTestStack, type TestStack } from "../src/test-stack.ts";
import { type Place, preparePlace, tryOperation } from "./permission-targets.ts";
import { ALL_ORGANIZATIONS, OPERATIONS, type Operation } from "./promised-permissions.ts";
import { type Rest, refused, restFor } from "./rest.ts";

// The matrix cannot tell keys apart that the same roles hold. Here the role User holds no key, or one.
const CHECKED = OPERATIONS.filter(({ permission }) => permission !== undefined);
const UNCHECKED = OPERATIONS.filter(({ permission }) => permission === undefined);
/** Of the user of the demo; nobody else uses this database. */
const ROLE = "User";

let stack: TestStack;
let identity: Database;
let system: Rest;
let user: Rest;
let place: Place;
beforeAll(async () => {
  stack = await startTestStack();
  const { demo, superuserUrl: url } = stack;
  identity = openDatabase({ url, schema: "identity", applicationName: "permission keys", log: testTelemetry().log });
  system = restFor(demo, stack.serviceToken);
  user = restFor(demo, demo.users.user.token);
  place = await preparePlace(system, demo.organizations[0]?.id ?? "", demo.users.orgAdmin.id);
});
afterAll(async () => {
  await identity.close();
  await stack.stop();
});

async function setKeys(keys: readonly string[]): Promise<void> {
  await identity.withTransaction(async (tx) => {
    await tx.query("delete from role_permissions where role_name = $1", [ROLE]);
    await tx.query(
      "insert into role_permissions (role_name, permission_name) select $1::text, key from unnest($2::text[]) as key",
      [ROLE, keys],
    );
  });
}

const attempt = (operation: Operation) => tryOperation(system, user, operation, place);
const keyOf = ({ permission = "" }: Operation) => permission;

test("who holds no key may do what is checked by none, and is told which key they lack of the rest", async () => {
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
