import { type DescMethod, getOption, hasOption } from "@bufbuild/protobuf";
import { http } from "../gen/google/api/annotations_pb.ts";

/** The supported part of `google.api.HttpRule`; messages generated from google/api/http.proto are compatible. */
export interface HttpRule {
  readonly pattern: HttpPattern;
  /** The bound part of the request: "" (no body), "*" (every field that the path does not bind) or a field's name. */
  readonly body: string;
  /** The part of the reply that is sent: "" (the whole reply) or the name of a field of it. */
  readonly responseBody: string;
  readonly additionalBindings: readonly HttpRule[];
}

export type HttpPattern =
  | { readonly case: "get" | "put" | "post" | "delete" | "patch"; readonly value: string }
  | { readonly case: "custom"; readonly value: { readonly kind: string; readonly path: string } }
  | { readonly case: undefined; readonly value?: undefined };

/** Returns the rule of a method, or undefined if the method is not exposed by REST. */
export type RuleOf = (method: DescMethod) => HttpRule | undefined;

/** The source of the methods' rules. */
export interface RuleSources {
  /** Returns the HTTP rule of a method; `declaredRule` if absent. A method without a rule is not exposed. */
  readonly rule?: RuleOf | undefined;
}

/**
 * Returns the rule that a method declares by the option `google.api.http`; undefined without one. Descriptors keep the
 * option as bytes, whatever they were created from, so that no registry needs to contain the extension. Throws an Error
 * if the bytes cannot be decoded.
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

/** A fault of one rule. */
export interface RuleFault {
  /** The proto file that declares the RPC. */
  readonly file: string;
  /** The full name of the RPC. */
  readonly rpc: string;
  /** The path template with the fault, and the column in it, from 1; undefined for a fault elsewhere in the rule. */
  readonly at: { readonly template: string; readonly column: number } | undefined;
  readonly what: string;
}

/** Thrown at start-up for rules that cannot be served. The message has a line for each fault. */
export class InvalidRules extends Error {
  override readonly name = "InvalidRules";
  readonly faults: readonly RuleFault[];

  constructor(faults: readonly RuleFault[]) {
    super(faults.map(describe).join("\n"));
    this.faults = faults;
  }
}

/** Collects the faults of all rules, so that one start reports all of them. */
export class FaultList {
  readonly #faults: RuleFault[] = [];

  /** Adds a fault of the method's rule. */
  add(method: DescMethod, what: string, at?: RuleFault["at"]): undefined {
    this.#faults.push({ file: `${method.parent.file.name}.proto`, rpc: rpcName(method), at, what });
  }

  get isEmpty(): boolean {
    return this.#faults.length === 0;
  }

  /** @throws InvalidRules if there is any fault */
  assertEmpty(): void {
    if (!this.isEmpty) throw new InvalidRules(this.#faults);
  }
}

/** Returns the full name of an RPC. */
export function rpcName({ parent, name }: DescMethod): string {
  return `${parent.typeName}.${name}`;
}

function describe({ file, rpc, at, what }: RuleFault): string {
  const template = at && `path template "${at.template}", column ${at.column}`;
  return [file, rpc, ...(template === undefined ? [] : [template]), what].join(": ");
}
