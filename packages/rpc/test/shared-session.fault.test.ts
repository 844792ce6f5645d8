import { constants } from "node:http2";
import { fileURLToPath } from "node:url";
import { create, toBinary } from "@bufbuild/protobuf";
import { ConnectionService } from "@cloud/proto/environment/v1/connection_service_pb";
import { DirectoryService, SelectTeamsRequestSchema } from "@cloud/proto/identity/v1/directory_service_pb";
import { type RemovedProtection, startProgram, takeStablePort, without } from "@cloud/testkit";
import { Code, ConnectError, createClient } from "@connectrpc/connect";
import { createGrpcTransport, Http2SessionManager } from "@connectrpc/connect-node";
import { afterEach, expect, test } from "@jest/globals";
import { frame } from "./raw-call.ts";
import { OPERATOR } from "./start-user-server.ts";
import { bearer } from "./wires.ts";

// No fate of a call costs another call of the same HTTP/2 session. Each time the protection is removed from the
// program, the others fail.

const MIB = 1024 * 1024;

const resources: (() => unknown)[] = [];
afterEach(async () => {
  for (const release of resources.splice(0).reverse()) await release();
});

/** Starts the program, and returns a session to it. */
async function connect(removed: readonly RemovedProtection[]): Promise<Http2SessionManager> {
  const main = fileURLToPath(new URL("shared-session/program.ts", import.meta.url));
  const { preload, env } = without(removed);
  const [port, operatorPort] = [await takeStablePort(), await takeStablePort()];
  const program = await startProgram({ name: "rpc", main, port, operatorPort, env, preload });
  resources.push(() => program.close());
  const sessions = new Http2SessionManager(program.url);
  resources.push(() => sessions.abort());
  return sessions;
}

const transportOf = (sessionManager: Http2SessionManager) =>
  createGrpcTransport({ baseUrl: sessionManager.authority, sessionManager });

/** A call that waits for a stream does so until its deadline; with the protection, none does. */
const deadline = (removed: readonly RemovedProtection[]) => ({ timeoutMs: removed.length === 0 ? 30_000 : 2_000 });

async function outcomeOf(call: Promise<unknown>): Promise<string> {
  return await call.then(
    () => "ok",
    (error: unknown) => Code[ConnectError.from(error).code],
  );
}

/** Alternates requests of 3 MiB, the limit being 2, with small ones; returns the outcomes of both. */
async function refuse(rounds: number, removed: readonly RemovedProtection[]) {
  const client = createClient(ConnectionService, transportOf(await connect(removed)));
  const [large, small] = [new Set<string>(), new Set<string>()];
  for (let round = 0; round < rounds; round++) {
    const send = (id: string) =>
      outcomeOf(client.deleteConnection({ id }, { headers: bearer(OPERATOR), ...deadline(removed) }));
    large.add(await send("x".repeat(3 * MIB)));
    small.add(await send("x"));
  }
  return { large: [...large], small: [...small] };
}

/** Leaves calls during their replies of 4 MiB, each followed by a small call. Returns the small calls' outcomes. */
async function leave(rounds: number, removed: readonly RemovedProtection[]): Promise<string[]> {
  const sessions = await connect(removed);
  const client = createClient(DirectoryService, transportOf(sessions));
  const message = frame(toBinary(SelectTeamsRequestSchema, create(SelectTeamsRequestSchema, { page: 4n })));
  const headers = { ...bearer(OPERATOR), "content-type": "application/grpc", te: "trailers" };
  const outcomes = new Set<string>();
  for (let round = 0; round < rounds; round++) {
    const stream = await sessions.request("POST", "/identity.v1.DirectoryService/SelectTeams", headers, {});
    stream.on("error", () => undefined).end(message);
    // The rest of the answer does not fit into the window of a client that does not read.
    await new Promise((resolve) => stream.once("response", resolve).once("close", resolve));
    stream.close(constants.NGHTTP2_CANCEL);
    outcomes.add(await outcomeOf(client.batchGetTeams({}, { headers: bearer(OPERATOR), ...deadline(removed) })));
  }
  return [...outcomes];
}

const UNREAD: RemovedProtection = { marker: "unread-requests" };
const CUT: RemovedProtection = { marker: "cut-streams", instead: "const MAX_CUT_STREAMS = 1e9;" };

test("requests that are refused for their size cost no other call of their session", async () => {
  expect(await refuse(30, [])).toEqual({ large: ["ResourceExhausted"], small: ["ok"] });
});

test("control: left unread, they do", async () => {
  const { small } = await refuse(30, [UNREAD]);
  expect(small).not.toEqual(["ok"]);
});

test("callers that leave during their answers cost no other call of their session", async () => {
  expect(await leave(30, [])).toEqual(["ok"]);
});

test("control: when the session is never replaced, they do", async () => {
  expect(await leave(30, [CUT])).not.toEqual(["ok"]);
});
