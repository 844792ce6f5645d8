import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { TOKEN_PREFIX } from "@cloud/access/principal";
import { WorkspaceService } from "@cloud/proto/workspace/v1/workspace_service_pb";
import type { Program, RemovedProtection } from "@cloud/testkit";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { type FakeService, startFakeService } from "./fake-services.ts";
import { startGatewayProgram } from "./start-gateway-program.ts";

// The refusals of the public port, each with its control: without the protection, or with what it excludes, it is
// served.

const authorization = `authorization: Bearer ${TOKEN_PREFIX}${"x".repeat(43)}`;

let service: FakeService;
let [whole, open] = [] as unknown as [Program, Program];
beforeAll(async () => {
  service = await startFakeService((router) =>
    router.service(WorkspaceService, { getWorkspace: () => ({ workspace: { id: "w" } }) }),
  );
  [whole, open] = await Promise.all([
    startGatewayProgram(service.url),
    startGatewayProgram(service.url, [UNCOUNTED, OPERATORS_PAGES]),
  ]);
}, 60_000);
afterAll(async () => {
  await Promise.all([whole, open].map((program) => program.close()));
  await service.stop();
});

/** Names that must occur once may occur several times. */
const UNCOUNTED: RemovedProtection = { marker: "repeated-headers" };
/** The operators' pages are on the public port, too. */
const OPERATORS_PAGES: RemovedProtection = {
  marker: "public-pages",
  instead: `
    ["/metrics", compressPage(headersOf(healthPage.contentType), () => "metrics")],
    ["/readyz", compressPage(headersOf(healthPage.contentType), () => "ready")],`,
};

async function statusOf({ port }: Program, path: string, ...headers: readonly string[]): Promise<string | undefined> {
  const socket = connect(port, "127.0.0.1");
  socket.write([`GET ${path} HTTP/1.1`, "host: a", "connection: close", ...headers, "", ""].join("\r\n"));
  return (await text(socket)).split("\r\n", 1)[0];
}

describe.each([
  ["Authorization", [authorization, `authorization: Bearer ${TOKEN_PREFIX}${"y".repeat(43)}`]],
  ["service-current-orgid", [authorization, "service-current-orgid: a", "service-current-orgid: b"]],
  ["Host", [authorization, "host: b"]],
] as const)("a second header %s", (_name, headers) => {
  test("is 400", async () => {
    expect(await statusOf(whole, "/api/workspaces/w", ...headers)).toBe("HTTP/1.1 400 Bad Request");
  });
  test("control: uncounted, the request is served", async () => {
    expect(await statusOf(open, "/api/workspaces/w", ...headers)).toBe("HTTP/1.1 200 OK");
  });
});

describe.each(["/metrics", "/readyz"])("%s", (path) => {
  test("is served at the operators' port alone", async () => {
    expect(await statusOf(whole, path)).toBe("HTTP/1.1 404 Not Found");
    const response = await fetch(whole.operatorUrl + path);
    expect(response.status).toBe(200);
    await response.text(); // an unread page keeps its connection open
  });
  test("control: among the gateway's own pages it is served", async () => {
    expect(await statusOf(open, path)).toBe("HTTP/1.1 200 OK");
  });
});
