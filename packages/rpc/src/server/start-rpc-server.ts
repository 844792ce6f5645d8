import { setTimeout as delay } from "node:timers/promises";
import type { DescService } from "@bufbuild/protobuf";
import { accessRuleOf } from "@cloud/access";
import { fail } from "@cloud/access/errors";
import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import { Health, HealthCheckResponse_ServingStatus as Status } from "@cloud/proto/grpc/health/v1/health_pb";
import { atMostOncePerSecond, type Readiness } from "@cloud/runtime";
import { createAdmission, createAdmissionMetrics, DEFAULT_LIMITS, type ServerLimits } from "@cloud/runtime/limits";
import type { Telemetry } from "@cloud/runtime/telemetry";
import { Code, ConnectError, type ConnectRouter, type ServiceImpl } from "@connectrpc/connect";
import { connectNodeAdapter } from "@connectrpc/connect-node";
import { followRequests, nameRequests, rememberRequest } from "../follow-calls.ts";
import { MAX_ANSWER_BYTES } from "../message-limits.ts";
import type { TlsFiles } from "../tls.ts";
import { allowOrigins } from "./allow-origins.ts";
import { authenticateRequest, captureError } from "./authenticate-request.ts";
import { type AuthenticationOptions, createIdentification } from "./identify-caller.ts";
import {
  admissionInterceptor,
  authenticationInterceptor,
  errorInterceptor,
  OPEN_SERVICE,
  telemetryInterceptor,
} from "./interceptors.ts";
import { listenOnePort } from "./listen-one-port.ts";
import { exactJson } from "./message-refusal.ts";
import { collectMethods, type PlainMethod } from "./plain-methods.ts";
import { registerReflection } from "./reflection.ts";
import { refuseUnknown, refuseUnusable } from "./refuse-requests.ts";
import { createRefusedCallersReport, type RefusedCallers, refusedCallersInterceptor } from "./refused-callers.ts";
import { servePlainCalls } from "./serve-plain-calls.ts";

export interface RpcServerOptions extends AuthenticationOptions {
  readonly host: string;
  /** 0 lets the system choose. */
  readonly port: number;
  readonly routes: (router: ConnectRouter) => void;
  /** The services listed by reflection and health: all that `routes` registers. */
  readonly services: readonly DescService[];
  /** Resolves if the service can do its work. Called at most once a second. */
  readonly checkReady: () => Promise<void>;
  /** Maps errors of dependencies to errors of the catalogue; returns undefined for other errors. */
  readonly translate: (error: unknown) => ConnectError | undefined;
  readonly telemetry: Telemetry;
  /** Keeps a report of refused callers, such as in an audit log. */
  readonly recordRefused?: (refused: RefusedCallers) => Promise<void>;
  /** The shortest time in milliseconds between two reports of one kind; a minute if absent. */
  readonly refusedEveryMs?: number;
  /** Maximum age of an HTTP/2 connection in milliseconds; 5 minutes if absent. */
  readonly sessionAgeMs?: number;
  /** `DEFAULT_LIMITS` of `@cloud/runtime/limits` if absent. */
  readonly limits?: ServerLimits;
  /** The origins of pages that may call, by Connect and gRPC-Web; none if absent. */
  readonly corsOrigins?: readonly string[] | "*" | undefined;
  /**
   * Speaks TLS with these files, and demands certificates of clients if they contain authorities; cleartext if absent.
   */
  readonly tls?: TlsFiles | undefined;
}

export interface RpcServer {
  readonly url: string;
  readonly port: number;
  /** Returns whether the server can do its work; checked at most once a second, shared with grpc.health.v1. */
  readiness(): Promise<Readiness>;
  /** Reports not ready by grpc.health.v1, but keeps serving, while load balancers may still send new connections. */
  beginDrain(): void;
  /** Leaves, accepts no new connection, and finishes the calls in flight (at most 10 s). */
  stop(): Promise<void>;
}

/** The largest request of health and reflection, which need no token: a few names. */
const MAX_OPEN_REQUEST_BYTES = 64 * 1024;
/** The longest deadline a client can set; abandoned work must end. */
const MAX_DEADLINE_MS = 30_000;
const REFUSED_EVERY_MS = 60_000;
/** The option `textDecoder` is not in the library's types; `undecodable-message.int.test.ts` fails if it disappears. */
const JSON_OPTIONS = { alwaysEmitImplicit: true, textDecoder: exactJson };

/**
 * Serves Connect, gRPC and gRPC-Web on one port, with health and reflection.
 *
 * @throws TypeError, naming the RPC, if the options of an RPC do not declare who may call it
 */
export async function startRpcServer(options: RpcServerOptions): Promise<RpcServer> {
  let leaving = false;
  const check = atMostOncePerSecond(async () => {
    try {
      await options.checkReady();
      return true;
    } catch (err) {
      options.telemetry.log.warn({ err }, "not ready");
      return false;
    }
  });
  const readiness = async () => {
    const ready = await check();
    return { ready, lines: [ready ? "ready" : "not ready"] };
  };
  const isReady = async () => !leaving && (await check());
  const { limits = DEFAULT_LIMITS } = options;
  const admissionMetrics = createAdmissionMetrics(options.telemetry);
  const admissionOf = (work: string) =>
    createAdmission({
      limit: limits.maxInFlight,
      metrics: admissionMetrics,
      work,
      refuse: () => fail(Reason.OVERLOADED),
    });
  const identify = createIdentification(options, admissionOf("authentication"));
  const admission = admissionOf("rpc");
  const refusedCallers = createRefusedCallersReport({
    telemetry: options.telemetry,
    everyMs: options.refusedEveryMs ?? REFUSED_EVERY_MS,
    record: options.recordRefused,
  });
  const door = { identify, assertRoom: admission.assertRoom };
  // In the order in which they run, which is the same in every service.
  const interceptors = [
    telemetryInterceptor(options.telemetry, options.services),
    refusedCallersInterceptor(refusedCallers),
    errorInterceptor(options.translate, options.telemetry.log),
    admissionInterceptor(admission),
    authenticationInterceptor,
  ];
  const methods = new Map<string, PlainMethod>();
  const general = connectNodeAdapter({
    routes: (router) => {
      options.routes(collectMethods(router, methods, JSON_OPTIONS));
      // Refuses to start with an RPC that does not declare who may call it.
      for (const { method } of router.handlers) accessRuleOf(method);
      registerHealth(router, options.services, isReady);
      registerReflection(router, options.services);
      router.handlers.forEach((handler, index, all) => {
        all[index] = authenticateRequest(handler, door, MAX_DEADLINE_MS);
      });
    },
    contextValues: rememberRequest,
    requestGate: captureError,
    interceptors,
    jsonOptions: JSON_OPTIONS,
    // For health and reflection; each RPC of the routes has a limit of its own.
    readMaxBytes: MAX_OPEN_REQUEST_BYTES,
    writeMaxBytes: MAX_ANSWER_BYTES,
    maxTimeoutMs: MAX_DEADLINE_MS,
    fallback: refuseUnknown,
  });
  const plain = { ...door, methods, interceptors, jsonOptions: JSON_OPTIONS, maxTimeoutMs: MAX_DEADLINE_MS };
  const { host, port: wantedPort, sessionAgeMs, tls, telemetry, corsOrigins } = options;
  const serve = servePlainCalls(plain, nameRequests(refuseUnusable(general)));
  const permitted = corsOrigins === undefined ? serve : allowOrigins(corsOrigins, serve);
  const listener = await listenOnePort({
    host,
    port: wantedPort,
    handler: followRequests(permitted, telemetry, (path) => methods.has(path)),
    sessionAgeMs,
    limits,
    tls,
    telemetry,
  });
  const beginDrain = () => {
    leaving = true;
    listener.beginDrain();
  };
  const stop = async () => {
    beginDrain();
    await listener.stop();
    await refusedCallers.stop();
  };
  const { url, port } = listener;
  return { url, port, readiness, beginDrain, stop };
}

/** Milliseconds between two looks of a watcher at the shared status. */
const WATCH_INTERVAL_MS = 1_000;

/**
 * Serves grpc.health.v1.Health for the server as a whole (empty name) and each of its services. Every request asks
 * `isReady`, which shares its checks.
 */
function registerHealth(
  router: ConnectRouter,
  services: readonly DescService[],
  isReady: () => Promise<boolean>,
): void {
  const known = new Set(["", ...services.map((service) => service.typeName)]);
  const status = async () => ((await isReady()) ? Status.SERVING : Status.NOT_SERVING);
  const health: ServiceImpl<typeof Health> = {
    async check({ service }) {
      if (!known.has(service)) {
        throw new ConnectError("unknown service", Code.NotFound);
      }
      return { status: await status() };
    },
    async list() {
      const now = await status();
      return { statuses: Object.fromEntries([...known].map((name) => [name, { status: now }])) };
    },
    async *watch({ service }, { signal }) {
      let last: Status | undefined;
      while (!signal.aborted) {
        const now = known.has(service) ? await status() : Status.SERVICE_UNKNOWN;
        if (now !== last) {
          last = now;
          yield { status: now };
        }
        await delay(WATCH_INTERVAL_MS, undefined, { signal, ref: false }).catch(() => undefined);
      }
    },
  };
  router.service(Health, health, OPEN_SERVICE);
}
