import type { UniversalRequest } from "./refuse-undecodable.ts";
import { sendsJson, sentJsonKey } from "./spell-as-caller.ts";

/** The prefix of a message of gRPC declares its length: one that is too long is refused before the rest arrives. */
const PREFIX_BYTES = 5;
/** As much as a read of Node's, so that a message of an ordinary client is not copied once more. */
const LEAST_BYTES = 65_536;

/**
 * Joins small chunks of a unary message before the library collects them: it does so in a time that grows with the
 * square of their number. 100,000 chunks of one byte took 7.5 s, in which no other call was served.
 */
export function joinChunks(request: UniversalRequest): UniversalRequest {
  const { body } = request;
  if (!isStream(body)) return request;
  return { ...request, body: sendsJson(request.header) ? kept(joined(body), request) : joined(body) };
}

function isStream(body: UniversalRequest["body"]): body is AsyncIterable<Uint8Array> {
  return typeof body === "object" && body !== null && Symbol.asyncIterator in body;
}

/** Keeps the beginning of the JSON of the first pass of a request. */
async function* kept(chunks: AsyncIterable<Uint8Array>, { contextValues }: UniversalRequest) {
  for await (const chunk of chunks) {
    if (contextValues?.get(sentJsonKey) === undefined) contextValues?.set(sentJsonKey, chunk);
    yield chunk; // protects: passed-chunks
  }
}

async function* joined(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let chunks: Uint8Array[] = [];
  let size = 0;
  let least = PREFIX_BYTES;
  for await (const chunk of body) {
    chunks.push(chunk);
    size += chunk.length;
    if (size < least) continue; // protects: joined-chunks
    yield chunks.length === 1 ? chunk : Buffer.concat(chunks);
    [chunks, size, least] = [[], 0, LEAST_BYTES];
  }
  if (size > 0) yield Buffer.concat(chunks);
}
