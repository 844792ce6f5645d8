import { createServer, get, type RequestListener, type ServerResponse } from "node:http";
import http2 from "node:http2";
import { connect } from "node:net";
import { buffer, text } from "node:stream/consumers";
import { afterEach, expect, test } from "@jest/globals";
import { listen } from "../src/index.ts";
import { countBody } from "../src/telemetry/index.ts";

const stops: (() => unknown)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop();
});

/** How a response may be written, the method of its request, and the bytes of its body. */
const WAYS: readonly (readonly [string, string, number, (response: ServerResponse) => unknown])[] = [
  ["at once", "GET", 3, (response) => response.end("aä")],
  ["at once, in Latin-1", "GET", 2, (response) => response.end("aä", "latin1")],
  ["at once, as bytes", "GET", 4, (response) => response.end(Buffer.from("aäb"))],
  ["at once, with a callback", "GET", 1, (response) => response.end("a", () => undefined)],
  ["with its length in the head", "GET", 2, (response) => response.writeHead(200, ["Content-Length", "2"]).end("ab")],
  [
    "in parts",
    "GET",
    8,
    (response) => {
      response.write("a");
      response.write("ä", "latin1");
      response.write("b", () => undefined);
      response.write(new Uint8Array(3), () => response.end("ä"));
    },
  ],
  ["not at all", "GET", 0, (response) => response.end()],
  ["not at all, with a callback", "GET", 0, (response) => response.end(() => undefined)],
  ["for HEAD", "HEAD", 0, (response) => response.end("what a GET would return")],
];

/** Returns a listener that writes a response by the way that the path names, and the counts of all that have closed. */
function respond(): { listener: RequestListener; counts: number[] } {
  const counts: number[] = [];
  const listener: RequestListener = (request, response) => {
    const bytesOf = countBody(response);
    response.once("close", () => counts.push(bytesOf()));
    WAYS[Number(request.url?.slice(1))]?.[3](response);
  };
  return { listener, counts };
}

test.each(WAYS.map(([way, method, bytes], index) => ({ way, method, bytes, index })))(
  "a body that is written $way is counted once, over HTTP/1.1 and HTTP/2",
  async ({ method, bytes, index }) => {
    const { listener, counts } = respond();
    const http1 = await listen(createServer(listener), "127.0.0.1", 0, 1);
    stops.push(() => http1.close());
    const received = await new Promise<Buffer>((resolve, reject) => {
      get(`${http1.url}/${index}`, { method, agent: false }, (reply) => buffer(reply).then(resolve, reject));
    });
    const { url, close } = await listen(http2.createServer(listener as never), "127.0.0.1", 0, 1);
    stops.push(close);
    const session = http2.connect(url);
    stops.push(() => session.destroy());
    const multiplexed = await buffer(session.request({ ":method": method, ":path": `/${index}` }));
    expect([received.length, multiplexed.length]).toEqual([bytes, bytes]);
    expect(counts).toEqual([bytes, bytes]);
  },
);

test("responses of one connection are counted apart", async () => {
  const { listener, counts } = respond();
  const { port, close } = await listen(createServer(listener), "127.0.0.1", 0, 1);
  stops.push(close);
  const socket = connect(port, "127.0.0.1");
  socket.end([0, 5, 6, 2].map((index) => `GET /${index} HTTP/1.1\r\nHost: a\r\n\r\n`).join(""));
  await text(socket);
  expect(counts).toEqual([3, 8, 0, 4]);
});
