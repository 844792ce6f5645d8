import { readFile } from "node:fs/promises";

/** A file of the login or of TLS cannot be read. */
export class UnreadableFile extends Error {
  constructor(file: string, cause: unknown) {
    super(`the file ${file} cannot be read: ${(cause as NodeJS.ErrnoException).code ?? String(cause)}`, { cause });
    this.name = "UnreadableFile";
  }
}

/** @throws UnreadableFile */
export async function readNatsFile(file: string): Promise<string> {
  return await readFile(file, "utf8").catch((error: unknown) => {
    throw new UnreadableFile(file, error);
  });
}
