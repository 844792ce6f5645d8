// Calls through the library's transport for Connect, over kept connections of HTTP/1.1.
import http from "node:http";
import { AccessService } from "@cloud/proto/workspace/v1/access_service_pb";
import { createClient } from "@connectrpc/connect";
import { createConnectTransport } from "@connectrpc/connect-node";
import { AUTHORIZATION, request } from "../trivial.ts";
import { runCaller } from "./run-caller.ts";

const baseUrl = process.env["SERVER"] ?? "";
const agent = new http.Agent({ keepAlive: true, maxSockets: 128 });
const client = createClient(
  AccessService,
  createConnectTransport({ baseUrl, httpVersion: "1.1", nodeOptions: { agent }, useBinaryFormat: true }),
);
const options = { headers: { authorization: AUTHORIZATION }, timeoutMs: 5_000 };
runCaller(() => client.checkAccess(request, options));
