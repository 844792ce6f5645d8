import type { Json } from "../json.ts";

/** A place at which a value is not as its schema demands: a path such as `/spec/replicas`, and the reason. */
export interface Violation {
  readonly path: string;
  readonly reason: string;
}

/** Returns how a value violates a schema. */
export type Check = (value: Json) => Violation[];
