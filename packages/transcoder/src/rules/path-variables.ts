import type { DescField, DescMessage, DescMethod } from "@bufbuild/protobuf";
import type { FieldPath } from "../binding/place.ts";
import type { FaultList } from "./http-rules.ts";
import type { PathTemplate } from "./path-template.ts";
import type { Route } from "./route.ts";

/**
 * Returns the field that each variable binds; undefined after a fault. Reports all faults. A variable may be part of
 * the body field (AIP-134): the path is bound after the body.
 */
export function readVariables(
  method: DescMethod,
  template: PathTemplate,
  body: Route["body"] | undefined,
  faults: FaultList,
): FieldPath[] | undefined {
  const bound: FieldPath[] = typeof body === "object" ? [[body]] : [];
  const inBody = bound.length;
  let isSound = true;
  for (const variable of template.variables) {
    const read = readFieldPath(method.input, variable.name);
    const what = typeof read === "string" ? read : findClash(read, bound, inBody);
    if (typeof read === "object") bound.push(read);
    if (what === undefined) continue;
    isSound = false;
    faults.add(method, `path variable "${variable.name}" ${what}`, {
      template: template.text,
      column: variable.column,
    });
  }
  return isSound ? bound.slice(inBody) : undefined;
}

/** Returns the fields that a dotted name leads through, or what is wrong with it. */
function readFieldPath(input: DescMessage, name: string): FieldPath | string {
  const fields: DescField[] = [];
  let message: DescMessage | undefined = input;
  for (const part of name.split(".")) {
    const field: DescField | undefined = message?.fields.find((candidate) => candidate.name === part);
    if (field === undefined) return `is no field of ${input.typeName}`;
    fields.push(field);
    message = field.fieldKind === "message" ? field.message : undefined;
  }
  const kind = fields.at(-1)?.fieldKind;
  return kind === "scalar" || kind === "enum" ? fields : `must be a singular scalar or enum, not a ${kind}`;
}

/** Returns why a field cannot be bound beside the fields before it; the first `inBody` of them are the body's. */
function findClash(fields: FieldPath, bound: readonly FieldPath[], inBody: number): string | undefined {
  for (const [index, other] of bound.entries()) {
    const fork = fields.findIndex((field, level) => field !== other[level]);
    if (fork < 0) return index < inBody ? "is the body, too" : "is given twice";
    const [mine, theirs] = [fields[fork], other[fork]];
    if (mine?.oneof !== undefined && mine.oneof === theirs?.oneof) {
      const rival = other.map(({ name }) => name).join(".");
      return `excludes ${index < inBody ? `the body "${rival}"` : `"${rival}"`}: both are in oneof ${mine.oneof.name}`;
    }
  }
  return undefined;
}
