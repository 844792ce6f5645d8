import type { RemovedProtection } from "@cloud/testkit";

/** The protections that the runs' controls remove from the real programs. */
export const hostileControls = {
  /** Promise 1. The gateway exposes the texts of errors that are not of the catalogue. */
  catalogueTexts: [
    {
      marker: "catalogue-texts",
      instead: "const failure = { ...failureOf(error, call), text: String((error as Error).stack) };",
    },
  ],
  /** Promise 1. A path that cannot be decoded is an error like any other. */
  decodedPath: [{ marker: "decoded-path", instead: 'if (values.includes(undefined)) throw new TypeError("no path");' }],
  /** Promise 2. The reply is the library's error text for a message that it cannot decode. */
  undecodableMessages: [{ marker: "undecodable-messages", instead: "return response;" }],
  /** Promise 3. Each user counts as a member of each organization. */
  membership: [
    {
      marker: "membership",
      instead: "const isMember = (await this.#principal.isMemberOf(organization)) || true;",
    },
  ],
  /** Promise 4. The query is bound after the path, and takes its fields, too. */
  pathLast: [
    { marker: "path-not-in-query" },
    {
      marker: "path-last",
      instead: `
  bindPath(reading, route, values, json);
  const last: JsonObject = {};
  bindQuery(reading, { ...route, variables: [], body: "none" }, query, last);
  Object.assign(json, last);`,
    },
  ],
  /** Promise 5. The text of a search is written into the statement. */
  parameters: [
    {
      marker: "search-parameter",
      instead:
        "const needleOf = ({ params, search }: PageQuery) => " +
        `("coalesce(null, '" + search + "', " + parameter(params.length + 3) + "::text)") as never;`,
    },
  ],
  /** Promise 11. Metadata has no limits. */
  valueLimits: [{ marker: "metadata-levels" }, { marker: "metadata-keys" }, { marker: "metadata-bytes" }],
  /** Promise 10. Whole numbers are read as they once were: by an expression that takes quadratic time. */
  linearNumbers: [
    {
      marker: "linear-numbers",
      instead: String.raw`const NUMBER = /^(-?)0*(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;`,
    },
  ],
  /** Promise 8. No answer is too large. */
  answerSize: [
    { marker: "page-size", instead: "return sql`true`;" },
    { marker: "message-size", instead: "export const MAX_ANSWER_BYTES = 0xffffffff;" },
    { marker: "answer-size", instead: "const ANSWER_LIMIT = 2 ** 32;" },
  ],
  /** Promise 8. A page is read and encoded before it is refused. */
  earlyRefusal: [{ marker: "page-size", instead: "return sql`true`;" }],
  /** Promise 8. A refused request stays in its session. */
  usableSessions: [
    { marker: "session-memory", instead: "maxSessionMemory: 10," },
    { marker: "cut-streams", instead: "const MAX_CUT_STREAMS = 1e9;" },
    { marker: "unread-requests" },
  ],
  /** Promise 9. A line of the activity log keeps whatever id the caller sent. */
  boundActivity: [{ marker: "bound-activity", instead: "const lines = [...activities];" }],
  /** Promise 12. Node serves all that it has read of a connection, at once. */
  inTurn: [{ marker: "served-in-turn", instead: 'server.on("request", listener);' }],
  /** Promise 12. The gateway reads a body, whatever its length, before it knows the caller. */
  callerBeforeBody: [{ marker: "caller-before-body" }],
  /** Promise 12. All large pages that were requested are served at once. */
  pagesInTurn: [{ marker: "pages-in-turn", instead: "const semaphore = createSemaphore({ max: 1_000_000 });" }],
  /** Promise 12. The first bytes are put back one by one, which wakes their reader. */
  firstBytes: [
    {
      marker: "first-bytes",
      instead: `
    if (isHttp2 && head.length < HTTP2_PREFACE.length) {
      socket.unshift(head);
      head = Buffer.alloc(0);
      return;
    }`,
    },
  ],
  /** Promise 12. HTTP/2 has Node's own limits, and watches and reflection none. */
  http2Limits: [
    { marker: "http2-limits", instead: 'return http2.createServer(handler).on("session", (session) => {' },
    {
      marker: "open-streams",
      instead: "const kinds = STREAMS.map((kind) => ({ ...kind, max: Number.POSITIVE_INFINITY, open: 0 }));",
    },
  ],
  /** Promise 14. Searches and deep pages begin at once, whoever waits for Postgres. */
  heavyShare: [{ marker: "heavy-share", instead: "return light ?? (await selectWithPermit(db, query, read));" }],
  /** Promise 15. No page is large, nor is a reply of a peer, and a caller may have all places while others are there. */
  largePages: [
    { marker: "large-pages", instead: "const LARGE_BYTES = sql`16777216`;" },
    { marker: "share-of-a-caller", instead: "const share = limit;" },
    { marker: "large-replies", instead: "const LARGE_REPLY = Number.POSITIVE_INFINITY;" },
  ],
} satisfies Readonly<Record<string, readonly RemovedProtection[]>>;
