import { authorizationOf, type Caller, requestIdIn } from "@cloud/contract";
import type { Database } from "@cloud/postgres";
import { type Decoded, EncodedReply, takesEncodedKey } from "@cloud/rpc";
import type { HandlerContext } from "@connectrpc/connect";
import { guardDatabase } from "./guard-database.ts";

/** What every service's handlers look like. */
export type Handler<Context, Request, Reply> = (context: Context, caller: Caller, request: Request) => Promise<Reply>;

/**
 * Returns the adapter that registers a service's handlers. Each call receives a context of its own, with its
 * `requestId`, and a database that refuses to write until the handler has checked what the RPC declares.
 */
export function bindHandlers<Context extends { readonly db: Database }>(context: Context) {
  return <Request, Reply>(handler: Handler<Context, Request, Reply>) =>
    async (request: Request, call: HandlerContext): Promise<Decoded<Reply>> => {
      const authorization = authorizationOf(call);
      const requestId = requestIdIn(call.requestHeader);
      const guarded = { ...context, requestId, db: guardDatabase(context.db, authorization, call.signal) };
      const reply = await handler(guarded, authorization.caller, request);
      const isDecoded = reply instanceof EncodedReply && !call.values.get(takesEncodedKey);
      // The plain path takes an encoded reply where its type has a message.
      return (isDecoded ? reply.decode() : reply) as Decoded<Reply>;
    };
}
