// Calls an RPC server as the programs of this system do, and writes "served" or why not.
import { AccessService } from "@cloud/proto/workspace/v1/access_service_pb";
import { describeError } from "@cloud/runtime";
import { testTelemetry } from "@cloud/testkit";
import { createClient } from "@connectrpc/connect";
import { createServiceTransport, openTlsFiles } from "../../src/index.ts";
import { TOKEN } from "../start-access-server.ts";

const { SERVER_URL: url = "", TLS_PATHS = "" } = process.env;
const tls = openTlsFiles(JSON.parse(TLS_PATHS), testTelemetry().log);
const transport = createServiceTransport({ url, serviceToken: TOKEN, tls });
const outcome = await createClient(AccessService, transport)
  .checkAccess({})
  .then(
    () => "served",
    (error: unknown) => describeError(error),
  );
transport.close();
process.stdout.write(outcome);
