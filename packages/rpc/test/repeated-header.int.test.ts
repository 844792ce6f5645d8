import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { RpcServer } from "../src/index.ts";
import { type Fields, sendFields } from "./raw-http2.ts";
import { PROFILE, startUserServer, USER } from "./start-user-server.ts";

let server: RpcServer;
beforeAll(async () => {
  server = await startUserServer();
});
afterAll(() => server.stop());

const REPEATED = [
  ["Authorization", [`Authorization: Bearer ${USER}`, "authorization: Bearer another"]],
  ["Authorization", [`Authorization: Bearer ${USER}`, `AUTHORIZATION: Bearer ${USER}`]],
  ["service-current-orgid", ["service-current-orgid: a", "Service-Current-OrgId: b"]],
  ["Idempotency-Key", ["idempotency-key: a", "Idempotency-Key: b"]],
  ["Host", ["host: b"]],
] as const;

describe("over HTTP/1.1", () => {
  const send = async (requestLine: string, headers: readonly string[], body = "{}") => {
    const socket = connect(server.port, "127.0.0.1");
    socket.write([requestLine, "host: a", "connection: close", ...headers, "", body].join("\r\n"));
    return await text(socket);
  };
  const post = (headers: readonly string[]) =>
    send(`POST ${PROFILE} HTTP/1.1`, ["content-type: application/json", "content-length: 2", ...headers]);

  test.each(REPEATED)("a second header %s is INVALID_ARGUMENT (%#)", async (name, headers) => {
    const reply = await post(headers);
    expect(reply).toMatch(/^HTTP\/1\.1 400 /);
    expect(reply).toContain(`"message":"header ${name} must be given once"`);
    expect(reply).toContain("INVALID_PARAMETER");
    const page = await send("GET /nowhere HTTP/1.1", headers, "");
    expect(page).toMatch(/^HTTP\/1\.1 400 /);
    expect(page).toContain(`\r\nheader ${name} must be given once\n`);
  });

  test("a second Content-Length is 400", async () => {
    expect(await post([`Authorization: Bearer ${USER}`, "content-length: 2"])).toMatch(/^HTTP\/1\.1 400 /);
  });

  test("one of each is accepted, also with another header given twice", async () => {
    const headers = [`Authorization: Bearer ${USER}`, "service-current-orgid: a", "accept: a", "accept: b"];
    expect(await post(headers)).toMatch(/^HTTP\/1\.1 200 /);
  });

  test("a request line of another version is 400", async () => {
    expect(await send("GET /nowhere HTTP/1.1", [], "")).toMatch(/^HTTP\/1\.1 404 /);
    for (const version of ["2.0", "1.2", "0.9", "3.0"]) {
      expect([version, await send(`GET /nowhere HTTP/${version}`, [], "")]).toEqual([
        version,
        expect.stringMatching(/^HTTP\/1\.1 400 /),
      ]);
    }
  });
});

describe("over HTTP/2", () => {
  const send = async (contentType: string, ...fields: Fields) => {
    const head = [
      [":method", "POST"],
      [":scheme", "http"],
      [":path", PROFILE],
      [":authority", "a"],
      ["content-type", contentType],
    ] as const;
    return await sendFields(server.port, [...head, ...fields], contentType.endsWith("json") ? "{}" : "\0\0\0\0\0");
  };
  const authorization = ["authorization", `Bearer ${USER}`] as const;

  test.each([
    ["Authorization", [authorization, ["authorization", "Bearer another"]]],
    ["service-current-orgid", [authorization, ["service-current-orgid", "a"], ["service-current-orgid", "b"]]],
  ] as const)("a second header %s is INVALID_ARGUMENT", async (name, fields) => {
    expect(await send("application/json", ...fields)).toContain(`"message":"header ${name} must be given once"`);
    expect(await send("application/grpc-web+proto", ...fields)).toContain("grpc-status: 3");
  });

  test.each([
    ["host", "a"],
    ["content-length", "2"],
  ] as const)("a second header %s resets the stream: PROTOCOL_ERROR, by the library", async (name, value) => {
    const fields = [authorization, [name, value], [name, value]] as const;
    expect(await send("application/json", ...fields)).toBe("reset: 1");
  });

  test("one of each is accepted", async () => {
    const fields = [authorization, ["service-current-orgid", "a"], ["host", "a"], ["content-length", "2"]] as const;
    expect(await send("application/json", ...fields)).toContain('"firstName":"user"');
  });
});
