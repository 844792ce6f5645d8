import { type AccessCheck, accessCheckKey, type Caller, callerOf, createsRecord, taggedRecordOf } from "@cloud/access";
import type { Database, RunHeavy } from "@cloud/postgres";
import { type Decoded, EncodedReply, takesEncodedKey } from "@cloud/rpc";
import { currentCorrelation } from "@cloud/runtime/telemetry";
import type { HandlerContext } from "@connectrpc/connect";
import { type IdempotentCall, readIdempotentCall } from "./create-once.ts";
import type { ServiceDatabase } from "./heavy-reads.ts";

/** A handler of a unary RPC. */
export type Handler<Context, Request, Reply> = (context: Context, caller: Caller, request: Request) => Promise<Reply>;

/** The part of the context that differs between calls. */
export interface CallContext {
  /** Records the outcome of the call, also once its caller has left. */
  readonly recording: Pick<Database, "transaction">;
  /** The id of the request that the call belongs to, which its caller was given; empty outside of a request. */
  readonly requestId: string;
  /** The header If-Match as sent; undefined if absent. */
  readonly ifMatch: string | undefined;
  /** The call's idempotency key; undefined without a key, and for an RPC that creates no record. */
  readonly idempotency: IdempotentCall | undefined;
}

/**
 * Returns the adapter that registers a service's handlers. Each call receives a context of its own, with the values of
 * its headers, and a database that refuses to write until the handler has checked the scope that the RPC declares.
 */
export function bindHandlers<Context extends CallContext & { readonly db: Database }>(
  context: Omit<Context, keyof CallContext> & { readonly db: ServiceDatabase },
) {
  return <Request, Reply>(handler: Handler<Context, Request, Reply>) =>
    async (request: Request, call: HandlerContext): Promise<Decoded<Reply>> => {
      const caller = callerOf(call);
      const own = createCallContext(context, call, request);
      call.signal.throwIfAborted();
      const reply = await handler({ ...context, ...own } as unknown as Context, caller, request);
      tagReply(call, reply);
      const isDecoded = reply instanceof EncodedReply && !call.values.get(takesEncodedKey); // protects: encoded-replies
      // The plain path takes an encoded reply where its type has a message.
      return (isDecoded ? reply.decode() : reply) as Decoded<Reply>;
    };
}

/** A handler of a server stream. It checks the declared scope before the first message. */
type StreamHandler<Context, Request, Message> = (
  context: Context & StreamContext,
  caller: Caller,
  request: Request,
) => AsyncIterable<Message>;

/** The part that the context of a stream contains besides the context of a call. */
export interface StreamContext {
  /** Aborted when the caller has left. */
  readonly signal: AbortSignal;
  /** Identifies the caller again: a permission granted at the beginning may be gone. */
  readonly access: AccessCheck;
}

/** Returns the adapter that registers a service's handlers of server streams, like `bindHandlers` for unary RPCs. */
export function bindStreams<Context extends CallContext & { readonly db: Database }>(
  context: Omit<Context, keyof CallContext> & { readonly db: ServiceDatabase },
) {
  return <Request, Message>(handler: StreamHandler<Context, Request, Message>) =>
    async function* (request: Request, call: HandlerContext): AsyncGenerator<Message> {
      const access = call.values.get(accessCheckKey);
      if (access === undefined) throw new TypeError("no access check: the call is not a stream");
      const own = { ...createCallContext(context, call, request), access, signal: call.signal };
      yield* handler({ ...context, ...own } as unknown as Context & StreamContext, callerOf(call), request);
    };
}

/**
 * Returns the database for one call. It passes on reads, to find the record that the request names, and refuses
 * transactions until the handler has checked the scope that the RPC declares.
 *
 * Neither begins once `signal` is aborted: the caller has left, or its deadline has passed, perhaps during the wait for
 * a connection of the pool. Long reads run by `runHeavy`.
 */
export function guardDatabase(
  db: Database,
  caller: Pick<Caller, "assertMayWrite">,
  signal?: AbortSignal,
  runHeavy?: RunHeavy,
): Database {
  return {
    ...db,
    runHeavy,
    read: async (statement, params) => {
      signal?.throwIfAborted();
      return await db.read(statement, params);
    },
    batch: async (statements) => {
      caller.assertMayWrite();
      signal?.throwIfAborted();
      return await db.batch(statements);
    },
    transaction: async (work) => {
      caller.assertMayWrite();
      signal?.throwIfAborted();
      return await db.transaction(async (tx) => {
        signal?.throwIfAborted();
        return await work(tx);
      });
    },
  };
}

/** Returns what differs between calls. @throws INVALID_PARAMETER for a malformed idempotency key */
function createCallContext(
  { db }: { readonly db: ServiceDatabase },
  call: HandlerContext,
  request: unknown,
): CallContext & { readonly db: Database } {
  const { requestHeader, method, signal } = call;
  const caller = callerOf(call);
  const { heavyReads } = db;
  // Each long read runs in the turn of the organization that the call acts on.
  const runHeavy: RunHeavy | undefined =
    heavyReads && ((read) => heavyReads.run(organizationOf(caller, request), signal, read)); // protects: heavy-reads
  return {
    db: guardDatabase(db, caller, signal, runHeavy),
    recording: guardDatabase(db, caller),
    requestId: currentCorrelation()?.requestId ?? "",
    ifMatch: requestHeader.get("if-match") ?? undefined,
    idempotency: createsRecord(method) ? readIdempotentCall(call, caller, request) : undefined,
  };
}

/** Returns the organization whose turn a read takes; empty for a call that concerns all, which count as one. */
function organizationOf({ type, organization }: Caller, request: unknown): string {
  if (organization !== undefined || type === "user") return organization ?? "";
  // A peer asks for one of its callers, whom it has authorized; the request names the organization.
  return (request as { readonly organizationId?: string }).organizationId ?? "";
}

/** Sets the header `etag` of a reply that contains one record with an entity tag, to the same value. */
function tagReply({ method, responseHeader }: HandlerContext, reply: unknown): void {
  const field = taggedRecordOf(method);
  if (field === undefined) return;
  const record = (reply as Readonly<Record<string, { readonly etag?: string } | undefined>>)[field.localName];
  const etag = record?.etag ?? "";
  if (etag !== "") responseHeader.set("etag", etag);
}
