import type { Program, RemovedProtection } from "@cloud/testkit";

/** Logs the size of each chunk of JSON that reaches the library. */
export const logChunks: RemovedProtection = {
  marker: "passed-chunks",
  // It replaces a line of a program that runs in a process of its own: its standard output is how the test learns the
  // sizes.
  instead: 'console.log("chunk " + chunk.length); yield chunk;',
};

/** Returns the sizes of the chunks that have reached the library in a program with `logChunks`. */
export function passedChunks(program: Program): number[] {
  return program.log().flatMap(({ msg }) => (msg.startsWith("chunk ") ? [Number(msg.slice(6))] : []));
}
