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

export interface OwnRequest extends HostileRequest {
  /** The whole path, as sent. */
  readonly path?: (bytes: number) => string;
}

const OWN: readonly OwnRequest[] = [
  { name: "segments of a value", path: (bytes) => `/files/${"b/".repeat(bytes / 2)}b` },
  { name: "segments of a value, and a verb", path: (bytes) => `/files/${"b/".repeat(bytes / 2)}b:read` },
  { name: "segments that branch", path: (bytes) => `/files${"/a".repeat(bytes / 2)}` },
  { name: "escapes of a value of segments", path: (bytes) => `/files/${"%41%2f/".repeat(bytes / 7)}b` },
  { name: "segments before an error", path: (bytes) => `/files/${"%41/".repeat(bytes / 4)}%zz` },
  { name: "segments of dots", path: (bytes) => `/files/${"../%2e/".repeat(bytes / 7)}b` },
  { name: "colons of a value of segments", path: (bytes) => `/files/${":".repeat(bytes)}` },
  { name: "an encoded verb", path: (bytes) => `/files/b:${"%41".repeat(bytes / 3)}` },
  { name: "zeros of a number", body: (bytes) => `{"count":"${"0".repeat(bytes / 2)}1${"0".repeat(bytes / 2)}"}` },
  { name: "zeros between digits", query: (bytes) => `count=1.${"0".repeat(bytes)}1` },
  { name: "an exponent in a text", query: (bytes) => `count=1e${"9".repeat(bytes)}` },
  { name: "a whole number beyond a double", body: (bytes) => `{"extra":{"a":1${"0".repeat(bytes)}e-${bytes}}}` },
  { name: "numbers that may be rounded", body: (bytes) => `{"extra":{"a":[${"1e1,".repeat(bytes / 4)}1]}}` },
  { name: "numbers and lines", body: (bytes) => `{"text":[${"\n1e1,".repeat(bytes / 5)}1],"x":1}` },
  { name: "a number of many digits", body: (bytes) => `{"text":1${"0".repeat(bytes)}}` },
];

/** The requests that must take linear time. */
export const REQUESTS: readonly OwnRequest[] = [...hostileRequests(NAMES), ...OWN];

/** Controls, which take quadratic time. */
export const EXPRESSION = "the expression that once read whole numbers";
export const COPYING = "a list that is copied for every item";
