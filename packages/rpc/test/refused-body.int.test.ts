import { fileURLToPath } from "node:url";
import { type Program, type RemovedProtection, startProgram, takeStablePort, without } from "@cloud/testkit";
import { afterEach, expect, test } from "@jest/globals";
import { logChunks, passedChunks } from "./passed-chunks.ts";

/** The message is read and decoded, and its caller refused afterwards. */
const DECODED_FIRST = [{ marker: "empty-body", instead: "const admitted = { ...request, contextValues };" }];

/** 0.9 MB of JSON with 90,000 keys, which take long to decode. */
const MESSAGE = JSON.stringify({
  metadata: Object.fromEntries(Array.from({ length: 90_000 }, (_, key) => [`k${key}`, 1])),
});

const programs: Program[] = [];
afterEach(async () => {
  await Promise.all(programs.splice(0).map((program) => program.close()));
});

/** Sends a message without a token. Returns how many bytes of messages the library gets to decode. */
async function decodedBy(removed: readonly RemovedProtection[]): Promise<number> {
  const main = fileURLToPath(new URL("refused-body/program.ts", import.meta.url));
  const { preload, env } = without([...removed, logChunks]);
  const [port, operatorPort] = [await takeStablePort(), await takeStablePort()];
  const program = await startProgram({ name: "rpc", main, port, operatorPort, env, preload });
  programs.push(program);
  const url = program.url + "/environment.v1.EnvironmentService/CreateEnvironment";
  const headers = { "content-type": "application/json" };
  const response = await fetch(url, { method: "POST", headers, body: MESSAGE });
  expect(response.status).toBe(401);
  await response.text();
  return passedChunks(program).reduce((sum, size) => sum + size, 0);
}

test("instead of a message without a token, an empty one is decoded", async () => {
  expect(await decodedBy([])).toBe("{}".length);
});

test("control: if the caller is refused afterwards, all of it is decoded", async () => {
  expect(await decodedBy(DECODED_FIRST)).toBe(MESSAGE.length);
});
