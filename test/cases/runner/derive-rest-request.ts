import type { Mapping, RestRequest } from "./case-file.ts";
import type { Method } from "./find-method.ts";

/**
 * Derives the REST request from an RPC request in proto3 JSON by the method's google.api.http rule: path variables,
 * then the rest as body if the rule contains `body: "*"`, otherwise as query (lists repeated, messages as JSON). Throws
 * an Error if the request lacks a variable.
 */
export function deriveRestRequest({ desc, rule }: Pick<Method, "desc" | "rule">, request: Mapping): RestRequest {
  if (rule?.pattern.case === undefined || rule.pattern.case === "custom") {
    throw new Error(`${desc.name} has no REST form; write "only: rpc"`);
  }
  const left = new Map(Object.entries(request));
  const path = rule.pattern.value.replace(/\{(\w+)\}/g, (_, variable: string) => {
    const { jsonName = "" } = desc.input.fields.find(({ name }) => name === variable) ?? {};
    const value = left.get(jsonName);
    if (value === undefined) throw new Error(`the request lacks ${jsonName}, which the path needs`);
    left.delete(jsonName);
    return encodeURIComponent(String(value));
  });
  const method = rule.pattern.case.toUpperCase();
  const underApi = path.replace(/^\/api/, "");
  if (rule.body === "*") return { method, path: underApi, body: Object.fromEntries(left) };
  const query = [...left].flatMap(([name, value]) =>
    (Array.isArray(value) ? value : [value]).map((item) => `${name}=${encodeURIComponent(queryText(item))}`),
  );
  return { method, path: query.length === 0 ? underApi : `${underApi}?${query.join("&")}` };
}

const queryText = (value: unknown): string => (typeof value === "object" ? JSON.stringify(value) : String(value));
