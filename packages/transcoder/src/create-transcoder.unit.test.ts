import { createServer, request as httpRequest, type Server } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { create, type DescMethod, type JsonObject, type Message } from "@bufbuild/protobuf";
import { WorkspaceSchema } from "@cloud/proto/workspace/v1/records_pb";
import {
  AssignTeamResponseSchema,
  GetWorkspaceResponseSchema,
  UpdateWorkspaceResponseSchema,
  WorkspaceService,
} from "@cloud/proto/workspace/v1/workspace_service_pb";
import type { Transport } from "@connectrpc/connect";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { ruleFor } from "../test/routes.ts";
import type { BindingOptions } from "./binding/binding-options.ts";
import { createTranscoder } from "./create-transcoder.ts";
import { TranscodingError } from "./errors/transcoding-error.ts";
import type { HttpRule } from "./rules/http-rule.ts";
import type { TranscoderHooks } from "./transcoder-options.ts";

const RULES: Readonly<Record<string, HttpRule>> = {
  GetWorkspace: ruleFor("GET /things/{id}", { responseBody: "workspace" }),
  UpdateWorkspace: ruleFor("PUT /things/{id}", { body: "*", responseBody: "workspace" }),
  DeleteWorkspace: ruleFor("DELETE /things/{id}"),
  AssignTeam: ruleFor("POST /things/{id}/teams/{team_id}"),
};
const STATUS = {
  "route-not-found": 404,
  "method-not-allowed": 405,
  "body-too-large": 413,
  "unsupported-media-type": 415,
};

interface Call {
  readonly method: string;
  readonly message: Message;
  readonly signal: AbortSignal | undefined;
  readonly timeoutMs: number | undefined;
  readonly headers: Readonly<Record<string, string>> | undefined;
}

let server: Server;
let url: string;
let calls: Call[];
let serve: (call: Call) => Promise<Message>;
let hooks: { -readonly [Name in keyof TranscoderHooks]?: TranscoderHooks[Name] };
let binding: { -readonly [Name in keyof BindingOptions]: BindingOptions[Name] };

const workspace = create(WorkspaceSchema, { id: "1", name: "ä" });
const transport = {
  async unary(
    method: DescMethod,
    signal?: AbortSignal,
    timeoutMs?: number,
    headers?: Record<string, string>,
    message?: Message,
  ) {
    const call = { method: method.name, message: message as Message, signal, timeoutMs, headers };
    calls.push(call);
    return {
      stream: false,
      header: new Headers(),
      trailer: new Headers(),
      message: await serve(call),
      method,
      service: method.parent,
    };
  },
} as unknown as Transport;

beforeEach(async () => {
  calls = [];
  hooks = {};
  binding = {};
  serve = async ({ method }) => {
    if (method === "GetWorkspace") return create(GetWorkspaceResponseSchema, { workspace });
    if (method === "UpdateWorkspace") return create(UpdateWorkspaceResponseSchema, { workspace });
    return create(AssignTeamResponseSchema);
  };
  const listener = createTranscoder({
    services: [{ service: WorkspaceService, transport }],
    rule: (method) => RULES[method.name],
    trailingSlash: "forgive",
    binding,
    deadlineMs: 1234,
    forward: (request) => ({ "x-context": String(request.headers["x-context"] ?? "") }),
    hooks: {
      error(error) {
        const kind = error instanceof TranscodingError ? error.kind : "internal";
        const status = error instanceof TranscodingError ? ((STATUS as Record<string, number>)[kind] ?? 400) : 500;
        return {
          status,
          headers: { "X-Kind": kind, "X-Bad": "a\nb" },
          body: String(error instanceof Error ? error.message : error),
        };
      },
      admit: (call) => hooks.admit?.(call),
      beforeReject: async (call) => hooks.beforeReject?.(call),
      absentBody: (method) => hooks.absentBody?.(method),
      status: (route, reply) => hooks.status?.(route, reply) ?? 200,
      headers: (call, reply, received) => hooks.headers?.(call, reply, received) ?? {},
      responded: (call, status) => hooks.responded?.(call, status),
    },
  });
  server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterEach(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

async function send(method: string, path: string, init: RequestInit = {}) {
  const response = await fetch(url + path, { method, ...init });
  return { status: response.status, headers: response.headers, text: await response.text() };
}
const json = (body: string, type = "application/json") => ({ body, headers: { "content-type": type } });

/** Sends bytes unchanged and returns the server's output until it closes the connection. */
function raw(bytes: string | Buffer): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
    let text = "";
    socket.on("data", (chunk) => {
      text += chunk;
    });
    socket.on("error", () => {}).on("close", () => resolve(text));
    socket.end(bytes);
  });
}

describe("form", () => {
  test.each<[string, string, RequestInit, number, string]>([
    ["GET", "/nowhere", {}, 404, "no such path"],
    ["PATCH", "/things/1", {}, 405, "method not allowed"],
    ["GET", "/things/%zz", {}, 400, "request path is not valid percent-encoded UTF-8"],
    ["PUT", "/things/1", json("{}", "text/plain"), 415, "content type must be application/json"],
    ["PUT", "/things/1", json("{}", "application/json; charset=latin1"), 415, "content type must be application/json"],
    ["PUT", "/things/1", json("{}", "application/jsonx"), 415, "content type must be application/json"],
    [
      "PUT",
      "/things/1",
      { body: "{}", headers: { "content-type": "application/json", "content-encoding": "gzip" } },
      415,
      "content type must be application/json",
    ],
    ["PUT", "/things/1", json("{]"), 400, "request body is not valid JSON: position 1"],
    ["PUT", "/things/1", json("[]"), 400, "request body must be a JSON object"],
    ["PUT", "/things/1", json('{"name":1}'), 400, "name must be a string"],
    ["PUT", "/things/1", json(`"${"x".repeat(2 ** 20)}"`), 413, "request body is too large"],
    ["PUT", "/things/1", json('{"nmae":""}'), 400, "nmae is unknown: did you mean name?"],
    ["PUT", "/things/1", json('{"id":"2"}'), 400, "id must be as in the path, or left out"],
    ["PUT", "/things/1?id=2", json("{}"), 400, "id must be as in the path, or left out"],
    ["PUT", "/things/1?name=n", json("{}"), 400, "name must be in the body"],
    ["GET", "/things/1?x=1", {}, 400, "x is unknown"],
    ["POST", "/things/1/teams/2", json("{}"), 400, "request must have no body"],
    ["DELETE", "/things/1", json("x".repeat(2 ** 20 + 1)), 413, "request body is too large"],
  ])("%s %s (%#)", async (method, path, init, status, text) => {
    expect(await send(method, path, init)).toMatchObject({ status, text });
    expect(calls).toEqual([]);
  });

  test("is reported only after beforeReject has run", async () => {
    hooks.beforeReject = async () => Promise.reject(new Error("who are you"));
    expect(await send("PUT", "/things/1", json("{]"))).toMatchObject({ status: 500, text: "who are you" });
    expect(await send("GET", "/nowhere")).toMatchObject({ status: 404 });
  });

  test("is not checked if the call is not admitted", async () => {
    hooks.admit = () => {
      throw new Error("no token");
    };
    expect(await send("PUT", "/things/1", json("{]"))).toMatchObject({ status: 500, text: "no token" });
    expect(await send("PATCH", "/things/1")).toMatchObject({ status: 405 });
  });

  test("a chunked body is counted, and the response arrives while the client is still sending", async () => {
    const chunk = `10000\r\n${"x".repeat(0x10000)}\r\n`;
    const text = await raw(
      `PUT /things/1 HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n${chunk.repeat(40)}0\r\n\r\n`,
    );
    expect(text).toMatch(/^HTTP\/1\.1 413 [\s\S]*Connection: close[\s\S]*request body is too large$/);
  });

  test("a declared length is refused before its first byte arrives", async () => {
    const head = "PUT /things/1 HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999\r\n\r\n";
    expect(await raw(head)).toMatch(/^HTTP\/1\.1 413 /);
  });
});

describe("a call", () => {
  test("carries message, deadline and headers, and the reply is proto3 JSON", async () => {
    const { status, headers, text } = await send("PUT", "/things/a%2Fb/", {
      body: '{"name":"n","id":"a/b"}',
      headers: { "x-context": "c", "content-type": 'Application/JSON ; charset="UTF-8"' },
    });
    expect([status, headers.get("content-type"), JSON.parse(text).name]).toEqual([200, "application/json", "ä"]);
    expect(headers.get("content-length")).toBe(String(Buffer.byteLength(text)));
    expect(calls).toMatchObject([
      { method: "UpdateWorkspace", message: { id: "a/b", name: "n" }, timeoutMs: 1234, headers: { "x-context": "c" } },
    ]);
  });

  test.each([undefined, "null", ""])(
    "without a body (%j) is one with {} unless the method specifies otherwise",
    async (body) => {
      const init = body === undefined ? {} : json(body);
      expect((await send("PUT", "/things/1", init)).status).toBe(200);
      hooks.absentBody = () => new Error("nothing to do");
      expect(await send("PUT", "/things/1", init)).toMatchObject({ status: 500, text: "nothing to do" });
      expect((await send("PUT", "/things/1", json("{}"))).status).toBe(200);
    },
  );

  test("of a rule without a body ignores one, if the options say so", async () => {
    binding.unboundBody = "ignore";
    expect((await send("POST", "/things/1/teams/2", json("not json", "text/plain"))).status).toBe(200);
    expect(calls[0]?.message).toMatchObject({ id: "1", teamId: "2" });
  });

  test("HEAD is GET without the body", async () => {
    const get = await send("GET", "/things/1");
    const head = await send("HEAD", "/things/1");
    expect([head.status, head.text]).toEqual([200, ""]);
    expect(head.headers.get("content-length")).toBe(get.headers.get("content-length"));
  });

  test("status and headers come from the program; 204 has no body; a header that cannot be sent is omitted", async () => {
    hooks.status = () => 204;
    hooks.headers = () => ({ Location: "/x", Broken: "a\r\nb" });
    const { status, headers, text } = await send("DELETE", "/things/1");
    expect([status, headers.get("location"), headers.get("broken"), headers.get("content-type"), text]).toEqual([
      204,
      "/x",
      null,
      null,
      "",
    ]);
  });

  test("that fails is rendered by the error hook", async () => {
    serve = () => Promise.reject(new Error("boom"));
    expect(await send("GET", "/things/1")).toMatchObject({ status: 500, text: "boom" });
  });

  test("a header that HTTP/2 could not carry is not forwarded", async () => {
    await raw("GET /things/1 HTTP/1.1\r\nHost: x\r\nX-Context: \xe4\r\nConnection: close\r\n\r\n");
    expect(calls[0]?.headers).toEqual({});
  });

  test("ends when its client disconnects", async () => {
    const arrived = Promise.withResolvers<Call>();
    const responded = Promise.withResolvers<number>();
    hooks.responded = (_, status) => responded.resolve(status);
    serve = (call) => {
      arrived.resolve(call);
      return new Promise((_, reject) => call.signal?.addEventListener("abort", () => reject(new Error("aborted"))));
    };
    const client = httpRequest(`${url}/things/1`).on("error", () => {});
    client.end();
    const { signal } = await arrived.promise;
    expect(signal?.aborted).toBe(false);
    client.destroy();
    expect(await responded.promise).toBe(499);
    expect(signal?.aborted).toBe(true);
  });

  test("is never called if the client disconnects in the middle of the body", async () => {
    const responded = Promise.withResolvers<number>();
    hooks.responded = (_, status) => responded.resolve(status);
    const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
    socket.write("PUT /things/1 HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{", () => socket.destroy());
    expect(await responded.promise).toBe(499);
    expect(calls).toEqual([]);
  });
});

describe("without hooks, an error is a google.rpc.Status", () => {
  test.each<[string, string, RequestInit, number, JsonObject]>([
    ["GET", "/nowhere", {}, 404, { code: 5, message: "no such path", details: [] }],
    ["PATCH", "/things/1", {}, 405, { code: 12, message: "method not allowed", details: [] }],
    [
      "PUT",
      "/things/1?x=1",
      json('{"name":\n1}'),
      400,
      {
        code: 3,
        message: "name must be a string",
        details: [
          {
            "@type": "type.googleapis.com/google.rpc.BadRequest",
            fieldViolations: [
              { field: "name", description: "name must be a string (line 2, column 1)" },
              { field: "x", description: "x is unknown" },
            ],
          },
        ],
      },
    ],
    ["GET", "/things/1", {}, 500, { code: 13, message: "internal error", details: [] }],
  ])("%s %s", async (method, path, init, status, body) => {
    serve = () => Promise.reject(new Error("at 10.0.0.1"));
    const services = [{ service: WorkspaceService, transport }];
    server.removeAllListeners("request");
    server.on("request", createTranscoder({ services, rule: (one) => RULES[one.name] }));
    const { headers, text, ...reply } = await send(method, path, init);
    expect([reply.status, headers.get("content-type"), JSON.parse(text)]).toEqual([status, "application/json", body]);
    const problem = await send(method, path, {
      ...init,
      headers: { ...init.headers, accept: "application/problem+json" },
    });
    expect([problem.status, problem.headers.get("content-type")]).toEqual([status, "application/problem+json"]);
    expect(JSON.parse(problem.text)).toMatchObject({ status, detail: body["message"], details: body["details"] });
  });
});

test("a hook that throws results in 500, and no rejection is left unhandled", async () => {
  hooks.status = () => {
    throw new Error("hook");
  };
  hooks.responded = () => {
    throw new Error("hook");
  };
  expect(await send("GET", "/things/1")).toMatchObject({ status: 500, text: "hook" });
});

test("no bytes crash the listener", async () => {
  const unhandled: unknown[] = [];
  const note = (reason: unknown) => unhandled.push(reason);
  process.on("unhandledRejection", note);
  const line = fc.constantFrom(
    "GET /things/1",
    "PUT /things/1",
    "DELETE /things/%ff",
    "OPTIONS *",
    "POST /things/a/teams/b?x=%",
    "GET http://h",
  );
  await fc.assert(
    fc.asyncProperty(line, fc.uint8Array({ maxLength: 200 }), fc.boolean(), async (start, bytes, framed) => {
      const head = framed ? `Host: x\r\nConnection: close\r\nContent-Length: ${bytes.length}\r\n\r\n` : "";
      await raw(Buffer.concat([Buffer.from(`${start} HTTP/1.1\r\n${head}`), bytes]));
    }),
    { numRuns: 100 },
  );
  expect((await send("GET", "/things/1")).status).toBe(200);
  process.off("unhandledRejection", note);
  expect(unhandled).toEqual([]);
});
