import type { DescField, DescMethod } from "@bufbuild/protobuf";
import {
  type AccessCheck,
  type Authorization,
  accessCheckKey,
  authorizationOf,
  type Caller,
  createsRecord,
  taggedRecordOf,
} from "@cloud/access";
import type { Database, RunHeavy } from "@cloud/postgres";
import { type Decoded, EncodedReply, takesEncodedKey } from "@cloud/rpc";
import { currentCorrelation } from "@cloud/runtime/telemetry";
import type { HandlerContext } from "@connectrpc/connect";
import { type IdempotentCall, readIdempotentCall } from "./create-once.ts";
import type { ServiceDatabase } from "./heavy-reads.ts";

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
      call.signal.throwIfAborted();
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

/** What the context of each call contains besides what is the same for all. */
export interface CallContext extends CallHeaders {
  /** Records what became of the call, also once its caller has left. */
  readonly recording: Pick<Database, "transaction">;
}

/** What the headers of a call say about it. */
interface CallHeaders {
  /** Of the request that the call belongs to, which its caller was given; empty outside of one. */
  readonly requestId: string;
  /** The header If-Match as sent; undefined if absent. */
  readonly ifMatch: string | undefined;
  /** Undefined for a call without an idempotency key, and for an RPC that creates no record. */
  readonly idempotency: IdempotentCall | undefined;
}

/** @throws INVALID_PARAMETER for a malformed idempotency key */
function readCallHeaders(call: HandlerContext, caller: Caller, request: unknown): CallHeaders {
  const { requestHeader } = call;
  return {
    requestId: currentCorrelation()?.requestId ?? "",
    ifMatch: requestHeader.get("if-match") ?? undefined,
    idempotency: createsRecord(call.method) ? readIdempotentCall(call, caller, request) : undefined,
  };
}

/**
 * Returns the database for one call: reads pass, to find the record that the request names; transactions are refused
 * until the handler has checked what the RPC declares.
 *
 * Neither begins once `signal` is aborted: the caller has left, or its deadline has passed. The wait for a connection of
 * the pool may have taken that long. Reads that take long run by `runHeavy`.
 */
export function guardDatabase(
  db: Database,
  authorization: Pick<Authorization, "assertMayWrite">,
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
      authorization.assertMayWrite();
      signal?.throwIfAborted();
      await db.batch(statements);
    },
    transaction: async (work) => {
      authorization.assertMayWrite();
      signal?.throwIfAborted();
      return await db.transaction(async (tx) => {
        signal?.throwIfAborted();
        return await work(tx);
      });
    },
  };
}

/** Sets the header `etag` of a reply that contains one record with an entity tag, to the same value. */
function tagReply({ method, responseHeader }: HandlerContext, reply: unknown): void {
  const field = recordOf(method);
  if (field === undefined) return;
  const record = (reply as Readonly<Record<string, { readonly etag?: string } | undefined>>)[field.localName];
  const etag = record?.etag ?? "";
  if (etag !== "") responseHeader.set("etag", etag);
}

const records = new Map<DescMethod, DescField | undefined>();

function recordOf(method: DescMethod): DescField | undefined {
  if (!records.has(method)) records.set(method, taggedRecordOf(method));
  return records.get(method);
}
