type Fields = Readonly<Record<string, unknown>>;

/**
 * Returns the fields of `expected` that differ in `actual`. A field that the server omits counts as false, empty or 0.
 */
export function differingFields<Expected extends Fields>(expected: Expected, actual: Fields): Partial<Expected> {
  const differing = Object.entries(expected).filter(([field, value]) => !isSame(value, actual[field]));
  return Object.fromEntries(differing) as Partial<Expected>;
}

/** Describes all differences, such as `storage is "memory" instead of "file"`. Durations are in nanoseconds. */
export function describeDifferences(expected: Fields, actual: Fields): string {
  const parts = Object.keys(expected).map(
    (field) => `${field} is ${JSON.stringify(actual[field]) ?? "absent"} instead of ${JSON.stringify(expected[field])}`,
  );
  return parts.join(", ");
}

function isSame(expected: unknown, actual: unknown): boolean {
  if (actual === undefined) return expected === false || expected === 0;
  return JSON.stringify(expected) === JSON.stringify(actual);
}
