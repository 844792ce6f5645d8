export type { Case, CaseFile, Surface } from "./case-file.ts";
export type { Outcome } from "./judge.ts";
export { parseCaseFile } from "./parse-case-file.ts";
export { type PreparedCase, playCase, prepareCase } from "./play-case.ts";
export { createPlayer, type Play, type Player } from "./player.ts";
export { readCaseFiles } from "./read-case-files.ts";
