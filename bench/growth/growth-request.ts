import type { Database } from "@cloud/postgres";
import type { ServiceName } from "../../test/chaos/system/start-system.ts";
import { writeRequest } from "../harness/load.ts";

/** A request to an organization, a log or a workspace of one size. */
export interface GrowthSide {
  /** The name of the size, as `nameOf` returns it. */
  readonly name: string;
  /** Returns the next requests. A request that writes is sent once. */
  readonly next: (count: number) => readonly string[];
  /** Sends the statement of its service that takes the time, to measure it by itself; absent for writes. */
  readonly statement?: (databases: Databases) => Promise<unknown>;
}

export type Databases = Readonly<Record<ServiceName, Database>>;

/** The same request to several sizes. The others are compared with the first. */
export interface GrowthRequest {
  readonly what: string;
  readonly status: number;
  readonly sides: readonly GrowthSide[];
}

/** Returns requests of a user's token. */
export function requestsOf(token: string) {
  const get = (path: string) => writeRequest({ method: "GET", path: `/api${path}`, token });
  return {
    /** The same one each time, or several in turn. */
    reading: (...paths: readonly string[]) => {
      const requests = paths.map(get);
      return () => requests;
    },
    posting: (path: string, body: unknown) => {
      const requests = [writeRequest({ method: "POST", path: `/api${path}`, token, body })];
      return () => requests;
    },
    /** Returns each request once. @throws Error when there are no more */
    postingOnce: (paths: readonly string[]) => {
      let at = 0;
      return (count: number) => {
        const next = paths.slice(at, at + count);
        if (next.length < count) throw new Error("there are no more requests");
        at += count;
        return next.map((path) => writeRequest({ method: "POST", path: `/api${path}`, token }));
      };
    },
  };
}
