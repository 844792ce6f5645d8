import type { Database } from "@cloud/postgres";
import type { CallContext } from "../src/bind-handlers.ts";

/** The context of a call whose headers require nothing, for handlers that a test calls itself. */
export const plainCall = (db: Database): CallContext => ({
  requestId: "",
  ifMatch: undefined,
  idempotency: undefined,
  recording: db,
});
