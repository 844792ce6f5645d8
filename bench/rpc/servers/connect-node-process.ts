// The library's server as it is, on HTTP/1.1 or, with H2C, on HTTP/2. It checks the credential and nothing else.
import http from "node:http";
import http2 from "node:http2";
import { AccessService } from "@cloud/proto/workspace/v1/access_service_pb";
import { Code, ConnectError } from "@connectrpc/connect";
import { connectNodeAdapter } from "@connectrpc/connect-node";
import { serve } from "../../harness/serve.ts";
import { AUTHORIZATION } from "../trivial.ts";

const adapter = connectNodeAdapter({
  routes: (router) =>
    void router.service(AccessService, {
      checkAccess: (_request, context) => {
        if (context.requestHeader.get("authorization") !== AUTHORIZATION)
          throw new ConnectError("", Code.Unauthenticated);
        return { allowed: true };
      },
    }),
});
serve(process.env["H2C"] === "1" ? http2.createServer(adapter) : http.createServer(adapter));
