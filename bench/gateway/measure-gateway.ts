import { deepStrictEqual } from "node:assert";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { startProgram, takeStablePort } from "@cloud/testkit";
import { bundlePrograms } from "../harness/bundle-programs.ts";
import type { Contest, Contestant } from "../harness/contestant.ts";
import { cpuMsOf } from "../harness/cpu-time.ts";
import { holdContests } from "../harness/hold-contests.ts";
import { IMAGE_ENVIRONMENT } from "../harness/image-environment.ts";
import { writeRequest } from "../harness/load.ts";
import { startClient } from "../harness/start-client.ts";
import { type PeerOptions, startPeer } from "../harness/start-peer.ts";
import type { Part } from "../part.ts";
import { buildGrpcGateway, HOW_TO_INSTALL, PROGRAM } from "./grpc-gateway/build.ts";

const peerFile = (name: string) => fileURLToPath(new URL(`peers/${name}-process.ts`, import.meta.url));

const TOKEN = `cst_${"a".repeat(43)}`;
const ONE = "/api/workspaces/01930000-0000-7000-8000-000000000000";
const LIST = "/api/workspaces?orgId=01930000-0000-7000-8000-aaaaaaaaaaaa";
const contestOf = (what: string, path: string): Contest => ({
  what,
  status: 200,
  requests: [writeRequest({ method: "GET", path, token: TOKEN })],
});

/** Measures our gateway alone, before a backend of fixed messages, beside other gateways before the same backend. */
export const measureGateway: Part = async ({ seconds, rounds, small }, recorder) => {
  await using resources = new AsyncDisposableStack();
  const start = async (options: PeerOptions) => {
    const peer = await startPeer(options);
    resources.defer(() => peer.stop());
    return peer;
  };
  const contestants: Contestant[] = [];
  const enter = async (name: string, options: PeerOptions) => {
    const { port, pid } = await start(options);
    contestants.push({ name, port, cpu: () => ({ gateway: cpuMsOf(pid) }) });
  };

  const connect = await start({ args: [peerFile("connect-backend")] });
  const mainOf = await bundlePrograms();
  const gateway = await startProgram({
    name: "gateway",
    main: mainOf("gateway"),
    port: await takeStablePort(),
    operatorPort: await takeStablePort(),
    env: { ...IMAGE_ENVIRONMENT, WORKSPACE_URL: connect.url, ENVIRONMENT_URL: connect.url, IDENTITY_URL: connect.url },
  });
  resources.defer(() => gateway.close());
  contestants.push({ name: "cloud", port: gateway.port, cpu: () => ({ gateway: cpuMsOf(gateway.pid() ?? 0) }) });
  const grpc = await start({ args: [peerFile("grpc-backend")] });
  // The size of CI compiles no Go, which takes a minute.
  const grpcGateway = small && !existsSync(PROGRAM) ? undefined : await buildGrpcGateway();
  if (grpcGateway === undefined) recorder.skip(`grpc-gateway is not measured: ${HOW_TO_INSTALL}, without --small`);
  else await enter("grpc-gateway", { command: grpcGateway, args: [], env: { BACKEND: `127.0.0.1:${grpc.port}` } });
  await enter("connect-node", { args: [peerFile("connect-node")], env: { BACKEND: grpc.url } });
  const bytes = await start({ args: [peerFile("node-http")] });
  await enter("undici", { args: [peerFile("undici")], env: { BACKEND: bytes.url } });
  await enter("node:http", { args: [peerFile("node-http")] });
  for (const contestant of contestants) await assertSame(contestant, gateway.url);

  const client = startClient();
  resources.defer(() => client.stop());
  const options = { part: "gateway", recorder, client, connections: 16, rounds, seconds };
  await holdContests([contestOf("GET one", ONE), contestOf("list of 25", LIST)], contestants, options);
};

/** Refuses to measure a gateway that does not respond with the same JSON, where an absent field may also be null. */
async function assertSame({ name, port }: Contestant, ours: string): Promise<void> {
  const read = async (url: string) => {
    const response = await fetch(url, { headers: { authorization: `Bearer ${TOKEN}` } });
    return JSON.parse(await response.text(), (_, value: unknown) => (value === null ? undefined : value)) as unknown;
  };
  for (const path of [ONE, LIST]) {
    deepStrictEqual(await read(`http://127.0.0.1:${port}${path}`), await read(ours + path), `${name}: ${path}`);
  }
}
