import { codeOf } from "./database-unavailable.ts";

/** Whether an error is a unique violation (SQLSTATE 23505), of that constraint or index when one is named. */
export function isUniqueViolation(error: unknown, constraint?: string): boolean {
  if (codeOf(error) !== "23505") return false;
  return constraint === undefined || (error as { constraint?: string }).constraint === constraint;
}
