/** A token in the form of a security token, so that only identity can refuse it. */
export const UNKNOWN_TOKEN = `cst_${"x".repeat(43)}`;
