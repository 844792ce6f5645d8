export type { Case, CaseFile, Surface } from "./case-file.ts";
export { parseCaseFile } from "./parse-case-file.ts";
export { playCase } from "./play-case.ts";
export { createPlayer, type Player } from "./player.ts";
export { readCaseFiles } from "./read-case-files.ts";
