import { isTlsFault } from "@cloud/runtime";
import type { Telemetry } from "@cloud/runtime/telemetry";
import { ErrorCode, NatsError } from "nats";
import { messagingMetrics } from "../messaging-metrics.ts";
import { type NatsLogin, UnreadableFile } from "./nats-access.ts";

interface RefusedLogins {
  /** Returns whether the attempt was refused, instead of failing because no server was reached. */
  onFailure(error: unknown): boolean;
  onConnected(): void;
}

/** Reports refused logins: the condition `nats-login` until one is accepted, which is logged, and a count. */
export function watchRefusals(login: NatsLogin | undefined, { metrics, conditions }: Telemetry): RefusedLogins {
  const { refusedLogins, login: gauge } = messagingMetrics(metrics);
  const setState = (current: LoginState) => {
    for (const state of LOGIN_STATES) gauge.set({ state }, state === current ? 1 : 0);
  };
  setState("unreachable");
  return {
    onFailure: (error) => {
      const reason = refusalOf(error);
      setState(reason === undefined ? "unreachable" : "refused");
      if (reason === undefined) return false;
      refusedLogins.inc();
      conditions.raise(CONDITION, `NATS cannot be used ${describeLogin(login)}: ${reason}`);
      return true;
    },
    onConnected: () => {
      setState("accepted");
      conditions.clear(CONDITION);
    },
  };
}

const CONDITION = "nats-login";

/** The outcomes of an attempt to connect. An unreachable server shows nothing about the login. */
const LOGIN_STATES = ["accepted", "refused", "unreachable"] as const;

type LoginState = (typeof LOGIN_STATES)[number];

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

/** Returns OpenSSL's `reason`, the readable part of its message. */
const tlsReason = (error: unknown): string => {
  const { reason, message } = error as Error & { reason?: string };
  return reason ?? message;
};

/** Describes a login, without its secret, for the end of a sentence. */
function describeLogin(login: NatsLogin | undefined): string {
  if (login === undefined) return "without a login";
  if (login.user !== undefined) return `as the user ${login.user}`;
  const file = login.credsFile ?? login.nkeyFile;
  return file === undefined ? "with the token" : `with the file ${file}`;
}
