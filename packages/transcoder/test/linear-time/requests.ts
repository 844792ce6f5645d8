import { type HostileRequest, honestRequests, hostileRequests } from "../../testing/index.ts";

const NAMES = {
  text: "text",
  number: "count",
  list: "authors",
  message: "criteria",
  field: "inner",
  struct: "extra",
  name: "text",
  spellings: ["sinceId", "since_id"],
} as const;
export const HONEST = honestRequests(NAMES);

const OWN: readonly HostileRequest[] = [
  { name: "numbers that may be rounded", body: (bytes) => `{"extra":{"a":[${"1e1,".repeat(bytes / 4)}1]}}` },
  { name: "numbers and lines", body: (bytes) => `{"text":[${"\n1e1,".repeat(bytes / 5)}1],"x":1}` },
  { name: "a number of many digits", body: (bytes) => `{"text":1${"0".repeat(bytes)}}` },
];

/** What must take linear time. */
export const REQUESTS: readonly HostileRequest[] = [...hostileRequests(NAMES), ...OWN];

/** Controls, which take quadratic time. */
export const EXPRESSION = "the expression that once read whole numbers";
export const COPYING = "a list that is copied for every item";
