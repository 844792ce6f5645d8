import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect } from "@jest/globals";
import type { Figure } from "../harness/figures.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));

/** Runs the command with these options. */
export const bench = (...options: string[]) =>
  promisify(execFile)("npm", ["run", "--silent", "bench", "--", ...options], { cwd: ROOT, maxBuffer: 2 ** 24 });

/**
 * Measures a part at its smallest size. It compares no figure: CI shows that each part starts its programs, that peers
 * respond with the same, and that all requests succeed.
 */
export async function measureSmall(part: string, ...options: string[]): Promise<void> {
  const { stdout } = await bench(part, "--small", ...options);
  const lines = stdout.split("\n").filter((line) => line.startsWith("{"));
  const figures = lines.map((line) => JSON.parse(line) as Figure);
  expect(figures.length).toBeGreaterThan(0);
  for (const figure of figures) expect(figure).toMatchObject({ part, small: true, rounds: 1 });
}
