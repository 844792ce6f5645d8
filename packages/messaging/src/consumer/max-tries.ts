/** A message is parked after this many failed attempts. */
export const maxTries = 5;

/**
 * A message is parked, without an attempt, when NATS delivers it for this time. Each process that ends while it handles
 * the message costs a delivery; so does a connection to NATS that is lost meanwhile, and a program that is stopped.
 */
export const MAX_DELIVERIES = 10;

/** Of an effect that prepares: that may take minutes, and makes progress in each delivery. */
export const MAX_LONG_DELIVERIES = 100;
