/** Returns the record of a reply. @throws Error if the reply contains none */
export function present<T>(value: T | undefined): T {
  if (value === undefined) {
    throw new Error("the reply contains no record");
  }
  return value;
}
