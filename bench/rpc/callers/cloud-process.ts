// Calls through the transport of our services.
import { AccessService } from "@cloud/proto/workspace/v1/access_service_pb";
import { createServiceTransport } from "@cloud/rpc";
import { createClient } from "@connectrpc/connect";
import { CREDENTIAL, request } from "../trivial.ts";
import { runCaller } from "./run-caller.ts";

const transport = createServiceTransport({ url: process.env["SERVER"] ?? "", serviceToken: CREDENTIAL });
const client = createClient(AccessService, transport);
runCaller(() => client.checkAccess(request));
