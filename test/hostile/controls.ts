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
      file: "packages/transcoder/src/bind-request.ts",
      find: `if (values.includes(undefined)) throw new TranscodingError("invalid-path");`,
      replace: `if (values.includes(undefined)) throw new TypeError("no path");`,
    },
  ],
  /** Promise 2. What the library says of a message that it cannot decode is the reply. */
  undecodableMessages: [
    {
      file: "packages/rpc/src/server/refuse-undecodable.ts",
      find: "return refusal === undefined ? response : await handler(inPass(withEmptyMessage(request), { refusal }));",
      replace: "void refusal; void withEmptyMessage; return response;",
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
      file: "packages/transcoder/src/bind-query.ts",
      find: "if (fields === undefined || bound.some((path) => startsWith(fields, path))) continue;",
      replace: "if (fields === undefined) continue;",
    },
    {
      file: "packages/transcoder/src/bind-request.ts",
      find: `const message = bindBody(route, body);
  if (route.body !== "whole") {
    const taken = typeof route.body === "object" ? [...route.variables, [route.body]] : route.variables;
    bindQuery(input, query, taken, message);
  }
  for (const [index, fields] of route.variables.entries()) {
    const leaf = fields.at(-1);
    if (leaf) placeLeaf(message, fields, readValue(leaf, values[index] ?? "", pathName(fields)));
  }`,
      replace: `const message = bindBody(route, body);
  for (const [index, fields] of route.variables.entries()) {
    const leaf = fields.at(-1);
    if (leaf) placeLeaf(message, fields, readValue(leaf, values[index] ?? "", pathName(fields)));
  }
  bindQuery(input, query, [], message);`,
    },
  ],
  /** Promise 5. The text of a search is written into the statement. */
  parameters: [
    {
      file: "packages/postgres/src/select-page.ts",
      find: "return sql`${live} and (${matches})`;",
      replace: `void matches; return (live + " and (true or 'x' = '" + search + "')") as never;`,
    },
    {
      file: "packages/postgres/src/select-page.ts",
      find: `const searched = search === "" ? [] : [searchPattern(search)];`,
      replace: "const searched: string[] = []; void searchPattern;",
    },
  ],
  /** Promise 8. Node serves all that it has read of a connection, at once. */
  inTurn: [
    {
      file: "gateway/src/gateway.ts",
      find: "const server = createServer(TIMEOUTS, serveInTurn(listener));",
      replace: "const server = createServer(TIMEOUTS, listener); void serveInTurn;",
    },
  ],
  /** Promise 8. The gateway reads a body, whatever its length, before it knows the caller. */
  callerBeforeBody: [
    {
      file: "gateway/src/create-listener.ts",
      find: "beforeLargeBody: checkCaller,",
      replace: "",
    },
  ],
  /** Promise 8. The first bytes are put back one by one, which wakes their reader. */
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
} satisfies Readonly<Record<string, readonly RemovedProtection[]>>;
