/** The longest chain that is followed: deeper ones come from loops. */
const MAX_DEPTH = 8;

/** Returns the error and its chain of causes, outermost first. */
export function causesOf(error: unknown): unknown[] {
  const causes: unknown[] = [];
  let current = error;
  while (current !== undefined && current !== null && causes.length < MAX_DEPTH) {
    causes.push(current);
    current = typeof current === "object" && "cause" in current ? current.cause : undefined;
  }
  return causes;
}

/** Describes an error and its chain of causes in one line, for a log line; never for a reply. */
export function describeError(error: unknown): string {
  const messages = causesOf(error).flatMap((cause) =>
    cause instanceof Error ? [cause.message === "" ? cause.name : cause.message] : [],
  );
  return messages.length === 0 ? String(error) : messages.join(": ");
}

/** The codes of a certificate that Node does not accept: the names of OpenSSL's `X509_V_ERR_…`. */
const CERTIFICATE = /CERT|^UNABLE_TO_|^INVALID_(CA|PURPOSE)$|^HOSTNAME_MISMATCH$|^CRL_/;

/** Errors of TLS itself, such as an alert by which the server refuses the client's certificate. */
const PROTOCOL = /^ERR_(TLS|SSL)_|^EPROTO$/;

/**
 * Returns whether a connection failed because one side does not accept the other's certificate, or cannot speak TLS:
 * repeating it does not help until a certificate or a setting is changed.
 */
export function isTlsFault(error: unknown): boolean {
  const { code } = (error ?? {}) as { code?: unknown };
  return typeof code === "string" && (CERTIFICATE.test(code) || PROTOCOL.test(code));
}
