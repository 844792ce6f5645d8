import { connect } from "node:net";
import { fileURLToPath } from "node:url";
import { type Program, startProgram, takeStablePort, waitFor, without } from "@cloud/testkit";
import { afterEach, expect, test } from "@jest/globals";

const PREFACE = Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");
/** A frame of data for stream 0, which ends the session (RFC 9113, 6.1). */
const FATAL_FRAME = Buffer.from([0, 0, 0, 0, 0, 0, 0, 0, 0]);

/** Passes the chunks that were read to a new session one by one. */
const JOIN = {
  marker: "one-chunk",
  instead: "for (const byte of head.reverse()) socket.unshift(Buffer.of(byte));",
};

const resources: (() => unknown)[] = [];
afterEach(async () => {
  for (const release of resources.splice(0).reverse()) await release();
});

async function startServer({ preload = [], env = {} }: Partial<ReturnType<typeof without>> = {}): Promise<Program> {
  const main = fileURLToPath(new URL("first-bytes/program.ts", import.meta.url));
  const [port, operatorPort] = [await takeStablePort(), await takeStablePort()];
  const program = await startProgram({ name: "rpc", main, port, operatorPort, env, preload });
  resources.push(program.close);
  return program;
}

/** Sends an end of the session and more after it. */
async function attack({ port }: Program): Promise<void> {
  const socket = connect({ host: "127.0.0.1", port, noDelay: true }).on("error", () => undefined);
  resources.push(() => socket.destroy());
  socket.write(Buffer.concat([PREFACE, FATAL_FRAME, FATAL_FRAME]));
  await new Promise((resolve) => socket.resume().once("close", resolve));
}

test("a session that ends at what was read before it began ends nothing else", async () => {
  const program = await startServer();
  await attack(program);
  expect((await fetch(program.url)).status).toBe(404);
  expect(program.crashes()).toBe(0);
});

test("control: in several chunks it ends the process", async () => {
  const program = await startServer(without([JOIN]));
  await attack(program);
  expect(await waitFor(() => program.crashes() || undefined, { deadlineMs: 20_000 })).toBe(1);
});
