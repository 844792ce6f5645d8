import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { type Program, type RemovedProtection, startProgram, takeStablePort, without } from "@cloud/testkit";
import { afterEach, expect, test } from "@jest/globals";
import { logChunks, passedChunks } from "./passed-chunks.ts";

/** The library collects the chunks as they arrive. */
const UNJOINED: RemovedProtection = { marker: "joined-chunks" };
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
const BODY = "1\r\n \r\n".repeat(CHUNKS - 2) + "1\r\n{\r\n1\r\n}\r\n0\r\n\r\n";

const programs: Program[] = [];
afterEach(async () => {
  await Promise.all(programs.splice(0).map((program) => program.close()));
});

/** Sends a message in chunks of one byte. Returns the sizes of the chunks that the library collects. */
async function collectedBy(removed: readonly RemovedProtection[]): Promise<number[]> {
  const main = fileURLToPath(new URL("first-bytes/program.ts", import.meta.url));
  const { preload, env } = without([...removed, logChunks]);
  const [port, operatorPort] = [await takeStablePort(), await takeStablePort()];
  const program = await startProgram({ name: "rpc", main, port, operatorPort, env, preload });
  programs.push(program);
  const socket = connect(port, "127.0.0.1");
  socket.write(HEAD + BODY);
  expect(await text(socket)).toMatch(/^HTTP\/1\.1 200 /);
  return passedChunks(program);
}

test("the library collects a message in chunks of one byte as two: its time grows with the square of their number", async () => {
  expect(await collectedBy([])).toEqual([5, CHUNKS - 5]);
});

test("control: without the joining, it collects each of them", async () => {
  expect(await collectedBy([UNJOINED])).toEqual(Array(CHUNKS).fill(1));
});
