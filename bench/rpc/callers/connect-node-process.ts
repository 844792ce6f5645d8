// Calls through the library's transport as it is.
import { AccessService } from "@cloud/proto/workspace/v1/access_service_pb";
import { createClient } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";
import { AUTHORIZATION, request } from "../trivial.ts";
import { runCaller } from "./run-caller.ts";

const client = createClient(AccessService, createGrpcTransport({ baseUrl: process.env["SERVER"] ?? "" }));
const options = { headers: { authorization: AUTHORIZATION }, timeoutMs: 5_000 };
runCaller(() => client.checkAccess(request, options));
