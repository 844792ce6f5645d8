import type { BindingOptions, JsonOptions, TranscoderOptions } from "@cloud/transcoder";

/**
 * How this API reads requests: as the clients of its family send them, with parameters and fields that it does not have,
 * names in any case, and `pageSize=99999999999999999999` for all.
 */
export const BINDING: BindingOptions = {
  unknownParameters: "ignore",
  unknownFields: "ignore",
  pathConflicts: "ignore",
  unboundBody: "ignore",
  parameterNames: "any-case",
  largeIntegers: "nearest",
  // One for each byte of a request's head, which has its own limit.
  queryLimits: { count: 16_384 },
  // In metadata, which the services keep without them.
  loneSurrogates: "replace",
};

/** How this API writes replies: every field of a record, and all times with milliseconds. */
export const JSON_FORM: JsonOptions = { defaults: "write", timestamps: "milliseconds", absentTimestamps: "null" };

/** How this API speaks HTTP: plain JSON in, and nothing of HTTP that its contract does not have. */
export const HTTP_FORM: Pick<TranscoderOptions, "jsonTypes" | "requestEncodings" | "callerDeadlines" | "passBack"> = {
  jsonTypes: "plain",
  requestEncodings: [],
  callerDeadlines: "ignore",
  passBack: [],
};
