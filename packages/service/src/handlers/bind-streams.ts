import { type AccessCheck, accessCheckKey, authorizationOf, type Caller } from "@cloud/contract";
import type { Database } from "@cloud/postgres";
import type { HandlerContext } from "@connectrpc/connect";
import { type CallContext, readCallHeaders } from "./call-context.ts";
import { guardDatabase } from "./guard-database.ts";

/** What the context of a stream contains besides that of a call. */
export interface StreamContext {
  /** Aborted when the caller has left. */
  readonly signal: AbortSignal;
  /** Identifies the caller again: what was granted at the beginning may be gone. */
  readonly access: AccessCheck;
}

/** What the handlers of server streams look like. The check of the declared scope comes before the first message. */
export type StreamHandler<Context, Request, Message> = (
  context: Context & StreamContext,
  caller: Caller,
  request: Request,
) => AsyncIterable<Message>;

/** Returns the adapter that registers a service's handlers of server streams; like `bindHandlers`. */
export function bindStreams<Context extends CallContext & { readonly db: Database }>(
  context: Omit<Context, keyof CallContext> & { readonly db: Database },
) {
  return <Request, Message>(handler: StreamHandler<Context, Request, Message>) =>
    async function* (request: Request, call: HandlerContext): AsyncGenerator<Message> {
      const authorization = authorizationOf(call);
      const access = call.values.get(accessCheckKey);
      if (access === undefined) throw new TypeError("no access check: the call is not a stream");
      const { signal } = call;
      const db = guardDatabase(context.db, authorization, signal);
      const recording = guardDatabase(context.db, authorization);
      const own = { recording, ...readCallHeaders(call, authorization.caller, request), db, access, signal };
      yield* handler({ ...context, ...own } as unknown as Context & StreamContext, authorization.caller, request);
    };
}
