import type { DescService } from "@bufbuild/protobuf";
import type { Telemetry } from "@cloud/telemetry";
import type { ConnectError, ConnectRouter } from "@connectrpc/connect";
import { connectNodeAdapter } from "@connectrpc/connect-node";
import type { Identity } from "../caller.ts";
import type { OrganizationId } from "../id.ts";
import { authenticationInterceptor } from "./authentication-interceptor.ts";
import { errorInterceptor } from "./error-interceptor.ts";
import { registerHealth } from "./health.ts";
import { listenOnePort } from "./listen-one-port.ts";
import { operatorPages } from "./operator-pages.ts";
import { registerReflection } from "./reflection.ts";
import { telemetryInterceptor } from "./telemetry-interceptor.ts";

export interface RpcServerOptions {
  readonly host: string;
  /** 0 lets the system choose. */
  readonly port: number;
  readonly routes: (router: ConnectRouter) => void;
  /** What reflection and health tell of; every service that `routes` registers. */
  readonly services: readonly DescService[];
  readonly authenticate: (bearer: string) => Promise<Identity>;
  readonly organizationIsLive: (organization: OrganizationId) => Promise<boolean>;
  readonly serviceTokens: readonly string[];
  /** Resolves while the service can do its work. */
  readonly checkReady: () => Promise<void>;
  /** Faults of dependencies as errors of the catalogue; undefined for what it does not know. */
  readonly translate: (error: unknown) => ConnectError | undefined;
  readonly telemetry: Telemetry;
  /** How long an HTTP/2 connection lives, in milliseconds; 5 minutes where it is absent. */
  readonly sessionAgeMs?: number;
}

export interface RpcServer {
  readonly url: string;
  readonly port: number;
  /** Not ready from now on, but serves on: to be called while balancers may still send new connections. */
  leave(): void;
  /** Leaves, takes no new connection, finishes what is in flight (at most 10 s). */
  stop(): Promise<void>;
}

/** A request message may be as large as the gateway's largest body, and then some for its encoding. */
const MAX_MESSAGE_BYTES = 2 * 1024 * 1024;
/** No call runs longer, whatever its caller asks for: abandoned work must end. */
const MAX_DEADLINE_MS = 30_000;

/** One port for Connect, gRPC and gRPC-Web, with health, reflection and the operator's pages. */
export async function startRpcServer(options: RpcServerOptions): Promise<RpcServer> {
  let leaving = false;
  const checkReady = async () => {
    if (leaving) {
      throw new Error("stopping");
    }
    await options.checkReady();
  };
  const adapter = connectNodeAdapter({
    routes: (router) => {
      options.routes(router);
      registerHealth(router, options.services, checkReady);
      registerReflection(router, options.services);
    },
    // The same three in the same order in every service.
    interceptors: [
      telemetryInterceptor(options.telemetry),
      errorInterceptor(options.translate, options.telemetry.log),
      authenticationInterceptor(options),
    ],
    jsonOptions: { alwaysEmitImplicit: true },
    readMaxBytes: MAX_MESSAGE_BYTES,
    maxTimeoutMs: MAX_DEADLINE_MS,
    fallback: operatorPages(checkReady, options.telemetry),
  });
  const { host, port, sessionAgeMs } = options;
  const listener = await listenOnePort({ host, port, handler: adapter, sessionAgeMs });
  const leave = () => {
    leaving = true;
    listener.leave();
  };
  const stop = async () => {
    leave();
    await listener.stop();
  };
  return { url: listener.url, port: listener.port, leave, stop };
}
