import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { createMessage } from "../binding/create-message.ts";
import { BODY } from "../binding/place.ts";
import { Reading } from "../binding/reading.ts";
import { TranscodingError } from "../errors/transcoding-error.ts";
import { HttpRuleSchema } from "../gen/google/api/http_pb.ts";
import { isObject, readMessage } from "../json-in/read-json.ts";
import type { HttpRule } from "./http-rule.ts";

/** A rule in JSON, as far as it can be read. */
export interface ReadRule {
  /** Undefined if there are violations. */
  readonly rule: HttpRule | undefined;
  /** Undefined if there is none. */
  readonly selector: string | undefined;
  /** A sentence for each, beginning with the field. */
  readonly violations: readonly string[];
}

/** Reads the JSON of a `google.api.HttpRule` with a selector. The types are not relied on: it may come from a file. */
export function readRule(json: unknown): ReadRule {
  if (!isObject(json as JsonValue)) return { rule: undefined, selector: undefined, violations: ["must be an object"] };
  const { selector } = json as JsonObject;
  const isSelector = typeof selector === "string" && selector.trim() !== "";
  const violations =
    isSelector || (selector !== undefined && typeof selector !== "string") ? [] : ["selector must be given"];
  const reading = new Reading({});
  const read = reading.attempt(() => readMessage(reading, HttpRuleSchema, json as JsonObject, BODY)) ?? {};
  violations.push(...violationsOf(reading));
  const rule = violations.length > 0 ? undefined : (createMessage(HttpRuleSchema, read) as unknown as HttpRule);
  return { rule, selector: isSelector ? selector : undefined, violations };
}

function violationsOf(reading: Reading): string[] {
  try {
    reading.assertSound();
    return [];
  } catch (error) {
    if (!(error instanceof TranscodingError)) throw error;
    return (error.detail.violations ?? []).map(({ description }) => description);
  }
}
