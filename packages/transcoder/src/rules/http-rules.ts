import {
  createFileRegistry,
  type DescMethod,
  type DescService,
  type FileRegistry,
  fromBinary,
  getOption,
  hasOption,
} from "@bufbuild/protobuf";
import { type FileDescriptorSet, FileDescriptorSetSchema } from "@bufbuild/protobuf/wkt";
import { nearestNames } from "../binding/nearest-names.ts";
import { http } from "../gen/google/api/annotations_pb.ts";

/** The supported part of `google.api.HttpRule`; messages generated from google/api/http.proto are compatible. */
export interface HttpRule {
  readonly pattern: HttpPattern;
  /** "" (no body), "*" (every field that the path does not bind) or the name of one field. */
  readonly body: string;
  /** "" (the whole reply) or the name of one field of it. */
  readonly responseBody: string;
  readonly additionalBindings: readonly HttpRule[];
}

export type HttpPattern =
  | { readonly case: "get" | "put" | "post" | "delete" | "patch"; readonly value: string }
  | { readonly case: "custom"; readonly value: { readonly kind: string; readonly path: string } }
  | { readonly case: undefined; readonly value?: undefined };

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

/** Bytes that do not describe services. */
export class InvalidDescriptors extends Error {
  override readonly name = "InvalidDescriptors";
}

/**
 * Reads services, with their options, from a `FileDescriptorSet` as `buf build --output` and
 * `protoc --include_imports --descriptor_set_out` write it: those of these full names, or all, imported ones included.
 *
 * @throws InvalidDescriptors
 */
export function readServices(descriptors: Uint8Array, names?: readonly string[]): DescService[] {
  const set = readSet(descriptors);
  assertComplete(set);
  const services = [...readRegistry(set)].filter((type) => type.kind === "service");
  if (services.length === 0) throw new InvalidDescriptors("the FileDescriptorSet has no service");
  return names === undefined ? services : names.map((name) => findService(services, name));
}

function readSet(descriptors: Uint8Array): FileDescriptorSet {
  try {
    return fromBinary(FileDescriptorSetSchema, descriptors);
  } catch (cause) {
    throw new InvalidDescriptors("the bytes are no FileDescriptorSet", { cause });
  }
}

function assertComplete({ file: files }: FileDescriptorSet): void {
  const known = new Set(files.map(({ name }) => name));
  const missing = files.flatMap(({ name, dependency }) =>
    dependency.filter((imported) => !known.has(imported)).map((imported) => `${name}: imports ${imported}`),
  );
  if (missing.length === 0) return;
  const hint = "which the FileDescriptorSet lacks; protoc adds it by --include_imports";
  throw new InvalidDescriptors(missing.map((line) => `${line}, ${hint}`).join("\n"));
}

function readRegistry(set: FileDescriptorSet): FileRegistry {
  try {
    return createFileRegistry(set);
  } catch (cause) {
    const message = cause instanceof Error ? cause.message : String(cause);
    throw new InvalidDescriptors(`the FileDescriptorSet is invalid: ${message}`, { cause });
  }
}

function findService(services: readonly DescService[], name: string): DescService {
  const found = services.find(({ typeName }) => typeName === name);
  if (found !== undefined) return found;
  const near = nearestNames(
    name,
    services.map(({ typeName }) => typeName),
  );
  const hint = near.length === 0 ? "" : `: did you mean ${near.join(" or ")}?`;
  throw new InvalidDescriptors(`the FileDescriptorSet has no service "${name}"${hint}`);
}
