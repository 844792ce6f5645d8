/**
 * Loaded into a real service before its own code (`node --import`): while switched on, statements that the service
 * sends to Postgres fail at random. It is controlled (switch-faults.ts) by a socket next to those of the other
 * services.
 */
import { createServer } from "node:http";
import { join } from "node:path";
import pg from "pg";
import { createRandom } from "../../../packages/testkit/src/random.ts";
import { type FaultKind, faults } from "./statement-faults.ts";

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

client.query = function query(text, ...rest) {
  // A prepared statement is an object with a name.
  const statement = typeof text === "string" ? text : String((text as pg.QueryConfig).text);
  if (percent === 0 || !only.test(statement)) return send.call(this, text, ...rest);
  count("statements");
  if (!random.chance(percent)) return send.call(this, text, ...rest);
  const kind = random.pick(kinds);
  count(kind);
  if (/^(begin|commit|rollback)$/.test(statement)) count("of " + statement);
  return faults[kind](this, (instead) =>
    instead === undefined ? send.call(this, text, ...rest) : send.call(this, instead),
  );
};

/** `/on?percent=5&only=commit` (a pattern of statements) and `/off`; both return the counts so far. */
createServer((request, response) => {
  const { pathname, searchParams } = new URL(request.url ?? "", "http://switch");
  percent = pathname === "/on" ? Number(searchParams.get("percent")) : 0;
  only = new RegExp(searchParams.get("only") ?? ".");
  response.end(JSON.stringify(counts));
})
  .listen(join(FAULTS_FOLDER, PORT))
  .unref();
