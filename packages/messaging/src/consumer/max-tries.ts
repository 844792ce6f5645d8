/** A message that failed so often is parked. */
export const maxTries = 5;
