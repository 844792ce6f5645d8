// One program that does the work of gateway and services, with Fastify and pg: the same authentication, permission,
// transaction, activity line and outbox row. It publishes no event, and has no limits and no metrics.
import { fastify } from "fastify";
import { serve } from "../../harness/serve.ts";
import { openDatabase } from "./database.ts";
import { addReads } from "./reads.ts";
import { addWrites } from "./writes.ts";

const app = fastify({ logger: false });
const database = openDatabase(process.env["DATABASE_URL"] ?? "");
addReads(app, database);
addWrites(app, database);
await app.ready();
serve(app.server);
