export type LocalServerFault = "PORT_IN_USE" | "BROKEN_FOLDER" | "FOLDER_IN_USE" | "SERVER_MISSING" | "START_FAILED";

/** Why a local server did not start: one line a person can act upon, and `fault` for a program to tell them apart. */
export class LocalServerError extends Error {
  readonly fault: LocalServerFault;

  constructor(fault: LocalServerFault, message: string, cause?: unknown) {
    super(message.replaceAll(/\s+/g, " ").trim(), cause === undefined ? undefined : { cause });
    this.name = "LocalServerError";
    this.fault = fault;
  }
}
