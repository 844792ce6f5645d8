import { expect, test } from "@jest/globals";
import { createReplyCheck } from "./check-reply.ts";
import { readOpenapi } from "./read-document.ts";

const check = createReplyCheck(readOpenapi());
const id = "019b76da-a800-7000-8000-000000000001";
const at = "2026-01-02T03:04:05.000Z";
const workspace = {
  ...{ id, name: "", description: "", organizationId: id, owner: id, metadata: {} },
  ...{ createdAt: at, updatedAt: at, deletedAt: null, etag: '"a"' },
};
const own = { "x-request-id": "r", "cache-control": "no-store" };
const headers = { ...own, "content-type": "application/json", etag: '"a"' };
const error = { error: "workspace not found", code: "WORKSPACE_NOT_FOUND", requestId: "r" };

test("a documented reply has no fault", () => {
  expect(check("GET", `/api/workspaces/${id}`, { status: 200, headers, body: workspace })).toEqual([]);
  expect(check("GET", `/api/workspaces/${id}`, { status: 404, headers, body: error })).toEqual([]);
  expect(check("HEAD", `/api/workspaces/${id}`, { status: 200, headers, body: undefined })).toEqual([]);
  expect(check("DELETE", `/api/workspaces/${id}`, { status: 204, headers, body: undefined })).toEqual([]);
});

test.each([
  ["a status", 418, headers, error, "GetWorkspace lists no 418"],
  [
    "a code",
    404,
    headers,
    { ...error, code: "TEAM_NOT_FOUND" },
    "body/code must be equal to one of the allowed values",
  ],
  ["a property", 200, headers, { ...workspace, colour: "red" }, "body must NOT have additional properties"],
  ["an absent property", 200, headers, { ...workspace, metadata: undefined }, "must have required property 'metadata'"],
  ["null", 200, headers, { ...workspace, createdAt: null }, "body/createdAt must be string"],
  ["a format", 200, headers, { ...workspace, id: "1" }, 'body/id must match format "uuid"'],
  ["an absent header", 200, { "content-type": "application/json" }, workspace, "the header X-Request-Id is absent"],
  ["a header", 200, { ...headers, "cache-control": "private" }, workspace, "the header Cache-Control is private"],
  ["a content type", 200, { ...headers, "content-type": "text/html" }, workspace, '"text/html" is not listed'],
  ["no body", 200, headers, undefined, "body must be object"],
])("%s that is not documented is a fault", (_, status, given, body, fault) => {
  const sent: unknown = body === undefined ? undefined : JSON.parse(JSON.stringify(body));
  expect(check("GET", `/api/workspaces/${id}`, { status, headers: given, body: sent }).join()).toContain(fault);
});

test("the most specific path is that of a reply", () => {
  const faults = check("GET", "/api/identity/users/profile", { status: 418, headers, body: error });
  expect(faults).toEqual(["GetProfile lists no 418"]);
  expect(check("GET", "/nowhere", { status: 404, headers, body: { ...error, extra: 1 } })).toHaveLength(1);
});
