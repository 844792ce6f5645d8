import type { DescMethod } from "@bufbuild/protobuf";
import { nearestNames } from "../binding/nearest-names.ts";
import { declaredRule } from "./declared-rule.ts";
import type { HttpRule } from "./http-rule.ts";
import { type FaultList, rpcName } from "./invalid-rules.ts";
import { readRule } from "./read-rule.ts";
import type { SelectedRule } from "./selected-rule.ts";
import { findPatternFault, type SelectorPattern, selects, splitSelector } from "./selector.ts";

/** Returns the rule of a method, or undefined if the method is not exposed by REST. */
export type RuleOf = (method: DescMethod) => HttpRule | undefined;

/** Where the rules of methods come from. */
export interface RuleSources {
  /** Returns the HTTP rule of a method; that of its option `google.api.http` if absent. A method without one is not exposed. */
  readonly rule?: RuleOf | undefined;
  /** Rules that replace those of the methods that they select; of several for one method, the last one. */
  readonly overrides?: readonly SelectedRule[] | undefined;
}

/** Finds the rules of methods, and reports those that cannot be read and selectors that select nothing. */
export function findRules(
  methods: readonly DescMethod[],
  { rule: ruleOf = declaredRule, overrides = [] }: RuleSources,
  faults: FaultList,
): ReadonlyMap<DescMethod, HttpRule> {
  const selected = selectRules(methods, overrides, faults);
  const found = new Map<DescMethod, HttpRule>();
  for (const method of methods) {
    const rule = selected.has(method) ? selected.get(method) : readOwnRule(method, ruleOf, faults);
    if (rule !== undefined) found.set(method, rule);
  }
  return found;
}

function readOwnRule(method: DescMethod, ruleOf: RuleOf, faults: FaultList): HttpRule | undefined {
  try {
    return ruleOf(method);
  } catch (error) {
    return faults.add(method, `the rule cannot be read: ${error instanceof Error ? error.message : error}`);
  }
}

/** Returns the last rule that selects each method; undefined for one that cannot be read. */
function selectRules(
  methods: readonly DescMethod[],
  overrides: readonly SelectedRule[],
  faults: FaultList,
): Map<DescMethod, HttpRule | undefined> {
  const chosen = new Map<DescMethod, HttpRule | undefined>();
  for (const [index, json] of overrides.entries()) {
    const { rule, selector, violations } = readRule(json);
    for (const what of violations) faults.addOverride({ index, selector, column: undefined }, what);
    if (selector === undefined) continue;
    for (const pattern of splitSelector(selector)) {
      const fault = findPatternFault(pattern);
      const matching = fault === undefined ? methods.filter((method) => selects(pattern, rpcName(method))) : [];
      const override = { index, selector, column: fault?.column ?? pattern.column };
      if (matching.length === 0) faults.addOverride(override, fault?.what ?? unknownPattern(pattern, methods));
      for (const method of matching) {
        chosen.set(method, rule);
        faults.attribute(method, { index, selector, column: undefined });
      }
    }
  }
  return chosen;
}

function unknownPattern({ text }: SelectorPattern, methods: readonly DescMethod[]): string {
  const near = nearestNames(text, selectable(methods, text.endsWith("*")), LONGEST_NAME);
  return `"${text}" selects no method${near.length === 0 ? "" : `: did you mean ${near.join(" or ")}?`}`;
}

/** Returns the names of methods, or the patterns that select all of a service or a package. */
function selectable(methods: readonly DescMethod[], withWildcard: boolean): string[] {
  const names = methods.map(rpcName);
  if (!withWildcard) return names;
  const parts = names.map((name) => name.split("."));
  const prefixes = parts.flatMap((path) => path.slice(1).map((_, index) => path.slice(0, index + 1).join(".")));
  return [...new Set(prefixes)].map((prefix) => `${prefix}.*`);
}

/** Full names of methods are longer than those of fields; this is computed once for a fault, at the start. */
const LONGEST_NAME = 512;
