import { request as httpRequest, type IncomingHttpHeaders } from "node:http";
import { buffer } from "node:stream/consumers";
import { create } from "@bufbuild/protobuf";
import { TOKEN_PREFIX } from "@cloud/access/principal";
import {
  ExportOrganizationEventsResponseSchema,
  WorkspaceService,
} from "@cloud/proto/workspace/v1/workspace_service_pb";
import { captureLog, waitFor } from "@cloud/testkit";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { type Gateway, startGateway } from "../src/gateway.ts";
import { type FakeService, startFakeService } from "./fake-services.ts";

const TOKEN = { authorization: `Bearer ${TOKEN_PREFIX}${"a".repeat(43)}` };
const WITHIN = { deadlineMs: 30_000 };
const log = captureLog();
let service: FakeService;
let gateway: Gateway;

beforeAll(async () => {
  service = await startFakeService((router) => {
    router.service(WorkspaceService, {
      getWorkspace({ id }, { responseHeader }) {
        responseHeader.set("etag", '"1"');
        return { workspace: { id, name: "ä" } };
      },
      deleteWorkspace: () => ({}),
      async *exportOrganizationEvents() {
        for (const id of ["1", "2"]) {
          yield create(ExportOrganizationEventsResponseSchema, { event: { id, description: "ä" } });
        }
      },
    });
  });
  const [workspaceUrl, environmentUrl, identityUrl] = Array(3).fill(service.url);
  const telemetry = log.telemetry("gateway");
  gateway = await startGateway({ host: "127.0.0.1", port: 0, workspaceUrl, environmentUrl, identityUrl, telemetry });
});
afterAll(async () => {
  await gateway.stop();
  await service.stop();
});

let requests = 0;

/** Sends a request; returns the bytes of the body as it was sent, and the bytes that the line in the log has. */
async function compare(method: string, path: string, headers: IncomingHttpHeaders = {}) {
  const requestId = `r-${++requests}`;
  const reply = await new Promise<{ status: number | undefined; headers: IncomingHttpHeaders; body: Buffer }>(
    (resolve, reject) => {
      const all = { ...TOKEN, ...headers, "x-request-id": requestId };
      const request = httpRequest(gateway.url + path, { method, headers: all, agent: false }, (response) => {
        const { statusCode: status } = response;
        buffer(response).then((body) => resolve({ status, headers: response.headers, body }), reject);
      });
      request.once("error", reject).end();
    },
  );
  const line = await waitFor(() => log.of(requestId).find(({ msg }) => msg === "request"), WITHIN);
  expect(line["status"]).toBe(reply.status);
  return { ...reply, received: reply.body.length, logged: line["bytes"] };
}

test.each([
  ["a record", "GET", "/api/workspaces/1", 200],
  ["an error", "GET", "/api/no-such-path", 404],
  ["a refusal without a token", "GET", "/api/workspaces/1", 401, { authorization: "" }],
  ["a method that a page does not have", "POST", "/api/docs", 405],
  ["a stream", "GET", "/api/organizations/1/events:export", 200],
  ["a page", "GET", "/api/docs", 200],
])("the line has the bytes of %s", async (_, method, path, status, headers: IncomingHttpHeaders = {}) => {
  const reply = await compare(method, path, headers);
  expect(reply.status).toBe(status);
  expect(reply.received).toBeGreaterThan(20);
  expect(reply.logged).toBe(reply.received);
});

test("a compressed page counts as it is sent", async () => {
  const plain = await compare("GET", "/api/openapi.json");
  const compressed = await compare("GET", "/api/openapi.json", { "accept-encoding": "gzip" });
  expect(compressed.headers["content-encoding"]).toBe("gzip");
  expect(compressed.received).toBeLessThan(plain.received / 2);
  expect([plain.logged, compressed.logged]).toEqual([plain.received, compressed.received]);
});

test.each([
  ["HEAD of a record", "HEAD", "/api/workspaces/1", 200],
  ["HEAD of a page", "HEAD", "/api/docs", 200],
  ["HEAD of a stream", "HEAD", "/api/organizations/1/events:export", 200],
  ["a record that the client has", "GET", "/api/workspaces/1", 304, { "if-none-match": '"1"' }],
  ["a deletion", "DELETE", "/api/workspaces/1", 204],
  ["the methods of a path", "OPTIONS", "/api/workspaces", 204],
])("%s has no bytes", async (_, method, path, status, headers: IncomingHttpHeaders = {}) => {
  const reply = await compare(method, path, headers);
  expect([reply.status, reply.received, reply.logged]).toEqual([status, 0, 0]);
});
