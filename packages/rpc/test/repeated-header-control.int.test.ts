import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { type Program, type RemovedProtection, startProgram, takeStablePort, without } from "@cloud/testkit";
import { afterEach, expect, test } from "@jest/globals";
import { TOKEN } from "./start-access-server.ts";

const PATH = "/workspace.v1.AccessService/CheckAccess";

const programs: Program[] = [];
afterEach(async () => {
  await Promise.all(programs.splice(0).map((program) => program.close()));
});

/** Calls a program of its own with a valid credential and a second one; returns the status line. */
async function callTwice(removed: readonly RemovedProtection[]): Promise<string | undefined> {
  const main = fileURLToPath(new URL("first-bytes/program.ts", import.meta.url));
  const { preload, env } = without(removed);
  const [port, operatorPort] = [await takeStablePort(), await takeStablePort()];
  const program = await startProgram({ name: "rpc", main, port, operatorPort, env, preload });
  programs.push(program);
  const head = [`POST ${PATH} HTTP/1.1`, "host: a", "connection: close", "content-type: application/json"];
  const credentials = [`authorization: Bearer ${TOKEN}`, "authorization: Bearer another"];
  const socket = connect(port, "127.0.0.1");
  socket.write([...head, ...credentials, "content-length: 2", "", "{}"].join("\r\n"));
  return (await text(socket)).split("\r\n", 1)[0];
}

test("a second Authorization is refused", async () => {
  expect(await callTwice([])).toBe("HTTP/1.1 400 Bad Request");
});

test("control: without the check the first one is served", async () => {
  const protection = {
    file: "packages/program/src/request-fault.ts",
    find: "headers[name] !== undefined && countOf(name, rawHeaders) > 1",
    replace: "countOf(name, rawHeaders) < 0",
  };
  expect(await callTwice([protection])).toBe("HTTP/1.1 200 OK");
});
