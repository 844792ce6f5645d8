import { createFileRegistry, type DescService } from "@bufbuild/protobuf";
import type { FileDescriptorSet } from "@bufbuild/protobuf/wkt";
import { compileRoutes, type Route } from "@cloud/transcoder";
import type { Transport } from "@connectrpc/connect";
import { exposedServices, httpRuleOf } from "../services.ts";
import { commentOf } from "./comments.ts";
import type { OpenapiDocument, Operation, Schema } from "./document.ts";
import { describeOperation, tagOf } from "./operation.ts";
import { createSchemaCollection } from "./schemas.ts";

/** Builds the OpenAPI document from compiled proto files that still have their comments. */
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
      securitySchemes: { token: { type: "http", scheme: "bearer", description: "A security token of a user." } },
    },
  };
}

// Path parameters bear JSON names, as everything else that callers see.
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
    "`Authorization: Bearer <token>`. Lists are answered in pages, from page 0 on, and read what was written before them. " +
    "Every failure is answered as `{error, code, requestId}`: a text for people, a stable code for programs, and the id " +
    "under which the log knows the request.",
};

const ERROR: Schema = {
  type: "object",
  description: "What every failure is answered with.",
  properties: {
    error: { type: "string", description: "For people." },
    code: { type: "string", description: "For programs; stable." },
    requestId: { type: "string", description: "The same as the header `X-Request-Id`." },
  },
  required: ["error", "code", "requestId"],
};

// Routes are described here, never called.
const refuse = () => Promise.reject(new Error("no transport"));
const UNUSED: Transport = { unary: refuse, stream: refuse };
