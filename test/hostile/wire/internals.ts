/** The words that no answer may contain: names of what is behind the API, which only help an attacker. */
const INTERNALS: Readonly<Record<string, RegExp>> = {
  "a stack": /\n\s+at |\bat [\w.<>]+ \(|node:internal|\bat async /,
  "a source file": /[\w-]+\.(?:ts|js|mjs|cjs|sql)\b(?::\d+)?/,
  "a folder": /\/(?:home|root|usr|var|tmp|work|node_modules|src)\//,
  "a SQLSTATE": /SQLSTATE|\b(?:22P02|22021|23505|23503|23514|40001|42601|42P01|57014|53300)\b/,
  "words of Postgres": /\bsyntax error at or near|duplicate key value|violates .* constraint|relation "|\bpg_\w+/i,
  "words of a library": /parse binary|premature EOF|readMaxBytes|cannot decode|illegal tag|BufferFull/i,
  "words of the transport": /ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT|ENOTFOUND|socket hang up|getaddrinfo/,
  "words of NATS": /\b(?:nats|jetstream)\b/i,
  "an address": /\b(?:127\.0\.0\.1|localhost|0\.0\.0\.0)\b|postgres(?:ql)?:\/\//i,
  "an error's class": /\b(?:TypeError|RangeError|SyntaxError|ReferenceError|ConnectError|DatabaseError)\b/,
};

/** Returns the kinds of internals in a text, without internals that the caller sent itself. */
export function findInternals(text: string, sent = ""): string[] {
  return Object.entries(INTERNALS)
    .filter(([, pattern]) => {
      const match = pattern.exec(text)?.[0];
      return match !== undefined && !sent.includes(match);
    })
    .map(([kind]) => kind);
}
