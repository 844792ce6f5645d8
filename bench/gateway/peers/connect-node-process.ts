// A gateway written by hand for two routes, with the client of connect-node as it is: what the transcoder replaces.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { toJsonString } from "@bufbuild/protobuf";
import { WorkspaceSchema } from "@cloud/proto/workspace/v1/records_pb";
import { ListWorkspacesResponseSchema, WorkspaceService } from "@cloud/proto/workspace/v1/workspace_service_pb";
import { Code, ConnectError, createClient } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";
import { serve } from "../../harness/serve.ts";

const client = createClient(WorkspaceService, createGrpcTransport({ baseUrl: process.env["BACKEND"] ?? "" }));
const JSON_OPTIONS = { alwaysEmitImplicit: true };

const server = createServer({ keepAliveTimeout: 65_000 }, (request, response) => {
  respond(request, response).catch((error: unknown) => {
    send(response, 502, JSON.stringify({ code: Code[ConnectError.from(error).code] }));
  });
});
serve(server);

async function respond({ url: target = "", headers }: IncomingMessage, response: ServerResponse): Promise<void> {
  const url = new URL(target, "http://gateway");
  const options = { headers: { authorization: headers.authorization ?? "" }, timeoutMs: 10_000 };
  const id = /^\/api\/workspaces\/([^/]+)$/.exec(url.pathname)?.[1];
  if (id !== undefined) {
    const { workspace } = await client.getWorkspace({ id: decodeURIComponent(id) }, options);
    if (workspace === undefined) send(response, 502, "{}");
    else send(response, 200, toJsonString(WorkspaceSchema, workspace, JSON_OPTIONS));
  } else if (url.pathname === "/api/workspaces") {
    const list = await client.listWorkspaces({ orgId: url.searchParams.get("orgId") ?? "" }, options);
    send(response, 200, toJsonString(ListWorkspacesResponseSchema, list, JSON_OPTIONS));
  } else send(response, 404, "{}");
}

function send(response: ServerResponse, status: number, json: string): void {
  const body = Buffer.from(json);
  response.writeHead(status, { "content-type": "application/json", "content-length": body.length });
  response.end(body);
}
