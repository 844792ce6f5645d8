import { createFileRegistry, type DescService } from "@bufbuild/protobuf";
import type { FileDescriptorSet } from "@bufbuild/protobuf/wkt";
import { describeApi, type Info, type OpenapiDocument } from "@cloud/transcoder/openapi";
import type { Transport } from "@connectrpc/connect";
import { BINDING, JSON_FORM } from "../../src/api-profile.ts";
import { exposedServices } from "../../src/services.ts";
import { ERROR, errorContent } from "./failures.ts";
import { REQUEST_HEADERS, RESPONSE_HEADERS } from "./headers.ts";
import { fieldNotes, operationNotes } from "./operation-notes.ts";

/** Builds the OpenAPI document from compiled proto files that include their comments. */
export function buildDocument(files: FileDescriptorSet): OpenapiDocument {
  return describeApi({
    services: commentedServices(files),
    binding: BINDING,
    json: JSON_FORM,
    info: INFO,
    servers: [{ url: "/" }],
    security: [{ token: [] }],
    securitySchemes: { token: { type: "http", scheme: "bearer", description: "A security token of a user." } },
    field: fieldNotes,
    operation: operationNotes,
    requestHeaders: REQUEST_HEADERS,
    responseHeaders: RESPONSE_HEADERS,
    // The specification has filter={"assigned":false}.
    queryMessages: "json",
    errorContent,
    schemas: { Error: ERROR },
  });
}

function commentedServices(files: FileDescriptorSet): DescService[] {
  const registry = createFileRegistry(files);
  return exposedServices({ workspace: UNUSED, environment: UNUSED, identity: UNUSED }).map(({ service }) => {
    const commented = registry.getService(service.typeName);
    if (commented === undefined) throw new Error(`${service.typeName} is not among the compiled files`);
    return commented;
  });
}

const INFO: Info = {
  title: "Cloud management API",
  version: "1",
  summary: "Workspaces, environments and their links, scoped by organization.",
  description: [
    "Every request carries a security token: `Authorization: Bearer <token>`.",
    "Lists are returned in pages, numbered from 0, and contain all records written before the request. Every `GET` is " +
      "also a `HEAD`.",
    "Ids are UUIDs; to clients they are opaque: a malformed one is an unknown one. An empty text is an absent one, " +
      "except in an update, where it clears the field. Unknown fields and parameters are ignored. Names of parameters " +
      "are also accepted in any case, and names of fields as in proto (`organization_id`).",
    "Every error is returned as `{error, code, requestId}`: a text for users, a stable code for programs, and the id of " +
      "the request in the log.",
    "Pages of other origins can call where the operator allows their origins. Responses then have the headers of CORS " +
      "(`Access-Control-Allow-Origin` and others, `Vary`), which are not listed here.",
    "`x-permission` is the permission key that a user needs; `x-scope` names what determines the organization in which " +
      "they need it or, without a key, must be a member; `x-rpc` is the same operation by gRPC.",
  ].join("\n\n"),
  contact: { name: "The operator of this installation" },
  license: { name: "Apache-2.0", identifier: "Apache-2.0" },
};

// Routes are only described here, never called.
const refuse = () => Promise.reject(new Error("no transport"));
const UNUSED: Transport = { unary: refuse, stream: refuse };
