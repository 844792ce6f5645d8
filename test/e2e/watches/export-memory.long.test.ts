import http from "node:http";
import { expect, test } from "@jest/globals";
import pg from "pg";
import { type System, startSystem } from "../../chaos/system/start-system.ts";
import { watchMemory } from "../../hostile/wire/watch-memory.ts";

const LINES = 200_000;
const DESCRIPTION_BYTES = 700;
/** The limit of each program's heap. An idle program takes half of it; one that kept all lines would take twice it. */
const HEAP_MIB = 100;

async function insertLines({ superuserUrls, demo }: System): Promise<void> {
  const client = new pg.Client({ connectionString: superuserUrls.workspace });
  await client.connect();
  await client.query(
    `insert into workspace.activity_events
       (id, workspace_id, organization_id, owner, action, severity, description, acted_upon, acted_upon_kind, created_at)
     select gen_random_uuid(), gen_random_uuid(), $1, '', 'update', 'success', repeat('x', $2), '', '',
       now() - n * interval '1 ms'
     from generate_series(1, $3::int) n`,
    [demo.organizations[0]?.id, DESCRIPTION_BYTES, LINES],
  );
  await client.query("analyze workspace.activity_events");
  await client.end();
}

/** Reads the export through the gateway, and keeps nothing of it. */
async function countExported({ demo }: System): Promise<{ status: number | undefined; lines: number; bytes: number }> {
  const headers = { authorization: `Bearer ${demo.users.user.token}` };
  const path = `${demo.gateway}/api/organizations/${demo.organizations[0]?.id}/events:export`;
  const response = await new Promise<http.IncomingMessage>((resolve, reject) => {
    http.get(path, { headers, agent: false }, resolve).on("error", reject);
  });
  let [lines, bytes] = [0, 0];
  for await (const chunk of response as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    for (let at = chunk.indexOf("\n"); at >= 0; at = chunk.indexOf("\n", at + 1)) lines++;
  }
  return { status: response.statusCode, lines, bytes };
}

test(`an export of ${LINES} lines takes no memory that grows with them`, async () => {
  await using resources = new AsyncDisposableStack();
  const system = await startSystem({ env: { NODE_OPTIONS: `--max-old-space-size=${HEAP_MIB}` } });
  resources.defer(() => system.stop());
  await insertLines(system);
  const memory = watchMemory([system.gateway, system.services.workspace[0]]);
  const { status, lines, bytes } = await countExported(system);
  expect(status).toBe(200);
  expect(lines).toBeGreaterThan(LINES);
  expect(bytes).toBeGreaterThan(2 * HEAP_MIB * 2 ** 20);
  // Outside their heaps, too.
  const grown = Object.entries(memory.stop()).map(([name, { before, peak }]) => ({ name, mebibytes: peak - before }));
  expect(grown.filter(({ mebibytes }) => mebibytes > bytes / 2 / 2 ** 20)).toEqual([]);
}, 300_000);
