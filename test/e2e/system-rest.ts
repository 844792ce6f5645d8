import type { DescMethodUnary } from "@bufbuild/protobuf";
import { codeOf, reasonOf, ruleOf } from "@cloud/access/errors";
import type { Demo } from "@cloud/local-stack";
import { ConnectError, type Transport } from "@connectrpc/connect";
import { createConnectTransport } from "@connectrpc/connect-node";
import { BINDING, JSON_FORM } from "../../gateway/src/api-profile.ts";
import { statusOf } from "../../gateway/src/follow-requests.ts";
import { exposedServices } from "../../gateway/src/services.ts";
import { bindRequest } from "../../packages/transcoder/src/binding/bind-request.ts";
import { renderJson } from "../../packages/transcoder/src/json-out/render-json.ts";
import { createRouteTable, type RouteTable } from "../../packages/transcoder/src/matching/route-table.ts";
import { compileRoutes } from "../../packages/transcoder/src/rules/compile-routes.ts";
import { cutTarget } from "../../packages/transcoder/src/serving/serve.ts";
import type { RestCalls, RestResponse } from "./rest.ts";

/**
 * Makes the requests of the REST API as the operator, who may name the owner of a record. The gateway accepts no
 * service credential, so each request is converted here and sent to the service as an RPC.
 */
export function systemRest({ services, serviceToken }: Pick<Demo, "services" | "serviceToken">): RestCalls {
  const open = (baseUrl: string): Transport => createConnectTransport({ baseUrl, httpVersion: "1.1" });
  const upstreams = {
    workspace: open(services.workspace),
    environment: open(services.environment),
    identity: open(services.identity),
  };
  const table = createRouteTable(compileRoutes(exposedServices(upstreams), {}), { trailingSlash: "forgive" });
  const send = (method: string) => (path: string, body?: unknown) =>
    call(table, serviceToken, method, "/api" + path, body);
  return { get: send("GET"), post: send("POST"), put: send("PUT"), delete: send("DELETE") };
}

async function call(
  table: RouteTable,
  token: string,
  httpMethod: string,
  path: string,
  body: unknown,
): Promise<RestResponse> {
  const target = cutTarget(path);
  const { route, values } = table.match(httpMethod, target);
  const json = body === undefined ? undefined : JSON.parse(JSON.stringify(body));
  const message = bindRequest(route, { values, query: target.query, body: json }, BINDING);
  const { transport, responseField } = route;
  const method = route.method as DescMethodUnary;
  const headers = new Headers();
  try {
    const authorization = "Bearer " + token;
    const { message: reply } = await transport.unary(method, undefined, 10_000, { authorization }, message);
    const status = statusOf(route);
    return {
      status,
      headers,
      body: status === 204 ? undefined : renderJson(method.output, reply, responseField, JSON_FORM),
    };
  } catch (error) {
    const reason = reasonOf(error);
    const text = ConnectError.from(error).rawMessage;
    return { status: ruleOf(reason).httpStatus, headers, body: { error: text, code: codeOf(reason) } };
  }
}
