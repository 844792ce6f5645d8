// The work of gateway and services in a single program, with Fastify and pg: the same authentication, permission,
// transaction, activity line and outbox row. It publishes no event, and has no limits and no metrics.
import { importFrom } from "@cloud/testkit/packages";
import { serve } from "../../harness/serve.ts";
import { openDatabase } from "./database.ts";
import type { Fastify } from "./fastify.ts";
import { addReads } from "./reads.ts";
import { addWrites } from "./writes.ts";

const { fastify } = await importFrom<Fastify>(process.argv[2] ?? "", "fastify");
const app = fastify({ logger: false });
const database = openDatabase(process.env["DATABASE_URL"] ?? "");
addReads(app, database);
addWrites(app, database);
await app.ready();
serve(app.server);
