import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { constants } from "node:http2";
import { json } from "node:stream/consumers";
import { create, toBinary } from "@bufbuild/protobuf";
import { callerOf } from "@cloud/access";
import { codeOf, reasonOf } from "@cloud/access/errors";
import { newId, type OrganizationId } from "@cloud/access/values";
import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import { ConnectionService } from "@cloud/proto/environment/v1/connection_service_pb";
import {
  DirectoryService,
  ListUserTeamIdsResponseSchema,
  SelectTeamsRequestSchema,
} from "@cloud/proto/identity/v1/directory_service_pb";
import { createTelemetry } from "@cloud/runtime/telemetry";
import {
  Code,
  ConnectError,
  type ConnectRouter,
  createClient,
  type HandlerContext,
  type Transport,
} from "@connectrpc/connect";
import {
  createConnectTransport,
  createGrpcTransport,
  createGrpcWebTransport,
  Http2SessionManager,
} from "@connectrpc/connect-node";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { createServiceTransport, EncodedReply, type RpcServer, startRpcServer } from "../src/index.ts";
import { frame } from "./raw-call.ts";
import { startPlainHttp1Server, startPlainServer } from "./start-plain-server.ts";

const MIB = 1024 * 1024;
const TOKEN = "a-service-credential";
const AUTHORIZED = { headers: { authorization: "Bearer " + TOKEN } };

let server: RpcServer;
const resources: { stop(): Promise<void> }[] = [];
beforeEach(async () => {
  server = await startRpcServer({
    host: "127.0.0.1",
    port: 0,
    services: [DirectoryService, ConnectionService],
    routes: (router) => routes(router, true),
    authenticate: () => Promise.reject(new Error("only services call")),
    organizationIsLive: async () => true,
    serviceCredentials: [{ name: "operator", secret: TOKEN }],
    checkReady: async () => undefined,
    translate: () => undefined,
    telemetry: createTelemetry({ service: "test", level: "silent", processMetrics: false }),
  });
  resources.push(server);
});
afterEach(async () => {
  for (const resource of resources.splice(0).reverse()) await resource.stop();
});

const check = (context: HandlerContext) =>
  callerOf(context).requireAccess(newId<OrganizationId>(), Reason.CONNECTION_NOT_FOUND);

/** `selectTeams` returns `page` MiB; the others return nothing. */
function routes(router: ConnectRouter, checked = false): void {
  router.service(DirectoryService, {
    selectTeams: ({ ids, page }) => ({ totalCount: ids.length, teams: [{ name: "x".repeat(Number(page) * MIB) }] }),
    batchGetTeams: () => ({ teams: [] }),
    // The plain path takes a reply that is encoded.
    listUserTeamIds: () => new EncodedReply(ListUserTeamIdsResponseSchema, new Uint8Array(17 * MIB)) as never,
  });
  router.service(ConnectionService, {
    deleteConnection: async (_request, context) => {
      if (checked) await check(context);
      return {};
    },
  });
}

function peerOf({ url }: { readonly url: string }) {
  const transport = createServiceTransport({ url, serviceToken: TOKEN, deadlineMs: 30_000 });
  resources.push({ stop: async () => transport.close() });
  return createClient(DirectoryService, transport);
}

async function outcomeOf(call: Promise<unknown>): Promise<string> {
  return call.then(
    () => "ok",
    (error: unknown) => codeOf(reasonOf(ConnectError.from(error))),
  );
}

const idsOf = (megabytes: number) => Array.from({ length: megabytes }, () => "x".repeat(MIB - 8));

test("services send each other 200,000 ids, and answers of 15 MiB", async () => {
  const peer = peerOf(server);
  const ids = Array.from({ length: 200_000 }, () => "019b0000-0000-7000-8000-000000000000");
  expect(await peer.selectTeams({ ids })).toMatchObject({ totalCount: 200_000 });
  const { teams } = await peer.selectTeams({ ids: idsOf(15), page: 15n });
  expect(teams[0]?.name.length).toBe(15 * MIB);
});

describe("an answer over 16 MiB is ANSWER_TOO_LARGE, and costs only itself:", () => {
  const transports: Readonly<Record<string, () => Transport>> = {
    gRPC: () => createGrpcTransport({ baseUrl: server.url }),
    "gRPC-Web": () => createGrpcWebTransport({ baseUrl: server.url, httpVersion: "1.1" }),
    "Connect, HTTP/1.1": () => createConnectTransport({ baseUrl: server.url, httpVersion: "1.1" }),
    "Connect, JSON": () => createConnectTransport({ baseUrl: server.url, httpVersion: "2", useBinaryFormat: false }),
  };

  test.each(Object.entries(transports))("%s", async (_name, transport) => {
    const client = createClient(DirectoryService, transport());
    const error = await client
      .selectTeams({ page: 17n }, AUTHORIZED)
      .catch((thrown: unknown) => ConnectError.from(thrown));
    expect(error).toMatchObject({ code: Code.ResourceExhausted, rawMessage: "the answer is larger than 16 MiB" });
    expect(codeOf(reasonOf(error))).toBe("ANSWER_TOO_LARGE");
    expect(await outcomeOf(client.batchGetTeams({}, AUTHORIZED))).toBe("ok");
  });

  test("an encoded reply", async () => {
    const url = `${server.url}/${DirectoryService.typeName}/${DirectoryService.method.listUserTeamIds.name}`;
    const headers = { ...AUTHORIZED.headers, "content-type": "application/proto", "content-length": 0 };
    const sent = request(url, { method: "POST", headers }).end();
    const [response] = (await once(sent, "response")) as [IncomingMessage];
    expect(await json(response)).toMatchObject({
      code: "resource_exhausted",
      message: "the answer is larger than 16 MiB",
    });
  });

  test("from a peer without a limit of its own", async () => {
    const plain = await startPlainHttp1Server((router) => routes(router));
    resources.push(plain);
    const peer = peerOf(plain);
    expect(await outcomeOf(peer.selectTeams({ page: 17n }))).toBe("ANSWER_TOO_LARGE");
    expect(await outcomeOf(peer.batchGetTeams({}))).toBe("ok");
  });
});

describe("requests that are refused for their size", () => {
  /** Alternates ten requests of 3 MiB, the limit being 2, with small ones; returns the outcomes of the small ones. */
  async function alternate(transport: Transport): Promise<string[]> {
    const client = createClient(ConnectionService, transport);
    const outcomes: string[] = [];
    for (let round = 0; round < 10; round++) {
      await expect(client.deleteConnection({ id: "x".repeat(3 * MIB) }, AUTHORIZED)).rejects.toThrow();
      outcomes.push(await outcomeOf(client.deleteConnection({ id: "x" }, AUTHORIZED)));
    }
    return outcomes;
  }

  test("leave the connection usable, and do not delay a stop", async () => {
    const transport = createServiceTransport({ url: server.url, deadlineMs: 30_000 });
    resources.push({ stop: async () => transport.close() });
    expect(await alternate(transport)).toEqual(Array(10).fill("ok"));
  });

  test("control: the library's server and client use up their connection", async () => {
    const plain = await startPlainServer((router) => routes(router));
    resources.push(plain);
    expect((await alternate(createGrpcTransport({ baseUrl: plain.url }))).slice(5)).not.toContain("ok");
  });
});

describe("callers that disconnect during an answer", () => {
  /**
   * Abandons ten calls during their replies of 4 MiB, each followed by a small call. Returns the small calls' outcomes.
   */
  async function abandonTen(sessionManager: Http2SessionManager): Promise<string[]> {
    resources.push({ stop: async () => sessionManager.abort() });
    const client = createClient(
      DirectoryService,
      createGrpcTransport({ baseUrl: sessionManager.authority, sessionManager }),
    );
    const large = frame(toBinary(SelectTeamsRequestSchema, create(SelectTeamsRequestSchema, { page: 4n })));
    const headers = { ...AUTHORIZED.headers, "content-type": "application/grpc", te: "trailers" };
    const outcomes: string[] = [];
    for (let round = 0; round < 10; round++) {
      const stream = await sessionManager.request("POST", "/identity.v1.DirectoryService/SelectTeams", headers, {});
      stream.on("error", () => undefined);
      stream.end(large);
      // The rest of the answer does not fit into the window of a client that does not read.
      await new Promise((resolve) => stream.once("response", resolve).once("close", resolve));
      stream.close(constants.NGHTTP2_CANCEL);
      outcomes.push(await outcomeOf(client.batchGetTeams({}, AUTHORIZED)));
    }
    return outcomes;
  }

  test("leave the connection usable for others", async () => {
    const sessions = new Http2SessionManager(server.url);
    expect(await abandonTen(sessions)).toEqual(Array(10).fill("ok"));
  });

  test("control: the library's server refuses all other calls", async () => {
    const plain = await startPlainServer((router) => routes(router));
    resources.push(plain);
    expect((await abandonTen(new Http2SessionManager(plain.url))).slice(5)).not.toContain("ok");
  });
});
