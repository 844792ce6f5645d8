import type { DescMethod } from "@bufbuild/protobuf";

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
