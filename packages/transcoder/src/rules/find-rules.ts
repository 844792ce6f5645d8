import { type DescMethod, getOption, hasOption } from "@bufbuild/protobuf";
import { http } from "../gen/google/api/annotations_pb.ts";
import type { HttpRule } from "./http-rule.ts";
import type { FaultList } from "./invalid-rules.ts";

/** Returns the rule of a method, or undefined if the method is not exposed by REST. */
export type RuleOf = (method: DescMethod) => HttpRule | undefined;

/** Where the rules of methods come from. */
export interface RuleSources {
  /** Returns the HTTP rule of a method; that of its option `google.api.http` if absent. A method without one is not exposed. */
  readonly rule?: RuleOf | undefined;
}

/**
 * Returns the rule that a method declares by the option `google.api.http`; undefined without one. Descriptors keep the
 * option as bytes, whatever they were created from, so that no registry needs to contain the extension. Throws an Error if
 * the bytes cannot be decoded.
 */
export function declaredRule(method: DescMethod): HttpRule | undefined {
  return hasOption(method, http) ? getOption(method, http) : undefined;
}

/** Finds the rule of a method, and reports one that cannot be read. */
export function findRule(
  method: DescMethod,
  { rule: ruleOf = declaredRule }: RuleSources,
  faults: FaultList,
): HttpRule | undefined {
  try {
    return ruleOf(method);
  } catch (error) {
    return faults.add(method, `the rule cannot be read: ${error instanceof Error ? error.message : error}`);
  }
}
