import { type DescMethod, getOption, hasOption } from "@bufbuild/protobuf";
import { http } from "../gen/google/api/annotations_pb.ts";
import type { HttpRule } from "./http-rule.ts";

/**
 * Returns the rule that a method declares by the option `google.api.http`; undefined without one. Descriptors keep the
 * option as bytes, whatever they were created from, so that no registry needs to contain the extension. Throws an Error if
 * the bytes cannot be decoded.
 */
export function declaredRule(method: DescMethod): HttpRule | undefined {
  return hasOption(method, http) ? getOption(method, http) : undefined;
}
