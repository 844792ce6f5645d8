/** Command that lists parked messages and publishes them again: `npm run replay-parked -- --help`. */
import { parseArgs } from "node:util";
import { postgresUrl, readConfig } from "@cloud/config";
import { openDatabase } from "@cloud/postgres";
import { createTelemetry } from "@cloud/telemetry";
import { listParked, replayParked } from "./parked-messages.ts";

const help = `Lists parked messages, or publishes them again. A message is parked after 5 failed tries, at its
tenth delivery, and when it reports the deletion of a record that lives ("refuted") or that its owner does not have ("unknown").

  DATABASE_URL=postgres://… npm run replay-parked -- --schema <schema> <what>

The role of the service's program has the rights that it needs. In an image, which has the DATABASE_URL: node replay-parked.mjs --schema <schema> <what>

  --schema <schema>   the schema of the service whose consumer parked them: workspace, environment or identity
  --list              print one JSON line per parked message
  --all               replay all that were not replayed yet
  --id <id>           replay the one of this id
  --help              print this

The service's relay publishes a replayed message; a message that fails again is parked again.
`;

const { values } = parseArgs({
  options: {
    schema: { type: "string" },
    list: { type: "boolean" },
    all: { type: "boolean" },
    id: { type: "string" },
    help: { type: "boolean" },
  },
});
const url = process.env["DATABASE_DIRECT_URL"] ?? process.env["DATABASE_URL"];
const { schema, id } = values;

if (values.help) {
  process.stdout.write(help);
} else if (url === undefined || schema === undefined || !(values.list || values.all || id !== undefined)) {
  process.stderr.write(help);
  process.exitCode = 2;
} else {
  readConfig({ DATABASE_URL: postgresUrl() }, { DATABASE_URL: url }); // throws with what is wrong with it
  const { log } = createTelemetry({ service: "replay-parked", level: "warn", processMetrics: false });
  const db = openDatabase({ url, schema, applicationName: "replay-parked", log });
  try {
    if (values.list) {
      for (const message of await listParked(db)) process.stdout.write(`${JSON.stringify(message)}\n`);
    } else {
      const count = await replayParked(db, id === undefined ? "all" : [id]);
      process.stdout.write(`${count} to be published again\n`);
    }
  } finally {
    await db.close();
  }
}
