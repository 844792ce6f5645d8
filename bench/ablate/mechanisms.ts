import type { RemovedProtection } from "@cloud/testkit";

/** Something that exists for speed or for others' latency, and how it is taken from the sources of all programs. */
export interface Mechanism {
  readonly name: string;
  /** The requests whose path it is on, by the names of their contests; all if absent. */
  readonly requests?: readonly string[];
  readonly removed: readonly RemovedProtection[];
}

const LISTS = ["list of 25", "environments of a workspace"];

export const mechanisms: readonly Mechanism[] = [
  // Two systems that are the same: as far from 1 as the ratios of the others may be by chance.
  { name: "nothing", removed: [] },
  {
    name: "shared look-ups of tokens (ADR 3)",
    removed: [
      { marker: "shared-look-ups", instead: "maxBatchSize: 1," },
      { marker: "look-ups-in-turn", instead: "const semaphore = createSemaphore({ max: 1_000 });" },
    ],
  },
  {
    name: "reads by id share statements (ADR 19)",
    removed: [
      { marker: "shared-reads", instead: 'selectShared: (db: Reader) => (id: Row["id"]) => selectWith(live)(db, id),' },
    ],
  },
  {
    name: "reads cannot write (ADR 37)",
    removed: [
      {
        marker: "reads-cannot-write",
        instead: "void refuseWrites; const [result] = await sendTogether(client, [{ statement, params }]);",
      },
    ],
  },
  {
    name: "a share for heavy reads (ADR 23)",
    requests: LISTS,
    removed: [{ marker: "heavy-reads", instead: "undefined;" }],
  },
  {
    name: "a list is encoded from its rows (ADR 18)",
    requests: LISTS,
    // A message is made of the reply and encoded again; without the mechanism a row would become a message at once.
    removed: [{ marker: "encoded-replies", instead: "const isDecoded = reply instanceof EncodedReply;" }],
  },
  {
    name: "compiled JSON writers",
    removed: [{ marker: "json-writers", instead: "return writeGenerally;" }],
  },
  {
    // Without the sample each request has its line in each program, so the ratio is what a line costs.
    name: "one access line for 100 requests (ADR 30)",
    removed: [{ marker: "access-sample", instead: "if (share > 0) return true;" }],
  },
  {
    name: "the plain path of the RPC port (ADR 14)",
    removed: [{ marker: "plain-path", instead: "return undefined;" }],
  },
  {
    name: "the client of the RPC ports (ADR 14)",
    removed: [
      {
        marker: "rpc-client",
        instead: `
import { Agent as KeptConnections } from "node:http";
import { createConnectTransport as createTransportOfTheLibrary } from "@connectrpc/connect-node";

export function createServiceTransport(options: ServiceTransportOptions): ServiceTransport {
  if (true) {
    const agent = new KeptConnections({ keepAlive: true, maxSockets: 128 });
    const withCredential = (next) => (request) => {
      if (options.serviceToken !== undefined && !request.header.has("authorization")) {
        request.header.set("authorization", "Bearer " + options.serviceToken);
      }
      return next(request);
    };
    const transport = createTransportOfTheLibrary({
      baseUrl: options.url,
      httpVersion: "1.1",
      acceptCompression: [],
      defaultTimeoutMs: options.deadlineMs ?? 5_000,
      interceptors: [withCredential],
      nodeOptions: { agent },
    });
    return { unary: transport.unary, stream: transport.stream, close: () => agent.destroy() };
  }`,
      },
    ],
  },
];
