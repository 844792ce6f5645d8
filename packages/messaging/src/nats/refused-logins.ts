import { isTlsFault, type Telemetry } from "@cloud/telemetry";
import { ErrorCode, NatsError } from "nats";
import { messagingMetrics } from "../messaging-metrics.ts";
import { describeLogin, type NatsLogin, UnreadableFile } from "./nats-login.ts";

/** How often a refusal that lasts is logged. */
const LOG_EVERY_MS = 60_000;
const CONDITION = "nats-login";
/** What an attempt led to. One that is unreachable says nothing about the login. */
const LOGIN_STATES = ["accepted", "refused", "unreachable"] as const;

type LoginState = (typeof LOGIN_STATES)[number];

export interface RefusedLogins {
  /** Returns whether the attempt was refused, instead of failing because no server was reached. */
  onFailure(error: unknown): boolean;
  onConnected(): void;
}

/**
 * Reports refused logins: the condition `nats-login` until one is accepted, a count, and a line of the log at once and
 * then once a minute.
 */
export function watchRefusals(login: NatsLogin | undefined, { log, metrics, conditions }: Telemetry): RefusedLogins {
  const { refusedLogins, login: gauge } = messagingMetrics(metrics);
  const setState = (current: LoginState) => {
    for (const state of LOGIN_STATES) gauge.set({ state }, state === current ? 1 : 0);
  };
  setState("unreachable");
  let loggedAt: number | undefined;
  return {
    onFailure: (error) => {
      const reason = refusalOf(error);
      setState(reason === undefined ? "unreachable" : "refused");
      if (reason === undefined) return false;
      const message = `NATS cannot be used ${describeLogin(login)}: ${reason}`;
      refusedLogins.inc();
      conditions.raise(CONDITION, message);
      const now = performance.now(); // no step of the clock changes it
      if (loggedAt === undefined || now - loggedAt >= LOG_EVERY_MS) {
        loggedAt = now;
        log.warn({ err: error }, message);
      }
      return true;
    },
    onConnected: () => {
      loggedAt = undefined;
      setState("accepted");
      conditions.clear(CONDITION);
    },
  };
}

/** Returns why a login was refused; undefined if the server was not reached. */
function refusalOf(error: unknown): string | undefined {
  if (error instanceof UnreadableFile) return error.message;
  if (isTlsFault(error)) return `TLS failed: ${tlsReason(error)}`;
  if (!(error instanceof NatsError)) return undefined;
  if (error.isAuthError()) return `the server refuses it (${error.message})`;
  if (error.code === ErrorCode.ServerOptionNotAvailable) return "the server does not offer TLS";
  if (error.code === ErrorCode.Tls) return `TLS failed: ${error.message}`;
  return error.code === ErrorCode.BadCreds ? "it is no creds file" : undefined;
}

/** OpenSSL's `reason` is the readable part of its message. */
const tlsReason = (error: unknown): string => {
  const { reason, message } = error as Error & { reason?: string };
  return reason ?? message;
};
