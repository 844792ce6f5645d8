import type { Content, Schema } from "./document.ts";

/** The bodies of errors, unless a hook renders them. */
export const ERROR_CONTENT: Content = {
  "application/json": { schema: { $ref: "#/components/schemas/google.rpc.Status" } },
};

const DETAILS: Schema = {
  type: "array",
  description: "Each has its type as `@type`, such as `type.googleapis.com/google.rpc.BadRequest`.",
  items: { type: "object", properties: { "@type": { type: "string" } }, additionalProperties: true },
};

/** The schemas that they refer to. */
export const ERROR_SCHEMAS: Readonly<Record<string, Schema>> = {
  "google.rpc.Status": {
    type: "object",
    description: "An error, as google/rpc/status.proto has it.",
    properties: {
      code: { type: "integer", description: "The number of a google.rpc.Code.", minimum: 1, maximum: 16 },
      message: { type: "string" },
      details: DETAILS,
    },
    required: ["code", "message", "details"],
  },
};
