import { once } from "node:events";
import http, { type IncomingMessage, type Server } from "node:http";
import http2, { type Http2Server } from "node:http2";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, test } from "@jest/globals";
import { serveExpectations } from "../src/listen.ts";

const resources: (() => unknown)[] = [];
afterEach(async () => {
  for (const release of resources.splice(0).reverse()) await release();
});

async function start(server: Server | Http2Server, prepare: (server: Server | Http2Server) => void): Promise<string> {
  prepare(server);
  server.listen(0, "127.0.0.1");
  resources.push(() => server.close());
  await once(server, "listening");
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const EXPECTING = { expect: "200-ok" };

const versions: Readonly<Record<string, (prepare: typeof serveExpectations) => Promise<number | undefined>>> = {
  "HTTP/1.1": async (prepare) => {
    const url = await start(
      http.createServer((_request, response) => void response.end("ok")),
      prepare,
    );
    const request = http.get(url, { headers: EXPECTING, agent: false });
    const [response] = (await once(request, "response")) as [IncomingMessage];
    response.resume();
    return response.statusCode;
  },
  "HTTP/2": async (prepare) => {
    const url = await start(
      http2.createServer((_request, response) => void response.end("ok")),
      prepare,
    );
    const session = http2.connect(url);
    resources.push(() => session.destroy());
    const [headers] = await once(session.request(EXPECTING), "response");
    return headers[":status"];
  },
};

describe.each(Object.entries(versions))("a request with an unknown expectation over %s", (_version, send) => {
  test("is served", async () => {
    expect(await send(serveExpectations)).toBe(200);
  });
  test("control: Node alone refuses it", async () => {
    expect(await send(() => undefined)).toBe(417);
  });
});
