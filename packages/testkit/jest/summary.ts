import { type FileNotes, nameOf } from "./test-notes.ts";

type Repeat = (file: string, test?: string) => string;

const SLOWEST = 10;

/**
 * Returns the slowest test files, and the tests that failed, each with the command that repeats it. `repeat` returns
 * the command for a file, or for a test in it.
 */
export function summary(files: readonly FileNotes[], repeat: Repeat): string {
  const slowest = files.toSorted((a, b) => secondsOf(b) - secondsOf(a)).slice(0, SLOWEST);
  const times = slowest.map((file) => `  ${secondsOf(file).toFixed(1).padStart(6)} s  ${nameOf(file)}`);
  const parts = [`The slowest of ${files.length} test files:`, ...times];
  const failures = files.flatMap((file) => failuresOf(file, repeat));
  return [...parts, ...(failures.length === 0 ? [] : ["", "Failed:", ...failures]), ""].join("\n");
}

function failuresOf(file: FileNotes, repeat: Repeat): string[] {
  const name = nameOf(file);
  if (file.endedAt === undefined) return [`  ${name} did not end`, `    ${repeat(name)}`];
  if (file.isBroken === true) return [`  ${name} failed outside its tests`, `    ${repeat(name)}`];
  return (file.failed ?? []).flatMap((test) => [`  ${test}`, `    ${repeat(name, test)}`]);
}

const secondsOf = ({ startedAt, endedAt = startedAt }: FileNotes): number => (endedAt - startedAt) / 1000;
