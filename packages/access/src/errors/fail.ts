import { getOption } from "@bufbuild/protobuf";
import { Reason, type ReasonRule, ReasonSchema, reason as reasonOption } from "@cloud/proto/cloud/api/v1/reason_pb";
import { ErrorInfoSchema } from "@cloud/proto/google/rpc/error_details_pb";
import { causesOf, isTlsFault } from "@cloud/runtime";
import { Code, ConnectError } from "@connectrpc/connect";

/** The `domain` of every google.rpc.ErrorInfo of this system. */
const DOMAIN = "cloud";

/** Values for the `{…}` of a reason's text, which also become the detail's metadata. */
type ReasonText = Readonly<Record<string, string>>;

/**
 * Creates the error for a reason of the catalogue (proto/cloud/api/v1/reason.proto): code and text come from there, and
 * the reason is added as a google.rpc.ErrorInfo detail. The cause is only logged; it never leaves the process.
 */
export function fail(reason: Reason, metadata: ReasonText = {}, cause?: unknown): ConnectError {
  const { message, rpcCode } = ruleOf(reason);
  const text = message.replace(/\{(\w+)\}/g, (hole, name: string) => metadata[name] ?? hole);
  const value = { reason: codeOf(reason), domain: DOMAIN, metadata: { ...metadata } };
  return new ConnectError(text, rpcCode as Code, undefined, [{ desc: ErrorInfoSchema, value }], cause);
}

/**
 * Returns the error of all refusals for a reason. They share it, because to create it costs more than to send it. The
 * first refusal creates it: the headers of a program's first error load Node's fetch, 25 ms that a start does without.
 */
export function sharedRefusal(reason: Reason): () => ConnectError {
  let error: ConnectError | undefined;
  return () => {
    error ??= fail(reason);
    return error;
  };
}

/** Returns the reason in an error's detail, or the one its code maps to; INTERNAL for unexpected errors. */
export function reasonOf(error: unknown): Reason {
  if (!(error instanceof ConnectError)) {
    return Reason.INTERNAL;
  }
  const name = error.findDetails(ErrorInfoSchema).find((info) => info.domain === DOMAIN)?.reason;
  const known = name === undefined ? undefined : reasonsByCode.get(name);
  if (known !== undefined) {
    return known;
  }
  return REASONS[error.code] ?? (isConnectionTrouble(error) ? Reason.UNAVAILABLE : Reason.INTERNAL);
}

const reasonsByCode = new Map(ReasonSchema.values.map(({ number }) => [codeOf(number as Reason), number as Reason]));

/** Returns the values that an error was created with, also one of a peer; none for unexpected errors. */
export function metadataOf(error: unknown): ReasonText {
  if (!(error instanceof ConnectError)) return {};
  return error.findDetails(ErrorInfoSchema).find((info) => info.domain === DOMAIN)?.metadata ?? {};
}

/** Returns the catalogue entry of a reason. */
export function ruleOf(reason: Reason): ReasonRule {
  const rule = rules.get(reason);
  if (rule === undefined) {
    throw new TypeError(`no such reason: ${String(reason)}`);
  }
  return rule;
}

/** The catalogue by reason. Decoded once: decoding an option costs 12 µs, a tenth of a refused request. */
const rules = new Map(ReasonSchema.values.map((value) => [value.number as Reason, getOption(value, reasonOption)]));

/** Returns the reason's name in REST and ErrorInfo, such as `WORKSPACE_NOT_FOUND`. */
export function codeOf(reason: Reason): string {
  return (ReasonSchema.value[reason]?.name ?? "REASON_INTERNAL").replace(/^REASON_/, "");
}

/**
 * The reasons of errors without a detail, which come from the transport: an unreachable peer, a deadline, an
 * unimplemented method. INTERNAL for all other codes.
 */
const REASONS: Partial<Readonly<Record<Code, Reason>>> = {
  [Code.Unavailable]: Reason.UNAVAILABLE,
  [Code.ResourceExhausted]: Reason.UNAVAILABLE,
  [Code.Aborted]: Reason.UNAVAILABLE,
  [Code.DeadlineExceeded]: Reason.DEADLINE_EXCEEDED,
  [Code.Canceled]: Reason.DEADLINE_EXCEEDED,
  [Code.Unauthenticated]: Reason.UNAUTHENTICATED,
  [Code.Unimplemented]: Reason.UNIMPLEMENTED,
};

/**
 * Returns whether any cause has Node's code of a broken connection. The transport recognizes only some of them: it
 * treats EHOSTUNREACH, EPIPE and a certificate that is not accepted, for example, as internal errors.
 */
function isConnectionTrouble(error: unknown): boolean {
  return causesOf(error).some((cause) => isTlsFault(cause) || NETWORK.has((cause as { readonly code?: unknown }).code));
}

const NETWORK: ReadonlySet<unknown> = new Set([
  "EAI_AGAIN",
  "ECONNABORTED",
  "ECONNREFUSED",
  "ECONNRESET",
  "EHOSTDOWN",
  "EHOSTUNREACH",
  "ENETDOWN",
  "ENETUNREACH",
  "ENOTFOUND",
  "EPIPE",
  "ETIMEDOUT",
]);
