import { STATUS_CODES } from "node:http";
import type { Components, Header, Operation, Parameter, PathItem, Reference, Response } from "./document.ts";

/** The paths, and the parts that several of their operations refer to. */
type SharedParts = Pick<Components, "parameters" | "headers" | "responses"> & {
  readonly paths: Readonly<Record<string, PathItem>>;
};

/**
 * Moves parts that occur more than once to the components: headers, failures, and parameters other than path
 * parameters. If several parts have one name, the first keeps it and the others have a number.
 */
export function shareParts(paths: Readonly<Record<string, PathItem>>): SharedParts {
  const headers = new Pool<Header>("headers", eachHeader(paths));
  const withHeaders = mapResponses(paths, (_, response) => ({
    ...response,
    ...(response.headers && {
      headers: Object.fromEntries(
        Object.entries(response.headers).map(([name, header]) => [name, headers.share(name, header as Header)]),
      ),
    }),
  }));
  const failures = new Pool<Response>("responses", eachFailure(withHeaders));
  const parameters = new Pool<Parameter>("parameters", eachParameter(withHeaders));
  const shared = mapOperations(withHeaders, (operation) => ({
    ...operation,
    ...(operation.parameters && {
      parameters: (operation.parameters as Parameter[]).map((one) =>
        one.in === "path" ? one : parameters.share(one.name, one),
      ),
    }),
    responses: Object.fromEntries(
      Object.entries(operation.responses).map(([status, response]) => [
        status,
        isFailure(status) ? failures.share(nameOf(status, response as Response), response as Response) : response,
      ]),
    ),
  }));
  return {
    paths: shared,
    ...(parameters.size > 0 && { parameters: parameters.entries() }),
    ...(headers.size > 0 && { headers: headers.entries() }),
    ...(failures.size > 0 && { responses: failures.entries() }),
  };
}

/** The parts of one kind, by their text. */
class Pool<Part> {
  readonly #kind: string;
  readonly #counts: ReadonlyMap<string, number>;
  readonly #names = new Map<string, string>();
  readonly #parts = new Map<string, Part>();

  constructor(kind: string, all: readonly Part[]) {
    this.#kind = kind;
    const groups = Map.groupBy(all, (part) => JSON.stringify(part));
    this.#counts = new Map([...groups].map(([text, group]) => [text, group.length]));
  }

  get size(): number {
    return this.#parts.size;
  }

  share(name: string, part: Part): Part | Reference {
    const text = JSON.stringify(part);
    if ((this.#counts.get(text) ?? 0) < 2) return part;
    const given = this.#names.get(text) ?? this.#free(name);
    this.#names.set(text, given);
    this.#parts.set(given, part);
    return { $ref: `#/components/${this.#kind}/${given}` };
  }

  entries(): Record<string, Part> {
    return Object.fromEntries([...this.#parts].toSorted(([a], [b]) => (a < b ? -1 : 1)));
  }

  #free(name: string): string {
    if (!this.#parts.has(name)) return name;
    for (let count = 2; ; count++) if (!this.#parts.has(`${name}${count}`)) return `${name}${count}`;
  }
}

function mapOperations(
  paths: Readonly<Record<string, PathItem>>,
  change: (operation: Operation) => Operation,
): Record<string, PathItem> {
  const ofPath = (item: PathItem) =>
    Object.fromEntries(
      Object.entries(item).map(([method, one]) => [method, "responses" in one ? change(one) : one]),
    ) as PathItem;
  return Object.fromEntries(Object.entries(paths).map(([path, item]) => [path, ofPath(item)]));
}

function mapResponses(
  paths: Readonly<Record<string, PathItem>>,
  change: (status: string, response: Response) => Response,
): Record<string, PathItem> {
  return mapOperations(paths, (operation) => ({
    ...operation,
    responses: Object.fromEntries(
      Object.entries(operation.responses).map(([status, one]) => [status, change(status, one as Response)]),
    ),
  }));
}

function operationsOf(paths: Readonly<Record<string, PathItem>>): Operation[] {
  return Object.values(paths).flatMap((item) => Object.values(item).filter((one) => "responses" in one));
}

function eachHeader(paths: Readonly<Record<string, PathItem>>): Header[] {
  return operationsOf(paths).flatMap(({ responses }) =>
    Object.values(responses).flatMap((response) => Object.values((response as Response).headers ?? {}) as Header[]),
  );
}

function eachFailure(paths: Readonly<Record<string, PathItem>>): Response[] {
  return operationsOf(paths).flatMap(({ responses }) =>
    Object.entries(responses).flatMap(([status, response]) => (isFailure(status) ? [response as Response] : [])),
  );
}

function eachParameter(paths: Readonly<Record<string, PathItem>>): Parameter[] {
  return operationsOf(paths).flatMap(({ parameters = [] }) => parameters as Parameter[]);
}

function isFailure(status: string): boolean {
  return !status.startsWith("2");
}

/** Names a failure after its one or two codes, as its description begins with them, or else after its status. */
function nameOf(status: string, { description }: Response): string {
  const codes = Array.from(description.matchAll(/^`(\w+)`:/gm), ([, code = ""]) => code.toLowerCase().split("_"));
  const names = codes.map((words) => words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join(""));
  if (names.length === 1 || names.length === 2) return names.join("Or");
  return status === "default" ? "OtherError" : (STATUS_CODES[status] ?? `Status${status}`).replace(/[^A-Za-z]/g, "");
}
