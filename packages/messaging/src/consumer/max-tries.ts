/** A message is parked after this many failed attempts. */
export const maxTries = 5;
