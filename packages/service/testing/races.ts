export { countWaiting, interleave } from "./interleave.ts";
export { interleaveBefore } from "./interleave-before.ts";
export { openRaceDatabase, rewritingTransactions } from "./race-database.ts";
