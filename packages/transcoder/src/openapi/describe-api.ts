import type { DescMessage, DescService } from "@bufbuild/protobuf";
import { compileRoutes, type Route, type RouteTransport } from "../index.ts";
import { commentOf } from "./comments.ts";
import type { OpenapiDocument, Operation, PathItem, Schema } from "./document.ts";
import { type ExpandedPath, expandPath, renameParameters, shapeOf } from "./expand-path.ts";
import type { OpenapiOptions } from "./openapi-options.ts";
import { describeOperation } from "./operation.ts";
import { ERROR_SCHEMAS } from "./responses.ts";
import { createSchemaCollection, messagesWithin, spellNames } from "./schemas.ts";
import { shareParts } from "./share-parts.ts";

/**
 * Describes an API as OpenAPI 3.1, from the same routes that bind its requests. Equal input gives equal output, byte by
 * byte.
 *
 * A rule for any method (`*`) is described for each method that no other rule of its path has; a method that OpenAPI
 * does not have, such as PURGE, is under `x-additionalOperations` of its path, where OpenAPI 3.2 has
 * `additionalOperations`.
 *
 * @throws InvalidRules with the faults of all rules
 * @throws Error for two operations with the same id
 */
export function describeApi(options: OpenapiOptions): OpenapiDocument {
  const { services, info, externalDocs, servers, security, securitySchemes } = options;
  const routes = compileRoutes(
    services.map((service) => ({ service, transport: UNUSED })),
    options,
  );
  const schemas = createSchemaCollection(options, repliedMessages(routes));
  const named = nameOperations(routes);
  const entries = nameParameters(routes).map(([route, expanded]): Entry => {
    const operation = describeOperation(route, expanded, named.get(route) ?? "", options, schemas);
    return { route, path: expanded.path, operation };
  });
  assertUnique(entries);
  const { paths, ...shared } = shareParts(collectPaths(entries));
  const own = options.errorContent === undefined ? ERROR_SCHEMAS : {};
  const messages = routes.flatMap(({ method }) => [method.input, method.output]);
  const spelled = <Part>(part: Part) => (options.json?.names === "proto" ? part : spellNames(part, messages));
  const all: Record<string, Schema> = { ...Object.fromEntries(schemas.schemas), ...own, ...options.schemas };
  return {
    openapi: "3.1.1",
    info,
    jsonSchemaDialect: "https://spec.openapis.org/oas/3.1/dialect/base",
    ...(servers && { servers }),
    ...(security && { security }),
    ...(externalDocs && { externalDocs }),
    tags: spelled(describeTags(services, entries)),
    paths: spelled(paths),
    components: spelled({
      schemas: Object.fromEntries(Object.entries(all).toSorted(([a], [b]) => (a < b ? -1 : 1))),
      ...shared,
      ...(securitySchemes && { securitySchemes }),
    }),
  };
}

// Routes are only described here, never called.
const refuse = () => Promise.reject(new Error("no transport"));
const UNUSED: RouteTransport = { unary: refuse, stream: refuse };

interface Entry {
  readonly route: Route;
  readonly path: string;
  readonly operation: Operation;
}

function repliedMessages(routes: readonly Route[]): Set<DescMessage> {
  const found = new Set<DescMessage>();
  for (const { responseField, method } of routes) {
    const message = responseField === undefined ? method.output : responseField.message;
    if (message) messagesWithin(message, found);
  }
  return found;
}

/** Gives paths that differ only in the names of their parameters the names of the first. */
function nameParameters(routes: readonly Route[]): [Route, ExpandedPath][] {
  const names = new Map<string, readonly string[]>();
  return routes.map((route) => {
    const expanded = expandPath(route);
    const shape = shapeOf(expanded);
    const first = names.get(shape) ?? expanded.parameters.map(({ name }) => name);
    names.set(shape, first);
    return [route, renameParameters(expanded, first)];
  });
}

/**
 * Returns the ids of operations: the name of the RPC, with its service where another service has one of that name; for
 * additional bindings followed by the binding's number.
 */
function nameOperations(routes: readonly Route[]): Map<Route, string> {
  const ids = new Map<Route, string>();
  for (const [method, group] of Map.groupBy(routes, (route) => route.method)) {
    const isShared = routes.some((other) => other.method !== method && other.method.name === method.name);
    const name = isShared ? `${method.parent.name}_${method.name}` : method.name;
    for (const [index, route] of group.entries()) ids.set(route, index === 0 ? name : `${name}${index + 1}`);
  }
  return ids;
}

function assertUnique(entries: readonly Entry[]): void {
  const [twice] = [...Map.groupBy(entries, ({ operation }) => operation.operationId)].filter(([, all]) => all[1]);
  if (twice !== undefined) throw new Error(`two operations have the id ${twice[0]}`);
}

function collectPaths(entries: readonly Entry[]): Record<string, PathItem> {
  const byPath = Map.groupBy(entries, ({ path }) => path);
  return Object.fromEntries([...byPath].map(([path, group]) => [path, pathItem(group)]));
}

function pathItem(entries: readonly Entry[]): PathItem {
  const isOf = (method: string) => (entry: Entry) => entry.route.httpMethod === method;
  const any = entries.find(isOf("*"));
  const declared = METHODS.flatMap((method) => {
    const entry = entries.find(isOf(method));
    if (entry !== undefined) return [[method.toLowerCase(), entry.operation] as const];
    if (any === undefined || !COMMON.has(method)) return [];
    const { operationId } = any.operation;
    return [[method.toLowerCase(), { ...any.operation, operationId: `${operationId}_${method}` }] as const];
  });
  const others = entries.filter(({ route }) => route.httpMethod !== "*" && !METHODS.includes(route.httpMethod));
  const additional = Object.fromEntries(others.map(({ route, operation }) => [route.httpMethod, operation]));
  return {
    ...Object.fromEntries(declared),
    ...(others.length > 0 && { "x-additionalOperations": additional as unknown as Operation }),
  };
}

/** The methods that a path of OpenAPI 3.1 has, in the order of a document. */
const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE"];

/** The methods that a rule for any method is described for. */
const COMMON: ReadonlySet<string> = new Set(["GET", "POST", "PUT", "PATCH", "DELETE"]);

function describeTags(services: readonly DescService[], entries: readonly Entry[]): OpenapiDocument["tags"] {
  const names = new Set(entries.flatMap(({ operation }) => operation.tags));
  return [...names].map((name) => {
    const { method } = entries.find(({ operation }) => operation.tags.includes(name))?.route ?? {};
    const description = method && services.includes(method.parent) ? commentOf(method.parent) : "";
    return { name, ...(description !== "" && { description }) };
  });
}
