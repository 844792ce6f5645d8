import type { DescField, DescMessage, DescMethod, DescService } from "@bufbuild/protobuf";
import { findMaskField } from "../binding/update-mask.ts";
import { FaultList, findRule, type HttpRule, type RuleSources, rpcName } from "./http-rules.ts";
import { type PathTemplate, parsePathTemplate, TemplateError } from "./path-template.ts";
import { readVariables } from "./path-variables.ts";
import type { Route, RouteTransport } from "./route.ts";

export interface TranscodedService {
  readonly service: DescService;
  readonly transport: RouteTransport;
}

/**
 * Derives all routes from the rules of the services' methods.
 *
 * @throws InvalidRules with the faults of all rules, and with routes that match the same requests
 */
export function compileRoutes(services: readonly TranscodedService[], sources: RuleSources): Route[] {
  const faults = new FaultList();
  const routes = services.flatMap(({ service, transport }) =>
    service.methods.flatMap((method) => {
      const rule = findRule(method, sources, faults);
      return rule === undefined ? [] : compileRule(method, transport, rule, faults);
    }),
  );
  findDuplicates(routes, faults);
  faults.assertEmpty();
  return routes;
}

function compileRule(method: DescMethod, transport: RouteTransport, rule: HttpRule, faults: FaultList): Route[] {
  const { methodKind } = method;
  if (methodKind !== "unary" && methodKind !== "server_streaming") {
    faults.add(method, `${CLIENT_STREAMS[methodKind]} cannot be transcoded`);
    return [];
  }
  return [rule, ...rule.additionalBindings].flatMap((binding) => {
    if (binding !== rule && binding.additionalBindings.length > 0)
      faults.add(method, "additional bindings must not be nested");
    return compileBinding(method as Route["method"], transport, binding, faults) ?? [];
  });
}

/** The streams that are refused: a request of HTTP is complete before its response, and a client cannot send more. */
const CLIENT_STREAMS: Readonly<Record<"client_streaming" | "bidi_streaming", string>> = {
  client_streaming: "a client stream",
  bidi_streaming: "a stream in both directions",
};

/** Reports every fault of a binding that does not follow from another; returns undefined if there is any. */
function compileBinding(
  method: Route["method"],
  transport: RouteTransport,
  rule: HttpRule,
  faults: FaultList,
): Route | undefined {
  const pattern = readPattern(method, rule, faults);
  const template = pattern && readTemplate(method, pattern.path, faults);
  const body = readBodyField(method, rule.body, faults);
  const responseField = readResponseField(method, rule.responseBody, faults);
  if (body !== undefined && body !== "none" && pattern !== undefined && BODILESS.has(pattern.httpMethod))
    faults.add(method, `${pattern.httpMethod} takes no body`);
  if (template === undefined || pattern === undefined) return undefined;
  const variables = readVariables(method, template, body, faults);
  if (variables === undefined || body === undefined) return undefined;
  const { httpMethod } = pattern;
  const updateMask = findMaskField(httpMethod, method.input, body);
  return { httpMethod, template, method, transport, variables, body, updateMask, responseField };
}

/** The methods whose bodies have no meaning in HTTP; proxies drop them. */
const BODILESS: ReadonlySet<string> = new Set(["GET", "HEAD"]);

interface Pattern {
  /** The HTTP method in upper case; "*" for any. */
  readonly httpMethod: string;
  readonly path: string;
}

function readPattern(method: DescMethod, { pattern }: HttpRule, faults: FaultList): Pattern | undefined {
  if (pattern.case === undefined) return faults.add(method, "the rule has no pattern");
  if (pattern.case !== "custom") return { httpMethod: pattern.case.toUpperCase(), path: pattern.value };
  const { kind, path } = pattern.value;
  if (kind !== "*" && !TOKEN.test(kind)) return faults.add(method, `"${kind}" is not an HTTP method`);
  return { httpMethod: kind.toUpperCase(), path };
}

/** A token of RFC 9110 with a letter first, as all registered methods have. */
const TOKEN = /^[A-Za-z][A-Za-z0-9!#$%&'+.^_`|~-]*$/;

function readTemplate(method: DescMethod, path: string, faults: FaultList): PathTemplate | undefined {
  try {
    return parsePathTemplate(path);
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error;
    return faults.add(method, error.message, { template: path, column: error.column });
  }
}

/** Returns what a rule's body is bound to; undefined after a fault. */
function readBodyField(method: DescMethod, name: string, faults: FaultList): Route["body"] | undefined {
  if (name === "") return "none";
  if (name === "*") return "whole";
  const field = findByName(method.input, name);
  return field ?? faults.add(method, `body "${name}" is no field of ${method.input.typeName}`);
}

/** Returns the field of the reply that a rule sends; undefined for the whole reply, and after a fault. */
function readResponseField(method: DescMethod, name: string, faults: FaultList): DescField | undefined {
  if (name === "") return undefined;
  const field = findByName(method.output, name);
  return field ?? faults.add(method, `response body "${name}" is no field of ${method.output.typeName}`);
}

/** Finds a field by its name in proto, which rules use also where JSON has another name. */
function findByName({ fields }: DescMessage, name: string): DescField | undefined {
  return fields.find((field) => field.name === name);
}

/**
 * Reports routes that match the same requests, which are routes of one HTTP method and one shape: between two shapes
 * the first segment that differs decides.
 */
function findDuplicates(routes: readonly Route[], faults: FaultList): void {
  const known = new Map<string, Route>();
  for (const route of routes) {
    const { httpMethod, template, method } = route;
    const key = `${httpMethod} ${shapeOf(template)}`;
    const earlier = known.get(key);
    if (earlier === undefined) known.set(key, route);
    else {
      const what = `${httpMethod} matches the same requests as "${earlier.template.text}" of ${rpcName(earlier.method)}`;
      faults.add(method, what, { template: template.text, column: 1 });
    }
  }
}

/** Writes a template without its variables, each literal in one spelling. */
function shapeOf({ segments, verb }: PathTemplate): string {
  const parts = segments.map((segment) => (typeof segment === "string" ? segment : JSON.stringify(segment.literal)));
  return `${parts.join("/")}:${verb}`;
}
