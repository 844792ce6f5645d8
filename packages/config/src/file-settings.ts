import { accessSync, constants } from "node:fs";
import * as z from "zod";

/** The path of a file that can be read at the start; undefined if the variable is absent. */
export const filePath = () => z.string().superRefine(checkReadable).optional();

function checkReadable(path: string, context: z.RefinementCtx): void {
  const problem = findUnreadable(path);
  if (problem !== undefined) context.addIssue(problem);
}

/** Returns why a file cannot be read. */
export function findUnreadable(path: string): string | undefined {
  try {
    accessSync(path, constants.R_OK);
    return undefined;
  } catch (error) {
    return `the file ${path} cannot be read: ${(error as NodeJS.ErrnoException).code}`;
  }
}
