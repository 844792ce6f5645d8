import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { type Program, type RemovedProtection, startProgram, takeStablePort, without } from "@cloud/testkit";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { type Fields, sendFields } from "./raw-http2.ts";
import { TOKEN } from "./start-access-server.ts";

const PATH = "/workspace.v1.AccessService/CheckAccess";
const UNCOUNTED: RemovedProtection = { marker: "repeated-headers" };

let [whole, open] = [] as unknown as [Program, Program];
beforeAll(async () => {
  [whole, open] = await Promise.all([start([]), start([UNCOUNTED])]);
}, 60_000);
afterAll(async () => {
  await Promise.all([whole, open].map((program) => program.close()));
});

async function start(removed: readonly RemovedProtection[]): Promise<Program> {
  const main = fileURLToPath(new URL("first-bytes/program.ts", import.meta.url));
  const { preload, env } = without(removed);
  const [port, operatorPort] = [await takeStablePort(), await takeStablePort()];
  return await startProgram({ name: "rpc", main, port, operatorPort, env, preload });
}

const AUTHORIZED = ["authorization", `Bearer ${TOKEN}`] as const;

/** Calls the program over HTTP/1.1; returns the status line and the body. */
async function call({ port }: Program, fields: Fields): Promise<string> {
  const head = [`POST ${PATH} HTTP/1.1`, "host: a", "connection: close", "content-type: application/json"];
  const socket = connect(port, "127.0.0.1");
  const headers = [AUTHORIZED, ...fields].map(([name, value]) => `${name}: ${value}`);
  socket.write([...head, ...headers, "content-length: 2", "", "{}"].join("\r\n"));
  return await text(socket);
}

/** Calls it over HTTP/2; returns the body. */
const callHttp2 = ({ port }: Program, fields: Fields) =>
  sendFields(
    port,
    [
      [":method", "POST"],
      [":scheme", "http"],
      [":path", PATH],
      [":authority", "a"],
      ["content-type", "application/json"],
      AUTHORIZED,
      ...fields,
    ],
    "{}",
  );

const SERVED = '{"allowed":true';

describe.each<[string, Fields]>([
  ["Authorization", [["authorization", "Bearer another"]]],
  [
    "service-current-orgid",
    [
      ["service-current-orgid", "a"],
      ["service-current-orgid", "b"],
    ],
  ],
  ["Host", [["host", "b"]]],
])("a second header %s", (name, fields) => {
  test("is refused", async () => {
    expect(await call(whole, fields)).toMatch(/^HTTP\/1\.1 400 /);
    if (name !== "Host") expect(await callHttp2(whole, fields)).toContain("must be given once");
  });
  test("control: uncounted, the call is served", async () => {
    expect(await call(open, fields)).toMatch(/^HTTP\/1\.1 200 /);
    if (name !== "Host") expect(await callHttp2(open, fields)).toContain(SERVED);
  });
});
