import { once } from "node:events";
import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import http from "node:http";
import http2 from "node:http2";
import { connect, type Socket } from "node:net";
import { buffer, text } from "node:stream/consumers";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import type { RpcServer } from "../src/index.ts";
import { type RawReply, sendHttp1, sendHttp2 } from "./raw-call.ts";
import { PROFILE, startUserServer, USER } from "./start-user-server.ts";
import { bearer, outcomeOf, UNAUTHENTICATED, WIRES, type Wire } from "./wires.ts";

const MESSAGE = Buffer.alloc(2 ** 20);
const GRPC: Wire = { send: sendHttp2, contentType: "application/grpc" };

let server: RpcServer;
const resources: (() => unknown)[] = [];
beforeEach(async () => {
  server = await startUserServer();
});
afterEach(async () => {
  for (const release of resources.splice(0).reverse()) await release();
  await server.stop();
});

describe.each(WIRES.filter(([, { send }]) => send === sendHttp1))("a refused message over %s", (_name, wire) => {
  const head = (...more: string[]) =>
    [`POST ${PROFILE} HTTP/1.1`, "host: a", `content-type: ${wire.contentType}`, ...more, "", ""].join("\r\n");

  test("is replied to before it arrives", async () => {
    const headers = { "content-type": wire.contentType, "content-length": String(MESSAGE.length) };
    const request = http.request(server.url + PROFILE, { method: "POST", headers, agent: false });
    resources.push(() => request.destroy());
    request.on("error", () => undefined).flushHeaders();
    const [reply] = (await once(request, "response")) as [IncomingMessage];
    const { statusCode: status, headers: received, trailers } = reply;
    expect(outcomeOf(wire, { status, headers: received, body: await buffer(reply), trailers })).toBe(UNAUTHENTICATED);
  });

  test("leaves the connection to the next request", async () => {
    const socket = open();
    const statuses = readStatuses(socket);
    socket.write(head(`content-length: ${MESSAGE.length}`));
    await once(socket, "data");
    socket.write(MESSAGE);
    socket.write("GET /nowhere HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n");
    expect(await statuses).toEqual([wire.contentType.startsWith("application/grpc") ? 200 : 401, 404]);
  });

  test("may be sent completely before the reply is read", async () => {
    const socket = open();
    socket.write(head("connection: close", `content-length: ${MESSAGE.length}`));
    await new Promise((resolve, reject) => socket.write(MESSAGE, (error) => (error ? reject(error) : resolve(error))));
    expect(await text(socket)).toMatch(/^HTTP\/1\.1 (401|200) /); // rejects with an error of the socket
  });
});

describe.each(WIRES.filter(([, { send }]) => send !== sendHttp1))("a refused message over %s", (_name, wire) => {
  test("is replied to before it arrives, and leaves the connection to the next request", async () => {
    const session = openSession();
    expect(outcomeOf(wire, await replyTo(post(session, wire)))).toBe(UNAUTHENTICATED);
    expect((await replyTo(session.request({ ":path": "/nowhere" }))).status).toBe(404);
  });
});

test("a refused message is dropped up to the size of the largest, then its stream is closed without an error", async () => {
  const session = openSession();
  const stream = post(session, GRPC);
  const [reply, closed] = [replyTo(stream), once(stream, "close")];
  sendWithoutEnd(stream, MESSAGE);
  expect(outcomeOf(GRPC, await reply)).toBe(UNAUTHENTICATED);
  await closed;
  expect(stream.rstCode).toBe(http2.constants.NGHTTP2_NO_ERROR);
  expect((await replyTo(session.request({ ":path": "/nowhere" }))).status).toBe(404);
});

test("an unknown content type is 415, with and without a token", async () => {
  for (const headers of [{}, bearer("unknown"), bearer(USER)]) {
    const request = { path: PROFILE, headers: { "content-type": "text/plain", ...headers }, body: MESSAGE };
    expect((await sendHttp1(server.url, request)).status).toBe(415);
  }
});

test.each(["application/grpc-web-text", "application/grpc-web-text+proto", "Application/gRPC-Web-Text; charset=utf-8"])(
  "%s is 415, with a body that names the binary form",
  async (contentType) => {
    const request = { path: PROFILE, headers: { "content-type": contentType, ...bearer(USER) }, body: MESSAGE };
    const { status, body } = await sendHttp1(server.url, request);
    expect([status, body.toString()]).toEqual([415, expect.stringContaining("send application/grpc-web+proto")]);
    const stream = openSession().request({ ":method": "POST", ":path": PROFILE, "content-type": contentType });
    stream.end(MESSAGE);
    expect((await replyTo(stream)).status).toBe(415);
  },
);

function open(): Socket {
  const socket = connect({ host: "127.0.0.1", port: server.port, noDelay: true });
  resources.push(() => socket.destroy());
  return socket;
}

/** Returns the statuses of all responses on a connection, once it is closed. */
function readStatuses(socket: Socket): Promise<number[]> {
  let received = "";
  socket.on("data", (chunk) => {
    received += String(chunk);
  });
  const statuses = () => [...received.matchAll(/HTTP\/1\.1 (\d+) /g)].map(([, status]) => Number(status));
  return new Promise((resolve) => socket.once("close", () => resolve(statuses())));
}

function openSession(): http2.ClientHttp2Session {
  const session = http2.connect(server.url);
  resources.push(() => session.destroy());
  return session;
}

function post(session: http2.ClientHttp2Session, { contentType }: Wire): http2.ClientHttp2Stream {
  const headers = { ":method": "POST", ":path": PROFILE, "content-type": contentType, te: "trailers" };
  return session.request(headers, { endStream: false });
}

async function replyTo(stream: http2.ClientHttp2Stream): Promise<RawReply> {
  let trailers: IncomingHttpHeaders = {};
  stream.once("trailers", (received) => {
    trailers = received;
  });
  const [headers] = (await once(stream, "response")) as [http2.IncomingHttpHeaders & http2.IncomingHttpStatusHeader];
  return { status: headers[":status"], headers, body: await buffer(stream), trailers };
}

/** Sends the chunk again and again, as fast as it is read. */
function sendWithoutEnd(stream: http2.ClientHttp2Stream, chunk: Buffer): void {
  const send = () => {
    while (stream.writable && stream.write(chunk));
  };
  stream.on("drain", send);
  send();
}
