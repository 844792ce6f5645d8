import { fromJson, type JsonObject } from "@bufbuild/protobuf";
import { HttpRuleSchema } from "../src/gen/google/api/http_pb.ts";
import { declaredRule, type RuleOf } from "../src/rules/http-rules.ts";

/** Returns rules in place of the declared ones of the example's LibraryService, by the names of its methods. */
export function overrides(rules: Readonly<Record<string, JsonObject>>): { readonly rule: RuleOf } {
  return {
    rule: (method) => {
      const json = method.parent.name === "LibraryService" ? rules[method.name] : undefined;
      return json === undefined ? declaredRule(method) : fromJson(HttpRuleSchema, json);
    },
  };
}
