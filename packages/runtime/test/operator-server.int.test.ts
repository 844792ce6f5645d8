import { spawn } from "node:child_process";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { fileURLToPath } from "node:url";
import { type RemovedProtection, testTelemetry, waitFor, without } from "@cloud/testkit";
import { afterEach, describe, expect, test } from "@jest/globals";
import {
  type OperatorServerOptions,
  type PageStream,
  type Readiness,
  startOperatorServer,
} from "../src/operator-server.ts";

const resources: (() => unknown)[] = [];
afterEach(async () => {
  for (const release of resources.splice(0).reverse()) await release();
});

const READY: Readiness = { ready: true, lines: ["ready"] };

async function start(options: Partial<OperatorServerOptions> = {}) {
  const telemetry = testTelemetry();
  const server = await startOperatorServer({
    host: "127.0.0.1",
    port: 0,
    readiness: async () => READY,
    telemetry,
    ...options,
  });
  resources.push(server.stop);
  const page = async (path: string, init?: RequestInit) => {
    const response = await fetch(server.url + path, init);
    return [response.status, await response.text()] as const;
  };
  return { ...server, telemetry, page };
}

/** Connects and sends the text, which is never followed by more. */
async function hold(port: number, text: string): Promise<Socket> {
  const socket = connect({ host: "127.0.0.1", port }).on("error", () => undefined);
  resources.push(() => socket.destroy());
  await once(socket, "connect");
  socket.write(text);
  return socket.resume();
}

const PREFIXES = [
  "",
  "G",
  "GET /metrics HTTP/1.1\r\n",
  "POST /healthz HTTP/1.1\r\ncontent-length: 9\r\nhost: a\r\n\r\n1",
];

describe("the operator's port", () => {
  test("serves three pages, to GET and HEAD", async () => {
    const { page, url } = await start();
    expect(await page("/healthz")).toEqual([200, "ok\n"]);
    expect(await page("/readyz?verbose")).toEqual([200, "ready\n"]);
    expect((await page("/metrics"))[1]).toContain("operator_condition");
    expect(await page("/elsewhere")).toEqual([404, "no such path\n"]);
    expect(await page("/healthz", { method: "HEAD" })).toEqual([200, ""]);
    const post = await fetch(`${url}/readyz`, { method: "POST", body: "1" });
    expect([post.status, post.headers.get("allow")]).toEqual([405, "GET, HEAD"]);
  });

  test("serves further pages, and bodies that are written bit by bit, until their connection has reached its age", async () => {
    let closed = 0;
    const stream = async () => ({
      status: 200,
      contentType: "text/event-stream",
      headers: { "cache-control": "no-store" },
      body: "",
      stream: ({ write }: PageStream) => {
        write("one\n");
        return () => void closed++;
      },
    });
    const { page, url } = await start({ pages: new Map([["/stream", stream]]), connectionMs: 3_000 });
    expect(await page("/stream", { method: "HEAD" })).toEqual([200, ""]);
    const response = await fetch(`${url}/stream`);
    expect(response.headers.get("cache-control")).toBe("no-store");
    const reader = response.body?.getReader();
    expect(new TextDecoder().decode((await reader?.read())?.value)).toBe("one\n");
    await expect(reader?.read()).rejects.toThrow("terminated");
    await waitFor(() => closed === 1 || undefined, { deadlineMs: 30_000 });
  });

  test("reports what is not ready, and the conditions for operators", async () => {
    const { page, telemetry } = await start({ readiness: async () => ({ ready: false, lines: ["not ready"] }) });
    telemetry.conditions.raise("peer-restored", "look at it");
    expect(await page("/readyz")).toEqual([503, "not ready\npeer-restored: look at it\n"]);
  });

  test("reports a failure of its own as 500, without details", async () => {
    const { page } = await start({ readiness: () => Promise.reject(new Error("secret")) });
    expect(await page("/readyz")).toEqual([500, "internal error\n"]);
  });

  test("closes each connection after its response", async () => {
    const { url } = await start();
    expect((await fetch(`${url}/healthz`)).headers.get("connection")).toBe("close");
  });

  test("refuses headers of more than 8 KiB", async () => {
    const { page } = await start();
    expect((await page("/healthz", { headers: { "x-long": "x".repeat(8_192) } }))[0]).toBe(431);
  });

  test("cuts off a client that does not finish its request", async () => {
    const { port } = await start({ connectionMs: 100 });
    const sockets = await Promise.all(PREFIXES.map((text) => hold(port, text)));
    await waitFor(() => sockets.every(({ closed }) => closed) || undefined, { deadlineMs: 30_000 });
  });
});

/** Refuses a connection too many, as `server.maxConnections` does. */
const EVICTION: RemovedProtection = {
  marker: "oldest-evicted",
  instead: "if (open.size > connections) socket.destroy();",
};

/** Holds as many connections as the program of a test allows, then asks it for its health. */
async function probeAmongSlowClients(removed: readonly RemovedProtection[]): Promise<boolean> {
  const { preload, env } = without(removed);
  const args = [...preload.flatMap((module) => ["--import", module]), PROGRAM];
  const child = spawn(process.execPath, args, { env, stdio: ["ignore", "pipe", "inherit"] });
  resources.push(() => child.kill("SIGKILL"));
  const [line] = (await once(child.stdout, "data")) as [Buffer];
  const port = Number(line.toString());
  for (let count = 0; count < 8; count++) await hold(port, "GET /healthz");
  return await fetch(`http://127.0.0.1:${port}/healthz`).then(
    ({ ok }) => ok,
    () => false,
  );
}

const PROGRAM = fileURLToPath(new URL("operator-program.ts", import.meta.url));

test("a probe gets its reply although slow clients hold as many connections as are allowed", async () => {
  expect(await probeAmongSlowClients([])).toBe(true);
});

test("control: without the eviction of the oldest it gets none", async () => {
  expect(await probeAmongSlowClients([EVICTION])).toBe(false);
});
