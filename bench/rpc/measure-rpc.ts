import { fileURLToPath } from "node:url";
import type { Contest, Contestant } from "../harness/contestant.ts";
import { cpuMsOf } from "../harness/cpu-time.ts";
import { holdContests } from "../harness/hold-contests.ts";
import { writeRequest } from "../harness/load.ts";
import { startClient } from "../harness/start-client.ts";
import { startPeer } from "../harness/start-peer.ts";
import type { Part } from "../part.ts";
import { CREDENTIAL, request } from "./trivial.ts";

const fileOf = (folder: string, name: string) =>
  fileURLToPath(new URL(`${folder}/${name}-process.ts`, import.meta.url));

const { userId, resourceKind, resourceId } = request;
const path = "/workspace.v1.AccessService/CheckAccess";
const body = { userId, resourceKind, resourceId };

const BETWEEN: Contest = { what: "from program to program", status: 200, requests: [] };
const OUTSIDE: Contest = { what: "gRPC unary from outside", status: 200, requests: [] };
const CONNECT: Contest = {
  what: "Connect unary from an HTTP client",
  status: 200,
  requests: [writeRequest({ method: "POST", path, token: CREDENTIAL, body })],
};

/**
 * A call of a handler that does nothing: from program to program, ours by Connect and the peers by gRPC; by gRPC from
 * the client of grpc-js; and by Connect from an HTTP client.
 */
export const measureRpc: Part = async ({ seconds, rounds }, recorder) => {
  await using resources = new AsyncDisposableStack();
  const owned = <T extends { stop(): Promise<void> }>(started: T): T => {
    resources.defer(() => started.stop());
    return started;
  };
  const server = async (name: string, env = {}) => owned(await startPeer({ args: [fileOf("servers", name)], env }));
  const caller = async (name: string, peer = name, env = { H2C: "1" }): Promise<Contestant> => {
    const { url, port, pid } = await server(peer, env);
    const client = owned(startClient({ file: fileOf("callers", name), env: { SERVER: url } }));
    return { name, port, client, cpu: () => ({ caller: cpuMsOf(client.pid), server: cpuMsOf(pid) }) };
  };
  const calledByGrpcJs = async (name: string): Promise<Contestant> => {
    const { url, port, pid } = await server(name);
    const client = owned(startClient({ file: fileOf("callers", "grpc-js"), env: { SERVER: url } }));
    return { name, port, client, cpu: () => ({ server: cpuMsOf(pid) }) };
  };
  const served = async (name: string): Promise<Contestant> => {
    const { port, pid } = await server(name);
    return { name, port, cpu: () => ({ server: cpuMsOf(pid) }) };
  };

  const client = owned(startClient());
  const options = { part: "rpc", recorder, client, connections: 16, rounds, seconds };
  const callers = [
    await caller("cloud"),
    await caller("grpc-js"),
    await caller("connect-node"),
    await caller("connect-node-http1", "connect-node", { H2C: "0" }),
  ];
  await holdContests([BETWEEN], callers, options);
  await holdContests([OUTSIDE], [await calledByGrpcJs("cloud"), await calledByGrpcJs("grpc-js")], options);
  await holdContests([CONNECT], [await served("cloud"), await served("connect-node")], options);
};
