import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { type Program, type RemovedProtection, startProgram, takeStablePort, without } from "@cloud/testkit";
import { afterEach, expect, test } from "@jest/globals";

/** The library collects the chunks as they arrive. */
const UNJOINED: RemovedProtection = {
  file: "packages/rpc/src/server/join-chunks.ts",
  find: "kept(joined(body), request) : joined(body) });",
  replace: "(void joined, kept(body, request)) : body });",
};
/** An RPC that needs no token; its messages have at most 64 KiB. */
const HEAD = [
  "POST /grpc.health.v1.Health/Check HTTP/1.1",
  "host: a",
  "connection: close",
  "content-type: application/json",
  "transfer-encoding: chunked",
  "",
  "",
].join("\r\n");
const CHUNKS = 64_000;
const BODY = "1\r\n \r\n".repeat(CHUNKS) + "2\r\n{}\r\n0\r\n\r\n";

const programs: Program[] = [];
afterEach(async () => {
  await Promise.all(programs.splice(0).map((program) => program.close()));
});

/** Returns the CPU time of a server, in seconds, for one call whose message arrives in chunks of one byte. */
async function costOf(removed: readonly RemovedProtection[]): Promise<number> {
  const main = fileURLToPath(new URL("first-bytes/program.ts", import.meta.url));
  const { preload, env } = without(removed);
  const [port, operatorPort] = [await takeStablePort(), await takeStablePort()];
  const program = await startProgram({ name: "rpc", main, port, operatorPort, env, preload });
  programs.push(program);
  const before = await cpuSeconds(program);
  const socket = connect(port, "127.0.0.1");
  socket.write(HEAD + BODY);
  expect(await text(socket)).toMatch(/^HTTP\/1\.1 200 /);
  return (await cpuSeconds(program)) - before;
}

async function cpuSeconds({ operatorUrl }: Program): Promise<number> {
  const metrics = await (await fetch(operatorUrl + "/metrics")).text();
  return Number(/^process_cpu_seconds_total\S* (\S+)/m.exec(metrics)?.[1]);
}

test("a message in chunks of one byte costs a fraction of what collecting them costs", async () => {
  const [seconds, controlSeconds] = [await costOf([]), await costOf([UNJOINED])];
  process.stdout.write(`${JSON.stringify({ what: "small chunks", chunks: CHUNKS, seconds, controlSeconds })}\n`);
  expect(seconds).toBeLessThan(controlSeconds / 3);
}, 60_000);
