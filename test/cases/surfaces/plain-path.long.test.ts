import { create, fromBinary, fromJson, type JsonValue, toBinary, toJson } from "@bufbuild/protobuf";
import { type OwnTestStack, startTestStack } from "@cloud/local-stack/test-stack";
import { ListOrganizationEventsRequestSchema } from "@cloud/proto/workspace/v1/workspace_service_pb";
import { afterAll, beforeAll, describe, expect, jest, test } from "@jest/globals";
import { PlainCall } from "../../../packages/rpc/src/server/serve-plain-calls.ts";
import { errorOf, frame, type RawReply, sendHttp1, sendHttp2 } from "../../../packages/rpc/test/raw-call.ts";
import type { Case } from "../runner/case-file.ts";
import { readExamples } from "../runner/examples.ts";
import { fillIn, type Variables } from "../runner/fill-in.ts";
import { findMethod, type Method } from "../runner/find-method.ts";
import { setUpCase } from "../runner/play-case.ts";
import { createPlayer, type Play, type Player } from "../runner/player.ts";
import { normaliseReply } from "./normalise-reply.ts";

let stack: OwnTestStack;
let player: Player;
beforeAll(async () => {
  stack = await startTestStack();
  player = await createPlayer(stack);
});
afterAll(async () => await stack.stop());

type Path = "plain" | "general";

/** A header that the plain path leaves to the general one, and that asks for nothing. */
const leavesPlainPath = (format: Format) =>
  format === GRPC ? { "grpc-encoding": "identity" } : { "accept-encoding": "identity" };

/** Each call of the plain path, and none of the general one, asks this of its object when its message has arrived. */
const asked = jest.spyOn(PlainCall.prototype, "isAborted", "get");

/**
 * Returns how often the plain path has served this method since the last time: for the test, not for give or a peer.
 */
function takePlainCalls(name: string): number {
  const calls = new Set(asked.mock.contexts as unknown as readonly PlainCall[]);
  asked.mockClear();
  const ofTest = ({ url, received }: PlainCall) => url.endsWith(`/${name}`) && received.correlation.requestId === ID;
  return [...calls].filter(ofTest).length;
}

/** Replies contain the id of the request, which is random if none is sent. */
const ID = "plain-path";

const GRPC = "application/grpc";
type Format = "application/json" | "application/proto" | typeof GRPC;
const FORMATS: readonly Format[] = ["application/json", "application/proto", GRPC];

/** Each example, succeeding and failing, sent to the service over both paths of its server. */
describe.each([...readExamples().values()])("$rpc", ({ rpc, succeeds, fails }) => {
  test.each(FORMATS)("%s", async (format) => {
    const method = findMethod(rpc);
    // Records that are only read are created once, and their replies are equal to the byte.
    const once = method.rule?.pattern.case === "get" ? await setUpCase(player, succeeds) : undefined;
    const failing = await setUpCase(player, fails);
    const play = async (path: Path) => {
      const succeeding = once ?? (await setUpCase(player, succeeds));
      const failure = seen(await send(method, path, format, fails, failing));
      const reply = await send(method, path, format, succeeds, succeeding);
      expect(reply.status).toBe(200);
      if (format === GRPC) expect(reply.trailers["grpc-status"]).toBe("0");
      const success = once === undefined ? normalised(method, format, reply, succeeding.variables) : seen(reply);
      return { failure, success };
    };

    const plain = await play("plain");
    const ofPlain = takePlainCalls(rpc);
    expect(plain).toEqual(await play("general"));
    expect([ofPlain, takePlainCalls(rpc)]).toEqual([2, 0]);
  });
});

const ODD: readonly (readonly [what: string, body: string, headers: Readonly<Record<string, string>>])[] = [
  ["no message", "", {}],
  ["bytes that are no message", "\xff\xff\xff", {}],
  ["JSON that is cut off", '{"id": "', {}],
  ["a field twice", '{"id": "a", "id": "b"}', {}],
  ["an unknown field", '{"unknown": 1}', {}],
  ["invalid UTF-8", '{"id": "\xff"}', {}],
  ["a deadline that is no number", "{}", { "connect-timeout-ms": "soon" }],
  ["a deadline beyond the longest", "{}", { "connect-timeout-ms": "9999999999" }],
  ["an unknown compression", "{}", { "content-encoding": "zstd" }],
  ["a version of the protocol that does not exist", "{}", { "connect-protocol-version": "2" }],
  ["a message over the limit", "x".repeat(2 * 1024 * 1024 + 1), {}],
  ["no token", "{}", { authorization: "" }],
  ["an unknown token", "{}", { authorization: `Bearer cst_${"x".repeat(43)}` }],
  ["a token in another form", "{}", { authorization: "Basic abc" }],
];

describe.each(FORMATS)("%s", (format) => {
  test.each(ODD)("%s", async (_what, body, headers) => {
    const method = findMethod("workspace.v1.WorkspaceService/GetWorkspace");
    const bytes = Buffer.from(body, "latin1");
    const by = (path: Path) => sendBytes(method, path, format, format === GRPC ? frame(bytes) : bytes, headers);
    expect(seen(await by("plain"))).toEqual(seen(await by("general")));
  });
});

const ODD_FRAMES: readonly (readonly [what: string, body: Buffer, headers?: Readonly<Record<string, string>>])[] = [
  ["no bytes at all", Buffer.alloc(0)],
  ["half of a prefix", Buffer.alloc(3)],
  ["a message shorter than promised", frame(Buffer.alloc(2), { length: 3 })],
  ["a message over the limit that is only promised", frame(Buffer.alloc(2), { length: 2 ** 31 })],
  ["two messages", Buffer.concat([frame(Buffer.alloc(0)), frame(Buffer.alloc(0))])],
  ["a message and a part of another one", Buffer.concat([frame(Buffer.alloc(0)), Buffer.alloc(3)])],
  [
    "a message and less than another one promises",
    Buffer.concat([frame(Buffer.alloc(0)), frame(Buffer.alloc(1), { length: 2 })]),
  ],
  ["a message flagged as compressed", frame(Buffer.alloc(0), { flags: 1 })],
  ["a deadline that is no number", frame(Buffer.alloc(0)), { "grpc-timeout": "soon" }],
  ["a deadline beyond the longest", frame(Buffer.alloc(0)), { "grpc-timeout": "99H" }],
  ["no time at all", frame(Buffer.alloc(0)), { "grpc-timeout": "0m" }],
  ["a token in another form", frame(Buffer.alloc(0)), { authorization: "Basic abc" }],
];

test.each(ODD_FRAMES)("gRPC: %s", async (_what, body, headers = {}) => {
  const method = findMethod("workspace.v1.WorkspaceService/GetWorkspace");
  const by = (path: Path) => sendBytes(method, path, GRPC, body, headers);
  const plain = await by("plain");
  expect(seen(plain)).toEqual(seen(await by("general")));
  expect(errorOf(plain).code).toBeGreaterThan(0);
});

test("gRPC: a large reply is compressed where the caller accepts it", async () => {
  const method = findMethod("workspace.v1.WorkspaceService/ListOrganizationEvents");
  const organizationId = stack.demo.organizations[0]?.id ?? "";
  const request = create(ListOrganizationEventsRequestSchema, { organizationId });
  const body = frame(Buffer.from(toBinary(ListOrganizationEventsRequestSchema, request)));
  const by = (path: Path) => sendBytes(method, path, GRPC, body, { "grpc-accept-encoding": "br,gzip" });
  const plain = await by("plain");
  expect(plain.headers["grpc-encoding"]).toBe("br");
  expect(plain.body[0]).toBe(1);
  expect(seen(plain)).toEqual(seen(await by("general")));
});

function send(method: Method, path: Path, format: Format, { request = {}, as }: Case, play: Play): Promise<RawReply> {
  const { input } = method.desc;
  const message = fromJson(input, fillIn(request, play.variables) as JsonValue);
  const bytes = format === "application/json" ? JSON.stringify(toJson(input, message)) : toBinary(input, message);
  const body = format === GRPC ? frame(Buffer.from(bytes)) : Buffer.from(bytes);
  return sendBytes(method, path, format, body, { authorization: "", ...play.headersAs(as) });
}

function sendBytes(
  { desc, process }: Method,
  path: Path,
  format: Format,
  body: Buffer,
  { authorization = `Bearer ${stack.demo.users.orgAdmin.token}`, ...more }: Readonly<Record<string, string>>,
): Promise<RawReply> {
  const credential = authorization === "" ? undefined : { authorization };
  const always = {
    ...(format === GRPC ? { te: "trailers" } : { "connect-protocol-version": "1" }),
    "x-request-id": ID,
  };
  const own = path === "general" ? leavesPlainPath(format) : {};
  const headers = { "content-type": format, ...always, ...credential, ...more, ...own };
  const sendBy = format === GRPC ? sendHttp2 : sendHttp1;
  return sendBy(stack.services[process], { path: `/${desc.parent.typeName}/${desc.name}`, headers, body });
}

const seen = ({ status, headers: { date: _date, ...headers }, body, trailers }: RawReply) => ({
  status,
  headers,
  body: body.toString("latin1"),
  trailers,
});

/** Returns the content of a reply without the parts that differ each time. */
function normalised({ desc }: Method, format: Format, reply: RawReply, variables: Variables) {
  const { headers: received, trailers } = seen(reply);
  const { "content-length": _length, etag, ...others } = received;
  const headers = { ...others, hasTag: etag !== undefined };
  const message =
    format === "application/json"
      ? fromJson(desc.output, JSON.parse(reply.body.toString()) as JsonValue)
      : fromBinary(desc.output, format === GRPC ? reply.body.subarray(5) : reply.body);
  const json = toJson(desc.output, message, { alwaysEmitImplicit: true });
  return { status: reply.status, headers, trailers, message: normaliseReply(json, variables, player.variables) };
}
