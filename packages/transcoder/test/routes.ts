import type { Transport } from "@connectrpc/connect";
import type { HttpPattern, HttpRule } from "../src/rules/http-rules.ts";

const refuse = () => Promise.reject(new Error("no transport"));

/** For tests of routes that call nothing. */
export const NO_TRANSPORT: Transport = { unary: refuse, stream: refuse };

/** Creates a rule from text such as `GET /things/{id}`. */
export function ruleFor(text: string, rest: Partial<Omit<HttpRule, "pattern">> = {}): HttpRule {
  const [kind = "", path = ""] = text.split(" ", 2);
  const known = ["GET", "PUT", "POST", "DELETE", "PATCH"].includes(kind);
  const plain = { case: kind.toLowerCase(), value: path } as HttpPattern;
  const pattern: HttpPattern = known ? plain : { case: "custom", value: { kind, path } };
  return { pattern, body: "", responseBody: "", additionalBindings: [], ...rest };
}
