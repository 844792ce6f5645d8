import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { fromJson, type JsonValue, toJson } from "@bufbuild/protobuf";
import { type OwnTestStack, startTestStack } from "@cloud/local-stack/test-stack";
import { currentCorrelation } from "@cloud/runtime/telemetry";
import { afterAll, beforeAll, expect, jest, test } from "@jest/globals";
import pg from "pg";
import { sendHttp1 } from "../../../packages/rpc/test/raw-call.ts";
import { type Example, readExamples } from "../runner/examples.ts";
import { fillIn } from "../runner/fill-in.ts";
import type { Method } from "../runner/find-method.ts";
import { setUpCase } from "../runner/play-case.ts";
import { createPlayer, type Player } from "../runner/player.ts";
import { findExposedMethods } from "./exposed-methods.ts";

const PAGE = fileURLToPath(new URL("../../../docs/round-trips.md", import.meta.url));
const HEAD = `# What a request asks of Postgres

Rendered by \`UPDATE_DOCS=1 npm test -- test/cases/surfaces/round-trips.e2e.test.ts\`, which plays an example of each RPC that has a REST form.
The counts include all that the services send before the reply, also to identify the caller, but not the effects of
events. BEGIN and COMMIT are statements, too; BEGIN shares the round trip of the first statement after it.
[performance.md](performance.md) has the times.

| RPC | Round trips | Statements |
| --- | --- | --- |
`;

interface Sent {
  roundTrips: number;
  statements: number;
}

/** The counts by the id of the request, which the services pass on. */
const sent = new Map<string | undefined, Sent>();

/** Counts Sync, which ends a round trip, and Execute, which runs a statement, in every connection of this process. */
function countMessages(): void {
  const connection = pg.Connection.prototype as unknown as Record<"sync" | "execute", (...args: unknown[]) => void>;
  const spyOn = (message: "sync" | "execute", count: (of: Sent) => void) => {
    const original = connection[message];
    jest.spyOn(connection, message).mockImplementation(function (this: unknown, ...args) {
      const id = currentCorrelation()?.requestId;
      const of = sent.get(id) ?? { roundTrips: 0, statements: 0 };
      sent.set(id, of);
      count(of);
      original.apply(this, args);
    });
  };
  spyOn("sync", (of) => void of.roundTrips++);
  spyOn("execute", (of) => void of.statements++);
}

let stack: OwnTestStack;
let methods: ReadonlyMap<string, Method>;
let player: Player;
beforeAll(async () => {
  countMessages();
  stack = await startTestStack();
  methods = await findExposedMethods();
  player = await createPlayer(stack);
});
afterAll(async () => {
  await stack.stop();
  jest.restoreAllMocks();
});

/** Plays an example. NATS is stopped meanwhile, because the effects of its events have the id of the request, too. */
async function countOf({ rpc: name, succeeds }: Example, requestId: string): Promise<Sent> {
  const { desc, process: service } = methods.get(name) as Method;
  const play = await setUpCase(player, succeeds);
  const request = fillIn(succeeds.request ?? {}, play.variables) as JsonValue;
  process.kill(stack.nats.pid, "SIGSTOP");
  try {
    const { status } = await sendHttp1(stack.services[service], {
      path: `/${name}`,
      headers: {
        "content-type": "application/json",
        ...play.headersAs(succeeds.as),
        "x-request-id": requestId,
      },
      body: Buffer.from(JSON.stringify(toJson(desc.input, fromJson(desc.input, request)))),
    });
    expect([name, status]).toEqual([name, 200]);
    return { ...(sent.get(requestId) ?? { roundTrips: 0, statements: 0 }) };
  } finally {
    process.kill(stack.nats.pid, "SIGCONT");
  }
}

test("docs/round-trips.md counts the round trips and statements of each RPC", async () => {
  const rows: string[] = [];
  const examples = [...readExamples().values()].filter(({ rpc }) => methods.has(rpc));
  for (const example of examples.toSorted((one, other) => (one.rpc < other.rpc ? -1 : 1))) {
    const { roundTrips, statements } = await countOf(example, `counted-${example.rpc}`);
    rows.push(`| \`${example.rpc}\` | ${roundTrips} | ${statements} |\n`);
  }
  const rendered = HEAD + rows.join("");
  if (process.env["UPDATE_DOCS"] === "1") writeFileSync(PAGE, rendered);
  expect(readFileSync(PAGE, "utf8")).toBe(rendered);
});
