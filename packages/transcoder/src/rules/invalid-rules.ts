import type { DescMethod } from "@bufbuild/protobuf";

/** A fault of one rule, or of the selector of an override. */
export interface RuleFault {
  /** The proto file that declares the RPC; undefined for a fault of an override that concerns no RPC. */
  readonly file: string | undefined;
  /** The full name of the RPC; undefined like `file`. */
  readonly rpc: string | undefined;
  /** The override that contains the rule; undefined for a rule of the RPC's own. */
  readonly override: RuleOverride | undefined;
  /** The path template with the fault, and the column in it, from 1; undefined for a fault elsewhere in the rule. */
  readonly at: { readonly template: string; readonly column: number } | undefined;
  readonly what: string;
}

/** An item of `overrides`. */
export interface RuleOverride {
  readonly index: number;
  /** Undefined if it has none. */
  readonly selector: string | undefined;
  /** Of the fault in the selector, from 1; undefined for a fault elsewhere. */
  readonly column: number | undefined;
}

/** Rules that cannot be served, found at start-up: all their faults, a line each. */
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
  readonly #overrides = new Map<DescMethod, RuleOverride>();

  /** Adds a fault of the method's rule. */
  add(method: DescMethod, what: string, at?: RuleFault["at"]): undefined {
    const override = this.#overrides.get(method);
    this.#faults.push({ file: `${method.parent.file.name}.proto`, rpc: rpcName(method), override, at, what });
  }

  /** Adds a fault of an override that concerns no method. */
  addOverride(override: RuleOverride, what: string): void {
    this.#faults.push({ file: undefined, rpc: undefined, override, at: undefined, what });
  }

  /** Names the override in the faults of the method's rule that are added from now on. */
  attribute(method: DescMethod, override: RuleOverride): void {
    this.#overrides.set(method, override);
  }

  get isEmpty(): boolean {
    return this.#faults.length === 0;
  }

  /** @throws InvalidRules if there is any fault */
  assertEmpty(): void {
    if (!this.isEmpty) throw new InvalidRules(this.#faults);
  }
}

/** Returns the full name of an RPC, as selectors have it. */
export function rpcName({ parent, name }: DescMethod): string {
  return `${parent.typeName}.${name}`;
}

function describe({ file, rpc, override, at, what }: RuleFault): string {
  const template = at && `path template "${at.template}", column ${at.column}`;
  const places = [file, rpc, override && placeOf(override), template];
  return [...places.filter((place) => place !== undefined), what].join(": ");
}

function placeOf({ index, selector, column }: RuleOverride): string {
  const parts = [`overrides[${index}]`, selector && `selector "${selector}"`, column && `column ${column}`];
  return parts.filter((part) => part !== undefined).join(", ");
}
