/**
 * Thrown by the compiled writer for bytes that it leaves to the general decoder: fields out of order or given twice,
 * malformed or truncated input, and what is rare. One for all of them, because a stack costs more than the decision.
 */
export const UNUSUAL: Error = new Error("bytes for the general decoder");
