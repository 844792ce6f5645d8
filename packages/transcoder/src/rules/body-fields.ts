import type { DescField, DescMessage, DescMethod } from "@bufbuild/protobuf";
import type { FaultList } from "./invalid-rules.ts";
import type { Route } from "./route.ts";

/** Returns what a rule's body is bound to; undefined after a fault. */
export function readBodyField(method: DescMethod, name: string, faults: FaultList): Route["body"] | undefined {
  if (name === "") return "none";
  if (name === "*") return "whole";
  const field = findByName(method.input, name);
  return field ?? faults.add(method, `body "${name}" is no field of ${method.input.typeName}`);
}

/** Returns the field of the reply that a rule sends; undefined for the whole reply, and after a fault. */
export function readResponseField(method: DescMethod, name: string, faults: FaultList): DescField | undefined {
  if (name === "") return undefined;
  const field = findByName(method.output, name);
  return field ?? faults.add(method, `response body "${name}" is no field of ${method.output.typeName}`);
}

/** Rules name fields as proto does, also where JSON has another name. */
function findByName({ fields }: DescMessage, name: string): DescField | undefined {
  return fields.find((field) => field.name === name);
}
