// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the removed lines are source text.
import type { RemovedProtection } from "@cloud/testkit";

/**
 * The protections that the runs' controls remove from the real programs, each a place in the source. A test checks that
 * each is still found: a change that moves a protection must update it here.
 */
export const hostileControls = {
  /** Promise 1. The gateway exposes the texts of errors that are not of the catalogue. */
  catalogueTexts: [
    {
      file: "gateway/src/create-listener.ts",
      find: "const failure = failureOf(error, call);",
      replace: "const failure = { ...failureOf(error, call), text: String((error as Error).stack) };",
    },
  ],
  /** Promise 1. A path that cannot be decoded is an error like any other. */
  decodedPath: [
    {
      file: "packages/transcoder/src/binding/bind-request.ts",
      find: `if (values.includes(undefined)) throw new TranscodingError("invalid-path");`,
      replace: `if (values.includes(undefined)) throw new TypeError("no path");`,
    },
  ],
  /** Promise 2. What the library says of a message that it cannot decode is the reply. */
  undecodableMessages: [
    {
      file: "packages/rpc/src/server/refuse-undecodable.ts",
      find: "if (refusal === undefined) return response;",
      replace: "if (refusal || true) return response;",
    },
  ],
  /** Promise 3. Each user counts as a member of each organization. */
  membership: [
    {
      file: "packages/contract/src/authorization.ts",
      find: "const isMember = await this.#principal.isMemberOf(organization);",
      replace: "const isMember = (await this.#principal.isMemberOf(organization)) || true;",
    },
  ],
  /** Promise 4. The query is bound after the path, and takes its fields, too. */
  pathLast: [
    {
      file: "packages/transcoder/src/binding/bind-request.ts",
      find: `reading.attempt(() => bindQuery(reading, route, query, json));
  bindPath(reading, route, values, json);`,
      replace: `bindPath(reading, route, values, json);
  const last: JsonObject = {};
  bindQuery(reading, { ...route, variables: [], body: "none" }, query, last);
  Object.assign(json, last);`,
    },
  ],
  /** Promise 5. The text of a search is written into the statement. */
  parameters: [
    {
      file: "packages/postgres/src/pages/search-statements.ts",
      find: "const needleOf = ({ params }: PageQuery) => sql`${parameter(params.length + 3)}::text`;",
      replace:
        "const needleOf = ({ params, search }: PageQuery) => " +
        `("coalesce(null, '" + search + "', " + parameter(params.length + 3) + "::text)") as never;`,
    },
  ],
  /** Promise 11. Metadata has no limits. */
  valueLimits: [
    {
      file: "packages/contract/src/metadata.ts",
      find: `if (level > MAX_LEVELS) throw refused("nested at most 32 deep");`,
      replace: "void MAX_LEVELS;",
    },
    {
      file: "packages/contract/src/metadata.ts",
      find: `if (keys > MAX_KEYS) throw refused("of at most 1,000 keys");`,
      replace: "void MAX_KEYS;",
    },
    {
      file: "packages/contract/src/metadata.ts",
      find: `if (Buffer.byteLength(json) + digits > MAX_BYTES) throw refused("of at most 64 KiB");`,
      replace: "void MAX_BYTES;",
    },
  ],
  /** Promise 10. Whole numbers are read as they once were: by an expression that takes quadratic time. */
  linearNumbers: [
    {
      file: "packages/transcoder/src/json-in/decimal.ts",
      find: "const NUMBER = /^(-?)(\\d+)",
      replace: "const NUMBER = /^(-?)0*(\\d+)",
    },
  ],
  /** Promise 8. No answer is too large. */
  answerSize: [
    {
      file: "packages/postgres/src/pages/read-page.ts",
      find: "if (largeColumn === undefined) return sql`true`;",
      replace: "if (largeColumn !== null) return sql`true`;",
    },
    {
      file: "packages/rpc/src/message-limits.ts",
      find: "export const MAX_ANSWER_BYTES = 16 * MIB;",
      replace: "export const MAX_ANSWER_BYTES = 0xffffffff;",
    },
    {
      file: "packages/transcoder/src/serving/endpoint.ts",
      find: "ANSWER_LIMIT = 2 ** 24",
      replace: "ANSWER_LIMIT = 2 ** 32",
    },
  ],
  /** Promise 8. A page is read and encoded before it is refused. */
  earlyRefusal: [
    {
      file: "packages/postgres/src/pages/read-page.ts",
      find: "if (largeColumn === undefined) return sql`true`;",
      replace: "if (largeColumn !== null) return sql`true`;",
    },
  ],
  /** Promise 8. A refused request stays in its session. */
  usableSessions: [
    {
      file: "packages/rpc/src/server/http2-server.ts",
      find: "maxSessionMemory: 64,",
      replace: "maxSessionMemory: 10,",
    },
    {
      file: "packages/rpc/src/server/http2-server.ts",
      find: "const MAX_CUT_STREAMS = 2;",
      replace: "const MAX_CUT_STREAMS = 1e9;",
    },
    {
      file: "packages/rpc/src/server/http2-server.ts",
      find: "      endWhenAnswered(stream);",
      replace: "      void endWhenAnswered;",
    },
  ],
  /** Promise 9. A line of the activity log keeps whatever id the caller sent. */
  boundActivity: [
    {
      file: "services/workspace/src/activity/activity-sql.ts",
      find: "const lines = activities.map(boundActivity);",
      replace: "const lines = [...activities]; void boundActivity;",
    },
  ],
  /** Promise 12. Node serves all that it has read of a connection, at once. */
  inTurn: [
    {
      file: "gateway/src/gateway.ts",
      find: 'server.on("request", serveInTurn(server, listener));',
      replace: 'server.on("request", listener); void serveInTurn;',
    },
  ],
  /** Promise 12. The gateway reads a body, whatever its length, before it knows the caller. */
  callerBeforeBody: [
    {
      file: "gateway/src/create-listener.ts",
      find: "largeBody: checkCaller,",
      replace: "",
    },
  ],
  /** Promise 12. All large pages that were requested are served at once. */
  pagesInTurn: [
    {
      file: "gateway/src/compressed-page.ts",
      find: "createSemaphore({ max: 1 })",
      replace: "createSemaphore({ max: 1_000_000 })",
    },
  ],
  /** Promise 12. The first bytes are put back one by one, which wakes their reader. */
  firstBytes: [
    {
      file: "packages/rpc/src/server/read-protocol.ts",
      find: "if (isHttp2 && head.length < HTTP2_PREFACE.length) return;",
      replace: `if (isHttp2 && head.length < HTTP2_PREFACE.length) {
      socket.unshift(head);
      head = Buffer.alloc(0);
      return;
    }`,
    },
  ],
  /** Promise 12. HTTP/2 has Node's own limits, and watches and reflection none. */
  http2Limits: [
    {
      file: "packages/rpc/src/server/http2-server.ts",
      find: "http2.createServer(LIMITS, handler)",
      replace: "(void LIMITS, http2.createServer(handler))",
    },
    {
      file: "packages/rpc/src/server/refuse-requests.ts",
      find: "if (kind.open >= kind.max) {",
      replace: "if (kind.open < 0) {",
    },
  ],
  /** Promise 14. Searches and deep pages begin at once, whoever waits for Postgres. */
  heavyShare: [
    {
      file: "packages/postgres/src/pages/select-page.ts",
      find: "return light ?? (await runHeavy(() => selectInTurn(db, query, read)));",
      replace: "return light ?? (await selectInTurn(db, query, read));",
    },
  ],
  /** The pages of an organization are never large, nor are the replies of a peer. */
  largePages: [
    {
      file: "packages/postgres/src/pages/select-page.ts",
      find: "const LARGE_BYTES = sql`1048576`;",
      replace: "const LARGE_BYTES = sql`16777216`;",
    },
    {
      file: "packages/rpc/src/client/exchange.ts",
      find: "const LARGE_REPLY = 2 ** 18;",
      replace: "const LARGE_REPLY = Number.POSITIVE_INFINITY;",
    },
  ],
} satisfies Readonly<Record<string, readonly RemovedProtection[]>>;
