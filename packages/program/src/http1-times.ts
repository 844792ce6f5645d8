/** Time limits of every HTTP/1.1 server, in milliseconds; options of Node's `createServer`. */
export const HTTP1_TIMES = {
  headersTimeout: 10_000,
  /** Of a whole request, its body included: a client that sends it very slowly holds a connection no longer. */
  requestTimeout: 30_000,
  /** How often the two are checked. */
  connectionsCheckingInterval: 1_000,
  /**
   * Of an idle connection: longer than load balancers keep theirs (60 s), and than a client of this project (30 s), so that
   * no request is sent on a connection that is being closed.
   */
  keepAliveTimeout: 65_000,
} as const;
