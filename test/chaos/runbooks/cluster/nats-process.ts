/** Stands for the command-line client of NATS, which Debian lacks. It has only the commands of the runbooks. */
import { parseArgs } from "node:util";
import { connect, type StreamConfig } from "nats";

const { NATS_URL: servers, NATS_USER: user, NATS_PASSWORD: pass } = process.env;
const text = { type: "string" } as const;
const { values, positionals } = parseArgs({
  options: { force: { type: "boolean" }, "max-age": text, "max-bytes": text },
  allowPositionals: true,
});
const [noun, verb, stream = "", consumer = ""] = positionals;
const command = `${noun} ${verb}`;
const connection = await connect({ servers: servers ?? "", user: user ?? "", pass: pass ?? "", timeout: 5_000 });
try {
  const jsm = await connection.jetstreamManager();
  if (command === "stream info") process.stdout.write(`${JSON.stringify(await jsm.streams.info(stream), null, 2)}\n`);
  else if (values.force !== true) throw new Error(`${command} would wait for a confirmation: --force`);
  else if (command === "stream edit") await jsm.streams.update(stream, changes());
  else if (command === "stream rm") await jsm.streams.delete(stream);
  else if (command === "consumer rm") await jsm.consumers.delete(stream, consumer);
  else throw new Error(`there is no ${command}`);
} finally {
  await connection.close();
}

function changes(): Partial<StreamConfig> {
  const { "max-age": age, "max-bytes": bytes } = values;
  return {
    ...(age !== undefined && { max_age: Number(/^(\d+)h$/.exec(age)?.[1]) * 3_600_000_000_000 }),
    ...(bytes !== undefined && { max_bytes: Number(/^(\d+)GB$/.exec(bytes)?.[1]) * 1_000_000_000 }),
  };
}
