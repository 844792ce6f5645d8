export type LocalServerFault =
  | "PORT_IN_USE"
  | "BROKEN_FOLDER"
  | "FOLDER_IN_USE"
  | "SERVER_MISSING"
  | "START_FAILED"
  | "SERVER_ENDED";

/**
 * Why a local server did not start or keep running: one line that users can act on, and `fault` for programs to
 * distinguish.
 */
export class LocalServerError extends Error {
  readonly fault: LocalServerFault;

  constructor(fault: LocalServerFault, message: string, cause?: unknown) {
    super(message.replaceAll(/\s+/g, " ").trim(), cause === undefined ? undefined : { cause });
    this.name = "LocalServerError";
    this.fault = fault;
  }
}
