import { validateHeaderName, validateHeaderValue } from "node:http";

/** Whether HTTP can carry a header; a line break in it would begin another one. */
export function isSendable(name: string, value: string): boolean {
  try {
    validateHeaderName(name);
    validateHeaderValue(name, value);
    return true;
  } catch {
    return false;
  }
}
