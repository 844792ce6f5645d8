/**
 * Loaded into a real service before its own code (`node --import`): while switched on, statements that the service
 * sends to Postgres fail at random. switch-faults.ts controls it by a socket next to the others'.
 */
import { createServer } from "node:http";
import { join } from "node:path";
import pg from "pg";
import { createRandom } from "../../../packages/testkit/src/random.ts";
import { type FaultKind, faults, type RoundTrip, roundTripFaults } from "./statement-faults.ts";

const { FAULTS_FOLDER = "", FAULTS_SEED = "1", PORT = "" } = process.env;
// Each service has its own random sequence, the same for the same seed.
const random = createRandom(Number(FAULTS_SEED) + (process.argv[1] ?? "").length);
const kinds = Object.keys(faults) as [FaultKind, ...FaultKind[]];
const counts: Record<string, number> = { statements: 0 };
let percent = 0;
let only = /./;

const count = (what: string) => {
  counts[what] = (counts[what] ?? 0) + 1;
};

type Query = (this: pg.Client, text: unknown, ...rest: unknown[]) => Promise<pg.QueryResult>;
const client = pg.Client.prototype as unknown as { query: Query };
const send = client.query;

/** Returns the fault of a statement, if it gets one. */
function faultOf(statement: string): FaultKind | undefined {
  if (percent === 0 || !only.test(statement)) return undefined;
  count("statements");
  if (!random.chance(percent)) return undefined;
  const kind = random.pick(kinds);
  count(kind);
  const [verb] = /^(begin|commit|rollback)\b/.exec(statement) ?? [];
  if (verb !== undefined) count("of " + verb);
  return kind;
}

client.query = function query(text, ...rest) {
  if (isRoundTrip(text)) {
    const sendTrip = () => send.call(this, text, ...rest);
    for (const [at, { statement }] of text.statements.entries()) {
      const kind = faultOf(statement.text);
      if (kind === undefined) continue;
      roundTripFaults[kind](this, text, at, sendTrip);
      return Promise.resolve() as never; // its caller reads the results of the statements
    }
    return sendTrip();
  }
  // A prepared statement is an object with a name.
  const kind = faultOf(typeof text === "string" ? text : String((text as pg.QueryConfig).text));
  if (kind === undefined) return send.call(this, text, ...rest);
  return faults[kind](this, (instead) =>
    instead === undefined ? send.call(this, text, ...rest) : send.call(this, instead),
  );
};

function isRoundTrip(query: unknown): query is RoundTrip {
  return typeof query === "object" && query !== null && "statements" in query;
}

/** `/on?percent=5&only=commit` (a pattern of statements) and `/off`; both return the counts so far. */
createServer((request, response) => {
  const { pathname, searchParams } = new URL(request.url ?? "", "http://switch");
  percent = pathname === "/on" ? Number(searchParams.get("percent")) : 0;
  only = new RegExp(searchParams.get("only") ?? ".");
  response.end(JSON.stringify(counts));
})
  .listen(join(FAULTS_FOLDER, PORT))
  .unref();
