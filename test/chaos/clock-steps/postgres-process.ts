/**
 * Runs a Postgres whose clock can be stepped, until its standard input is closed: LD_PRELOAD must be in the environment
 * that the server inherits, but not in Node's. Prints the superuser's URL.
 */
import { once } from "node:events";
import { startPostgres } from "@cloud/local-servers";

const [folder = "", port = "", library = "", offsetFile = ""] = process.argv.slice(2);

Object.assign(process.env, {
  LD_PRELOAD: library,
  FAKETIME_TIMESTAMP_FILE: offsetFile,
  FAKETIME_NO_CACHE: "1", // read the file whenever the time is requested
  FAKETIME_DONT_FAKE_MONOTONIC: "1",
  DONT_FAKE_MONOTONIC: "1",
});
const postgres = await startPostgres({ folder, port: Number(port), persistent: false });
process.stdout.write(postgres.superuserUrl + "\n");
process.stdin.resume();
await once(process.stdin, "end");
await postgres.stop();
