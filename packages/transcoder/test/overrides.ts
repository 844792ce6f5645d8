import { fromJson, type JsonObject } from "@bufbuild/protobuf";
import { HttpRuleSchema } from "../src/gen/google/api/http_pb.ts";
import { declaredRule, type RuleOf } from "../src/rules/http-rules.ts";

/** Rules in place of those that the LibraryService of the example declares, by the names of its methods. */
export function overrides(rules: Readonly<Record<string, JsonObject>>): { readonly rule: RuleOf } {
  return {
    rule: (method) => {
      const json = method.parent.name === "LibraryService" ? rules[method.name] : undefined;
      return json === undefined ? declaredRule(method) : fromJson(HttpRuleSchema, json);
    },
  };
}
