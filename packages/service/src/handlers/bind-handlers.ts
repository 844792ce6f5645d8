import { type Authorization, authorizationOf, type Caller } from "@cloud/contract";
import type { Database, RunHeavy } from "@cloud/postgres";
import { type Decoded, EncodedReply, takesEncodedKey } from "@cloud/rpc";
import type { HandlerContext } from "@connectrpc/connect";

import { tagReply } from "../conditions/tag-reply.ts";
import type { ServiceDatabase } from "../heavy-reads.ts";
import { type CallContext, readCallHeaders } from "./call-context.ts";
import { guardDatabase } from "./guard-database.ts";

/** What every service's handlers look like. */
export type Handler<Context, Request, Reply> = (context: Context, caller: Caller, request: Request) => Promise<Reply>;

/**
 * Returns the adapter that registers a service's handlers. Each call receives a context of its own, with what its headers
 * require, and a database that refuses to write until the handler has checked what the RPC declares.
 */
export function bindHandlers<Context extends CallContext & { readonly db: Database }>(
  context: Omit<Context, keyof CallContext> & { readonly db: ServiceDatabase },
) {
  return <Request, Reply>(handler: Handler<Context, Request, Reply>) =>
    async (request: Request, call: HandlerContext): Promise<Decoded<Reply>> => {
      const authorization = authorizationOf(call);
      const runHeavy = runHeavyOf(context.db, { authorization, request, signal: call.signal });
      const db = guardDatabase(context.db, authorization, call.signal, runHeavy);
      const recording = guardDatabase(context.db, authorization);
      const headers = readCallHeaders(call, authorization.caller, request);
      const guarded = { ...context, ...headers, recording, db } as unknown as Context;
      const reply = await handler(guarded, authorization.caller, request);
      tagReply(call, reply);
      const isDecoded = reply instanceof EncodedReply && !call.values.get(takesEncodedKey); // protects: encoded-replies
      // The plain path takes an encoded reply where its type has a message.
      return (isDecoded ? reply.decode() : reply) as Decoded<Reply>;
    };
}

interface HeavyCall {
  readonly authorization: Authorization;
  readonly request: unknown;
  readonly signal: AbortSignal;
}

/** Returns how the reads of a call that take long get their turn: that of the organization that the call acts on. */
function runHeavyOf(
  { heavyReads }: ServiceDatabase,
  { authorization, request, signal }: HeavyCall,
): RunHeavy | undefined {
  if (heavyReads === undefined) return undefined; // protects: heavy-reads
  return (read) => heavyReads.run(organizationOf(authorization, request), signal, read);
}

/** Returns an empty text for what concerns all organizations: that takes the turn of one. */
function organizationOf({ caller, organization }: Authorization, request: unknown): string {
  if (organization !== undefined || caller.kind === "user") return organization ?? "";
  // A peer asks for one of its callers, whom it has authorized; the request names the organization.
  return (request as { readonly organizationId?: string }).organizationId ?? "";
}
