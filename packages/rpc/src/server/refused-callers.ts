import { isMessage } from "@bufbuild/protobuf";
import { accessRuleOf, callerKey } from "@cloud/access";
import { codeOf, reasonOf } from "@cloud/access/errors";
import {
  BatchAuthenticateRequestSchema,
  BatchAuthenticateResponseSchema,
} from "@cloud/proto/identity/v1/auth_service_pb";
import { Counter, type Telemetry } from "@cloud/runtime/telemetry";
import type { ContextValues, Interceptor } from "@connectrpc/connect";
import { receivedKey } from "../follow-calls.ts";

/** The credential that was refused: a user's token, or the credential presented to an RPC for services. */
type RefusedKind = "token" | "service credential";

/** A report of one or more refused callers, with the RPC and the request id of the first. */
export interface RefusedCallers {
  readonly kind: RefusedKind;
  readonly count: number;
  /** `<package>.<service>/<method>`. */
  readonly method: string;
  readonly requestId: string;
}

interface RefusedCallersOptions {
  readonly telemetry: Telemetry;
  /** The shortest time in milliseconds between two reports of one kind. */
  readonly everyMs: number;
  /** Keeps a report; errors are logged. */
  readonly record?: ((refused: RefusedCallers) => Promise<void>) | undefined;
}

interface RefusedCallersReport {
  add(refused: Omit<RefusedCallers, "count">): void;
  /** Reports the callers that are counted and not yet reported. */
  stop(): Promise<void>;
}

/**
 * Counts refused callers, and reports them: the first of a kind at once, all of the next `everyMs` together at its end.
 * A flood of invented tokens therefore costs a line of the log and a row a minute, not one each.
 */
export function createRefusedCallersReport(options: RefusedCallersOptions): RefusedCallersReport {
  const { telemetry, everyMs, record } = options;
  const counter = new Counter({
    name: "rpc_refused_callers_total",
    help: "Callers whose token or service credential was refused, by its kind.",
    labelNames: ["kind"],
    registers: [telemetry.metrics],
  });
  for (const kind of ["token", "service credential"] satisfies RefusedKind[]) counter.inc({ kind }, 0);
  /** The callers refused since the last report. */
  const waiting = new Map<RefusedKind, RefusedCallers>();
  /** The ends of the periods in which no further report of a kind begins. */
  const timers = new Map<RefusedKind, NodeJS.Timeout>();
  const recording = new Set<Promise<void>>();

  const report = (refused: RefusedCallers) => {
    waiting.delete(refused.kind);
    telemetry.log.warn({ ...refused }, "callers refused");
    if (record === undefined) return;
    const kept = record(refused)
      .catch((err: unknown) => void telemetry.log.error({ err, ...refused }, "refused callers not recorded"))
      .finally(() => recording.delete(kept));
    recording.add(kept);
  };
  const begin = (kind: RefusedKind) => {
    timers.delete(kind);
    const refused = waiting.get(kind);
    if (refused === undefined) return;
    report(refused);
    timers.set(kind, setTimeout(begin, everyMs, kind).unref());
  };
  return {
    add: (refused) => {
      const { kind } = refused;
      counter.inc({ kind });
      const first = waiting.get(kind) ?? { ...refused, count: 0 };
      waiting.set(kind, { ...first, count: first.count + 1 });
      if (!timers.has(kind)) begin(kind);
    },
    stop: async () => {
      timers.forEach(clearTimeout);
      waiting.forEach(report);
      await Promise.all(recording);
    },
  };
}

/**
 * Reports calls that are refused for the token or credential that they present, and refused tokens that services
 * present for their callers. A call without a token or credential is not reported.
 */
export function refusedCallersInterceptor(refusedCallers: RefusedCallersReport): Interceptor {
  return (next) => async (request) => {
    const { header, service, method, contextValues } = request;
    const requestId = contextValues.get(receivedKey)?.correlation.requestId ?? "";
    const report = (kind: RefusedKind) =>
      refusedCallers.add({ kind, method: `${service.typeName}/${method.name}`, requestId });
    try {
      const response = await next(request);
      for (let count = countRefusedTokens(request.message, response.message); count > 0; count -= 1) report("token");
      return response;
    } catch (error) {
      if (header.has("authorization")) {
        const kind = kindOf(error, accessRuleOf(method).forServicesOnly, contextValues);
        if (kind !== undefined) report(kind);
      }
      throw error;
    }
  };
}

function kindOf(error: unknown, forServicesOnly: boolean, values: ContextValues): RefusedKind | undefined {
  switch (codeOf(reasonOf(error))) {
    case "UNAUTHENTICATED":
      // The caller of AuthService/Authenticate is a service that is authenticated; the token in its request is refused.
      return forServicesOnly && values.get(callerKey) === undefined ? "service credential" : "token";
    case "SERVICE_CREDENTIAL_REQUIRED":
    case "SERVICE_NOT_ALLOWED":
      return "service credential";
    default:
      return undefined;
  }
}

/** Returns how many tokens a call of BatchAuthenticate has refused, though it succeeded; 0 for any other call. */
function countRefusedTokens(request: unknown, reply: unknown): number {
  if (!isMessage(request, BatchAuthenticateRequestSchema) || !isMessage(reply, BatchAuthenticateResponseSchema))
    return 0;
  return request.tokens.length - Object.keys(reply.identities).length;
}
