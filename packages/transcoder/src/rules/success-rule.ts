import type { DescMethod, Message } from "@bufbuild/protobuf";
import type { FaultList } from "./invalid-rules.ts";
import { type PathTemplate, parsePathTemplate, TemplateError } from "./path-template.ts";
import { readFieldPath } from "./path-variables.ts";
import type { FieldPath } from "./route.ts";

/** What a method declares of its successes, beside its HTTP rule. */
export interface SuccessRule {
  /** From 200 to 299; 200 if absent or 0. 204 and 205 are sent without a body. */
  readonly status?: number;
  /** A path template of fields of the reply, such as `/v1/{name=shelves/*}`, for Location; none if absent or "". */
  readonly location?: string;
}

/** A checked rule. */
export interface Success {
  readonly status: number;
  /** Returns the Location of a reply; undefined if a field is empty. */
  readonly location: ((reply: Message) => string | undefined) | undefined;
}

export const OK: Success = { status: 200, location: undefined };

/** Checks the rule of a method's successes, and reports its faults. */
export function readSuccess(method: DescMethod, { status, location }: SuccessRule, faults: FaultList): Success {
  const number = status || 200;
  if (!Number.isInteger(number) || number < 200 || number > 299)
    faults.add(method, `success status ${status} is not between 200 and 299`);
  return { status: number, location: location ? readLocation(method, location, faults) : undefined };
}

function readLocation(method: DescMethod, text: string, faults: FaultList): Success["location"] {
  try {
    const template = parsePathTemplate(text);
    if (template.free.length > 0) faults.add(method, "location has a wildcard outside of a variable");
    const fields = template.variables.map((variable) => {
      const read = readFieldPath(method.output, variable.name);
      const at = { template: text, column: variable.column };
      if (typeof read === "string") faults.add(method, `location variable "${variable.name}" ${read}`, at);
      return typeof read === "string" ? [] : read;
    });
    return (reply) => writeLocation(template, fields, reply);
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error;
    return faults.add(method, error.message, { template: text, column: error.column });
  }
}

function writeLocation(template: PathTemplate, fields: readonly FieldPath[], reply: Message): string | undefined {
  const parts: string[] = [];
  for (let at = 0; at < template.segments.length; at++) {
    const index = template.variables.findIndex(({ start }) => start === at);
    const variable = template.variables[index];
    if (variable === undefined) {
      const segment = template.segments[at];
      parts.push(typeof segment === "object" ? encodeURIComponent(segment.literal) : "");
      continue;
    }
    const value = valueAt(reply, fields[index] ?? []);
    if (value === "") return undefined;
    const isOne = variable.end - variable.start === 1 && template.segments[at] !== "**";
    parts.push(isOne ? encodeURIComponent(value) : value.split("/").map(encodeURIComponent).join("/"));
    at = variable.end - 1;
  }
  return `/${parts.join("/")}${template.verb === "" ? "" : `:${encodeURIComponent(template.verb)}`}`;
}

/** Returns the text of a field; "" if a message on the way to it is absent. */
function valueAt(reply: Message, fields: FieldPath): string {
  let at: unknown = reply;
  for (const { localName, oneof } of fields) {
    if (typeof at !== "object" || at === null) return "";
    const value: unknown = Reflect.get(at, oneof?.localName ?? localName);
    if (oneof === undefined) at = value;
    else at = (value as { case?: string }).case === localName ? (value as { value: unknown }).value : undefined;
  }
  return at === undefined || at === null ? "" : String(at);
}
