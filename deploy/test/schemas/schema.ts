import type { Json } from "../json.ts";

/** Where a value does not have the form that its schema demands: a path such as `/spec/replicas`, and the reason. */
export interface Violation {
  readonly path: string;
  readonly reason: string;
}

/** Returns how a value violates a schema. */
export type Check = (value: Json) => Violation[];
