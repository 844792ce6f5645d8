import type { DescField, DescMessage, DescMethod, DescMethodUnary, DescService } from "@bufbuild/protobuf";
import { findFieldExactly } from "./find-field.ts";
import type { HttpRule } from "./http-rule.ts";
import { type PathTemplate, parsePathTemplate } from "./path-template.ts";
import type { FieldPath, Route } from "./route.ts";
import type { RouteTransport } from "./route-transport.ts";

export interface TranscodedService {
  readonly service: DescService;
  readonly transport: RouteTransport;
}

/** Returns the rule of a method, or undefined if the method is not exposed by REST. */
export type RuleOf = (method: DescMethod) => HttpRule | undefined;

/** Derives all routes from the rules of the services' methods. @throws Error if a rule is unsupported or invalid */
export function compileRoutes(services: readonly TranscodedService[], ruleOf: RuleOf): Route[] {
  return services.flatMap(({ service, transport }) =>
    service.methods.flatMap((method) => {
      const rule = ruleOf(method);
      if (rule === undefined) return [];
      const unary = requireUnary(method);
      return [rule, ...rule.additionalBindings].map((binding) => {
        if (binding !== rule && binding.additionalBindings.length > 0)
          throw broken(method, "additional bindings must not be nested");
        return compileBinding(unary, transport, binding);
      });
    }),
  );
}

function compileBinding(method: DescMethodUnary, transport: RouteTransport, rule: HttpRule): Route {
  const [httpMethod, path] = readPattern(method, rule);
  const template = readTemplate(method, path);
  const variables = readVariables(method, template);
  const body = readBodyField(method, rule.body);
  if (httpMethod === "GET" && body !== "none") throw broken(method, "GET takes no body");
  if (typeof body === "object" && variables.some(([first]) => first === body))
    throw broken(method, `field "${body.name}" is bound by both path and body`);
  return { httpMethod, template, method, transport, variables, body, responseField: readResponseField(method, rule) };
}

function requireUnary(method: DescMethod): DescMethodUnary {
  if (method.methodKind !== "unary") throw broken(method, "only a unary method can be transcoded");
  return method as DescMethodUnary;
}

function readPattern(method: DescMethod, rule: HttpRule): [string, string] {
  const { pattern } = rule;
  if (pattern.case === undefined) throw broken(method, "the rule has no pattern");
  if (pattern.case !== "custom") return [pattern.case.toUpperCase(), pattern.value];
  const { kind, path } = pattern.value;
  if (!/^[A-Za-z]+$/.test(kind)) throw broken(method, `"${kind}" is not an HTTP method`);
  return [kind.toUpperCase(), path];
}

function readTemplate(method: DescMethod, path: string): PathTemplate {
  try {
    return parsePathTemplate(path);
  } catch (cause) {
    throw broken(method, cause instanceof Error ? cause.message : String(cause));
  }
}

function readVariables(method: DescMethod, template: PathTemplate): FieldPath[] {
  const names = template.segments.flatMap((segment) => ("variable" in segment ? [segment.variable] : []));
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw broken(method, `path variable "${twice}" is given twice`);
  return names.map((name) => readVariable(method, name));
}

function readVariable(method: DescMethod, name: string): FieldPath {
  const fields: DescField[] = [];
  let message: DescMessage | undefined = method.input;
  for (const part of name.split(".")) {
    const field: DescField | undefined = message?.fields.find((candidate) => candidate.name === part);
    if (field === undefined) throw broken(method, `path variable "${name}" is no field of ${method.input.typeName}`);
    fields.push(field);
    message = field.fieldKind === "message" ? field.message : undefined;
  }
  const kind = fields.at(-1)?.fieldKind;
  if (kind !== "scalar" && kind !== "enum")
    throw broken(method, `path variable "${name}" must be a singular scalar or enum, not a ${kind}`);
  return fields;
}

function readBodyField(method: DescMethod, name: string): Route["body"] {
  if (name === "") return "none";
  if (name === "*") return "whole";
  const field = findFieldExactly(method.input, name);
  if (field === undefined) throw broken(method, `body "${name}" is no field of ${method.input.typeName}`);
  return field;
}

function readResponseField(method: DescMethod, rule: HttpRule): DescField | undefined {
  if (rule.responseBody === "") return undefined;
  const field = findFieldExactly(method.output, rule.responseBody);
  if (field === undefined)
    throw broken(method, `response body "${rule.responseBody}" is no field of ${method.output.typeName}`);
  return field;
}

function broken(method: DescMethod, what: string): Error {
  return new Error(`${method.parent.typeName}.${method.name}: ${what}`);
}
