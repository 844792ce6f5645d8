import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { type Program, type RemovedProtection, startProgram, takeStablePort, waitFor, without } from "@cloud/testkit";
import { afterEach, expect, test } from "@jest/globals";
import { sendFields } from "./raw-http2.ts";

const PATH = "/workspace.v1.AccessService/CheckAccess";
const HOSTS = ["[", "a b", "a:99999", "a:x", "%", ""];
const UNCHECKED: RemovedProtection = { marker: "usable-host", instead: "return true;" };

const programs: Program[] = [];
afterEach(async () => {
  await Promise.all(programs.splice(0).map((program) => program.close()));
});

async function start(removed: readonly RemovedProtection[]): Promise<Program> {
  const main = fileURLToPath(new URL("first-bytes/program.ts", import.meta.url));
  const { preload, env } = without(removed);
  const [port, operatorPort] = [await takeStablePort(), await takeStablePort()];
  const program = await startProgram({ name: "rpc", main, port, operatorPort, env, preload });
  programs.push(program);
  return program;
}

/** Calls an RPC without a token; compression keeps it off the plain path. Returns the status line. */
async function call({ port }: Program, version: string, ...headers: readonly string[]): Promise<string | undefined> {
  const socket = connect(port, "127.0.0.1");
  const type = ["content-type: application/json", "accept-encoding: gzip", "connection: close", "content-length: 2"];
  socket.write([`POST ${PATH} HTTP/${version}`, ...type, ...headers, "", "{}"].join("\r\n"));
  return (await text(socket)).split("\r\n", 1)[0];
}

const callHttp2 = ({ port }: Program, authority: string) =>
  sendFields(
    port,
    [
      [":method", "POST"],
      [":scheme", "http"],
      [":path", PATH],
      [":authority", authority],
      ["content-type", "application/json"],
    ],
    "{}",
  );

test("a host that no URL can contain is refused, and the program goes on", async () => {
  const program = await start([]);
  for (const host of HOSTS) {
    expect([host, await call(program, "1.1", `host: ${host}`)]).toEqual([host, "HTTP/1.1 400 Bad Request"]);
  }
  expect(await call(program, "1.0")).toBe("HTTP/1.1 400 Bad Request");
  for (const authority of ["[", "a:99999"]) expect(await callHttp2(program, authority)).toContain("Host");
  expect(await call(program, "1.1", "host: [::1]:80")).toBe("HTTP/1.1 401 Unauthorized");
  expect(program.crashes()).toBe(0);
});

test.each([
  ["HTTP/1.1", (program: Program) => call(program, "1.1", "host: [")],
  ["HTTP/1.0, without a host", (program: Program) => call(program, "1.0")],
  ["HTTP/2", (program: Program) => callHttp2(program, "[")],
])("control: unchecked, one over %s ends the program", async (_name, send) => {
  const program = await start([UNCHECKED]);
  await send(program).catch(() => undefined);
  expect(await waitFor(() => program.crashes() === 1 || undefined, { deadlineMs: 30_000 })).toBe(true);
});
