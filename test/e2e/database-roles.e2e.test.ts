import { rolesOf } from "@cloud/local-stack";
import { joinTestStack, type TestStack } from "@cloud/local-stack/test-stack";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import pg from "pg";

/** The system's own programs run with these roles: that they can do their work is what all other tests show. */
let stack: TestStack;
let client: pg.Client;
let database: string;

beforeAll(async () => {
  stack = await joinTestStack();
  database = new URL(stack.superuserUrl).pathname.slice(1);
  client = new pg.Client({ connectionString: stack.superuserUrl });
  await client.connect();
});
afterAll(async () => {
  await client?.end();
});

/** Returns "done", or why Postgres refuses the statement to the role. Nothing of it remains. */
async function as(role: string, statement: string): Promise<string> {
  await client.query("begin");
  try {
    await client.query("select set_config('role', $1, true)", [role]);
    await client.query(statement);
    return "done";
  } catch (error) {
    return (error as Error).message;
  } finally {
    await client.query("rollback");
  }
}

const SERVICES = ["identity", "environment", "workspace"] as const;
type Service = (typeof SERVICES)[number];

const roleOf = (service: Service) => `${database}_${service}`;
const recordsOf: Readonly<Record<Service, string>> = {
  identity: "users",
  environment: "environments",
  workspace: "workspaces",
};

describe.each(SERVICES)("the role of %s", (service) => {
  const table = `${service}.${recordsOf[service]}`;

  test.each([
    `drop table ${table}`,
    `drop schema ${service} cascade`,
    `alter table ${table} add column more text`,
    `truncate ${table}`,
    `create table ${service}.more (id int)`,
    `create temporary table more (id int)`,
    "create schema more",
    "create role more",
    `delete from ${service}.schema_migrations`,
    `update ${service}.installation set id = gen_random_uuid()`,
    `copy ${table} to program 'cat'`,
  ])("is refused: %s", async (statement) => {
    expect(await as(roleOf(service), statement)).toMatch(/^(permission denied|must be owner)/);
  });

  test("sees no other schema", async () => {
    for (const other of SERVICES.filter((name) => name !== service)) {
      const refused = `permission denied for schema ${other}`;
      expect(await as(roleOf(service), `select from ${other}.${recordsOf[other]}`)).toBe(refused);
    }
  });

  test("may change the rows of its records", async () => {
    expect(await as(roleOf(service), `update ${table} set created_at = created_at`)).toBe("done");
  });
});

test.each(["delete from", "truncate", "update"])("no program changes the activity log: %s", async (verb) => {
  const rest = verb === "update" ? " set severity = severity" : "";
  const statement = `${verb} workspace.activity_events${rest}`;
  expect(await as(roleOf("workspace"), statement)).toBe("permission denied for table activity_events");
  // Control: the owner may.
  expect(await as(`${roleOf("workspace")}_owner`, statement)).toBe("done");
});

test.each([
  ["workspace", "purge_activity_events"],
  ["identity", "purge_audit_events"],
] as const)(
  "the program of %s deletes lines of its log that are 30 days old by %s, and no others",
  async (service, name) => {
    const role = roleOf(service);
    expect(await as(role, `select ${service}.${name}('', 30, 1000)`)).toBe("done");
    expect(await as(role, `select ${service}.${name}('', 29, 1000)`)).toBe(
      "lines of the log are kept for at least 30 days",
    );
    const [other] = SERVICES.filter((one) => one !== service);
    expect(await as(roleOf(other ?? service), `select ${service}.${name}('', 30, 1000)`)).toBe(
      `permission denied for schema ${service}`,
    );
  },
);

test.each(["roles", "permissions", "role_permissions"])("no program changes %s", async (table) => {
  expect(await as(roleOf("identity"), `delete from identity.${table}`)).toBe(`permission denied for table ${table}`);
});

test("every table of a schema is either a log, read only, or open to changes of rows", async () => {
  const { rows } = await client.query<{ rights: string; table: string }>(
    `select string_agg(distinct privilege_type, ' ' order by privilege_type) as rights, table_name::text as table
     from information_schema.role_table_grants
     where grantee = any($1)
     group by grantee, table_name
     order by table_name`,
    [rolesOf(database)],
  );
  const counts = Map.groupBy(rows, ({ rights }) => rights);
  expect([...counts.keys()].sort()).toEqual(["DELETE INSERT SELECT UPDATE", "INSERT SELECT", "SELECT"]);
  expect(counts.get("INSERT SELECT")?.map(({ table }) => table)).toEqual(["activity_events", "audit_events"]);
});
