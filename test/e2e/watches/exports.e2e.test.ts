import { ruleOf } from "@cloud/access/errors";
import { newId } from "@cloud/access/values";
import { type OwnTestStack, startTestStack } from "@cloud/local-stack/test-stack";
import type { Database } from "@cloud/postgres";
import { type Reason, ReasonSchema } from "@cloud/proto/cloud/api/v1/reason_pb";
import { openTestDatabase } from "@cloud/testkit";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import pg from "pg";
import { setRoleKeys } from "../permissions/role-keys.ts";
import { restClients } from "../rest.ts";
import { STREAM_ERRORS } from "./stream-errors.ts";

const LINES = 1_200;

let stack: OwnTestStack;
let identity: Database;
let path: string;
beforeAll(async () => {
  stack = await startTestStack();
  const { superuserUrl: url } = stack;
  identity = openTestDatabase({ url, schema: "identity" });
  const organizationId = stack.demo.organizations[0]?.id;
  path = `/organizations/${organizationId}/events:export`;
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  // Lines of the same time, between which a page ends.
  await client.query(
    `insert into workspace.activity_events
       (id, workspace_id, organization_id, owner, action, severity, description, acted_upon, acted_upon_kind, created_at)
     select gen_random_uuid(), gen_random_uuid(), $1, '', 'update', 'success', 'line ' || n, '', '', now() - interval '1 h'
     from generate_series(1, $2) n`,
    [organizationId, LINES],
  );
  await client.end();
}, 60_000);
afterAll(async () => {
  await identity.close();
  await stack.stop();
});

interface Line {
  readonly event: { readonly id: string };
  readonly cursor: string;
}

async function exported(query = ""): Promise<{ type: string | null; lines: Line[] }> {
  const headers = { authorization: `Bearer ${stack.demo.users.user.token}` };
  const response = await fetch(`${stack.demo.gateway}/api${path}${query}`, { headers });
  const text = await response.text();
  const lines = text.split("\n").filter(Boolean);
  return { type: response.headers.get("content-type"), lines: lines.map((line) => JSON.parse(line) as Line) };
}

async function listed(): Promise<object[]> {
  const events: object[] = [];
  for (let cursor: string | undefined = ""; cursor !== undefined; ) {
    const { body } = await restClients(stack.demo).user.get(`${path.split(":")[0]}?pageSize=100&cursor=${cursor}`);
    events.push(...body.events);
    cursor = body.nextCursor || undefined;
  }
  return events;
}

test("an export has what the list has, in its order, a record in each line", async () => {
  const { type, lines } = await exported();
  expect(type).toBe("application/x-ndjson");
  expect(lines.length).toBeGreaterThan(LINES);
  expect(lines.map(({ event }) => event)).toEqual(await listed());
});

test("it continues after the cursor of any record", async () => {
  const { lines } = await exported();
  for (const at of [0, 499, 500, 777, lines.length - 1]) {
    expect((await exported(`?cursor=${lines[at]?.cursor}`)).lines).toEqual(lines.slice(at + 1));
  }
});

const causes: Readonly<Record<string, () => Promise<{ status: number; body: { code: string } }>>> = {
  INVALID_PARAMETER: () => restClients(stack.demo).user.get(`${path}?cursor=x`),
  ORGANIZATION_NOT_FOUND: () => restClients(stack.demo).user.get(`/organizations/${newId()}/events:export`),
  PERMISSION_DENIED: async () => {
    await setRoleKeys(identity, "User", []);
    return await restClients(stack.demo).user.get(path);
  },
  UNAUTHENTICATED: () => restClients(stack.demo).anonymous.get(path),
};

test.each(STREAM_ERRORS["workspace.v1.WorkspaceService/ExportOrganizationEvents"] ?? [])(
  "%s is an error like that of any request",
  async (code) => {
    const { status, body } = (await causes[code]?.()) ?? { status: 0, body: { code: "" } };
    const reason = ReasonSchema.values.find(({ name }) => name === `REASON_${code}`)?.number as Reason;
    expect([status, body.code]).toEqual([ruleOf(reason).httpStatus, code]);
  },
);
