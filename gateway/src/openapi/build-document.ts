import { createFileRegistry, type DescService } from "@bufbuild/protobuf";
import type { FileDescriptorSet } from "@bufbuild/protobuf/wkt";
import { compileRoutes, type Route } from "@cloud/transcoder";
import type { Transport } from "@connectrpc/connect";
import { exposedServices, httpRuleOf } from "../services.ts";
import { commentOf } from "./comments.ts";
import type { OpenapiDocument, Operation, Schema } from "./document.ts";
import { describeOperation, tagOf } from "./operation.ts";
import { REFUSAL_HEADERS } from "./rate-limit-headers.ts";
import { createSchemaCollection } from "./schemas.ts";

/** Builds the OpenAPI document from compiled proto files that include their comments. */
export function buildDocument(files: FileDescriptorSet): OpenapiDocument {
  const services = commentedServices(files);
  const routes = compileRoutes(
    services.map((service) => ({ service, transport: UNUSED })),
    httpRuleOf,
  );
  const schemas = createSchemaCollection();
  const paths: Record<string, Record<string, Operation>> = {};
  const ids = new Map<string, number>();
  for (const route of routes) {
    const { name } = route.method;
    const times = (ids.get(name) ?? 0) + 1;
    ids.set(name, times);
    const operation = describeOperation(route, times === 1 ? name : `${name}${times}`, schemas);
    const text = documentedPath(route);
    paths[text] = { ...paths[text], [route.httpMethod.toLowerCase()]: operation };
  }
  return {
    openapi: "3.1.0",
    info: INFO,
    servers: [{ url: "/" }],
    security: [{ token: [] }],
    tags: describeTags(services, routes),
    paths,
    components: {
      schemas: { ...Object.fromEntries([...schemas.schemas].toSorted(([a], [b]) => (a < b ? -1 : 1))), Error: ERROR },
      headers: REFUSAL_HEADERS,
      securitySchemes: { token: { type: "http", scheme: "bearer", description: "A security token of a user." } },
    },
  };
}

// Path parameters have JSON names, like all other names in the API.
function documentedPath({ template, variables }: Route): string {
  const names = variables.map((fields) => fields.map((field) => field.jsonName).join("."));
  return template.text.replace(/\{[^}]*\}/g, () => `{${names.shift()}}`);
}

function commentedServices(files: FileDescriptorSet): DescService[] {
  const registry = createFileRegistry(files);
  return exposedServices({ workspace: UNUSED, environment: UNUSED, identity: UNUSED }).map(({ service }) => {
    const commented = registry.getService(service.typeName);
    if (commented === undefined) throw new Error(`${service.typeName} is not among the compiled files`);
    return commented;
  });
}

function describeTags(services: readonly DescService[], routes: readonly Route[]) {
  const names = new Set(routes.map(tagOf));
  const tags = services.map((service) => ({
    name: service.name.replace(/Service$/, ""),
    description: commentOf(service),
  }));
  return tags.filter(({ name }) => names.has(name));
}

const INFO = {
  title: "Cloud management API",
  version: "1",
  description:
    "Workspaces, environments and their links, scoped by organization. Every request carries a security token: " +
    "`Authorization: Bearer <token>`. Lists are returned in pages, numbered from 0, and contain all records written " +
    "before the request. Every error is returned as `{error, code, requestId}`: a text for users, a stable code for " +
    "programs, and the id of the request in the log. `x-permission` is the permission key that a user needs; " +
    "`x-scope` names what determines the organization in which they need it or, without a key, must be a member.",
};

const ERROR: Schema = {
  type: "object",
  description: "The body of every error response.",
  properties: {
    error: { type: "string", description: "A text for users." },
    code: { type: "string", description: "A stable code for programs." },
    requestId: { type: "string", description: "The request id, as in the header `X-Request-Id`." },
  },
  required: ["error", "code", "requestId"],
};

// Routes are only described here, never called.
const refuse = () => Promise.reject(new Error("no transport"));
const UNUSED: Transport = { unary: refuse, stream: refuse };
