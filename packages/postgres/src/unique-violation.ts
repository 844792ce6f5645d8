import { codeOf } from "./database-unavailable.ts";

/** Returns whether an error is a unique violation (SQLSTATE 23505): of the constraint or index, if one is named. */
export function isUniqueViolation(error: unknown, constraint?: string): boolean {
  if (codeOf(error) !== "23505") return false;
  return constraint === undefined || (error as { constraint?: string }).constraint === constraint;
}
