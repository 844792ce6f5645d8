// A program that starts the servers in the given folder and then waits to be killed: see killed-parent.fault.test.ts
// and leftover-servers.fault.test.ts.
import { join } from "node:path";
import { startNats, startPostgres } from "../src/index.ts";

const [folder = "", persistent = "", binary = ""] = process.argv.slice(2);
const postgres = await startPostgres({ folder: join(folder, "postgres"), persistent: persistent === "persistent" });
const nats = await startNats({ binary, storeFolder: join(folder, "nats") });
const pids = { postgres: postgres.pid, nats: nats.pid };
process.stdout.write(JSON.stringify({ postgres: postgres.superuserUrl, nats: nats.url, pids }));
setInterval(() => undefined, 60_000);
