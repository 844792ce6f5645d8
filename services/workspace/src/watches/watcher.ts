import type { AccessCheck } from "@cloud/access";
import type { OrganizationId, WorkspaceId } from "@cloud/access/values";
import type { WatchedRow } from "./sql.ts";

export interface Watched {
  readonly workspaceId: WorkspaceId;
  readonly organizationId: OrganizationId;
  /** The id of the user; empty for a service. */
  readonly userId: string;
  readonly access: AccessCheck;
}

/** A stream: the lines that it has still to send, and the error that ends it. */
export class Watcher implements Watched {
  readonly workspaceId;
  readonly organizationId;
  readonly userId;
  readonly access;
  /** Whether lines were dropped that the watcher has to read from the database. */
  isBehind = true;
  /** The checks in a row that have begun since the access was last confirmed. */
  unconfirmed = 0;
  #queue: WatchedRow[] = [];
  #wakeUp: (() => void) | undefined;
  #ended: { readonly error: unknown } | undefined;

  constructor({ workspaceId, organizationId, userId, access }: Watched) {
    this.workspaceId = workspaceId;
    this.organizationId = organizationId;
    this.userId = userId;
    this.access = access;
  }

  /** Throws the error that the watch ended with, if it has ended. */
  assertOpen(): void {
    if (this.#ended !== undefined) throw this.#ended.error;
  }

  push(row: WatchedRow): void {
    if (this.isBehind) return;
    if (this.#queue.length < MAX_QUEUED) this.#queue.push(row);
    else {
      this.#queue = [];
      this.isBehind = true;
    }
    this.#wakeUp?.();
  }

  shift(): WatchedRow | undefined {
    return this.#queue.shift();
  }

  /** Ends the watch with an error, at once, whatever is queued. */
  end(error: unknown): void {
    this.#ended ??= { error };
    this.#wakeUp?.();
  }

  /** Resolves with true once there is something to do, with false after `ms`. */
  wait(ms: number): Promise<boolean> {
    if (this.#queue.length > 0 || this.isBehind || this.#ended !== undefined) return Promise.resolve(true);
    return new Promise((resolve) => {
      const settle = (isWoken: boolean) => {
        clearTimeout(timer);
        this.#wakeUp = undefined;
        resolve(isWoken);
      };
      const timer = setTimeout(settle, ms, false);
      this.#wakeUp = () => settle(true);
    });
  }
}

/**
 * The most lines that wait for a watcher. Beyond it, the watcher reads the missed lines from the database: a slow
 * client costs reads of its own, and no memory.
 */
const MAX_QUEUED = 64;
