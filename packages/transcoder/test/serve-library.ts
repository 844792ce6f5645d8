import { createServer, type Server } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { create, type DescMethod, type Message } from "@bufbuild/protobuf";
import type { Transport } from "@connectrpc/connect";
import { createTranscoder, type Transcoder } from "../src/create-transcoder.ts";
import type { TranscoderOptions } from "../src/transcoder-options.ts";
import { LibraryService } from "./gen/library/v1/library_pb.ts";
import { MediaService } from "./gen/library/v1/media_pb.ts";

/** A call that an RPC of the example receives. */
export interface Call {
  readonly method: string;
  readonly message: Message;
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
  readonly headers: Readonly<Record<string, string>>;
}

/** The reply of an RPC; an empty message if absent. */
export interface LibraryReply {
  readonly message?: Message;
  readonly messages?: AsyncIterable<Message>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly trailers?: Readonly<Record<string, string>>;
}

export type Behave = (call: Call) => Promise<LibraryReply>;

export interface Library {
  readonly transcoder: Transcoder;
  readonly url: string;
  readonly port: number;
  readonly server: Server;
  readonly calls: readonly Call[];
  close(): Promise<void>;
}

/** Returns the options of the example, whose RPCs do what `behave` does. `calls` receives what each is called with. */
export function libraryOptions(behave: Behave, calls?: Call[]): TranscoderOptions {
  const transport = exampleTransport(calls, behave);
  return {
    services: [LibraryService, MediaService].map((service) => ({ service, transport })),
  };
}

/** Creates the transcoder of the example. */
export function createLibrary(behave: Behave, options: Partial<TranscoderOptions> = {}) {
  const calls: Call[] = [];
  return { transcoder: createTranscoder({ ...libraryOptions(behave, calls), ...options }), calls };
}

/** Starts the example on a port of node:http. */
export async function serveLibrary(behave: Behave, options: Partial<TranscoderOptions> = {}): Promise<Library> {
  const { transcoder, calls } = createLibrary(behave, options);
  const server = createServer(transcoder.listener);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    transcoder,
    url: `http://127.0.0.1:${port}`,
    port,
    server,
    calls,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function exampleTransport(calls: Call[] | undefined, behave: Behave): Transport {
  const receive = (...[method, signal, timeoutMs, headers, message]: unknown[]): Call => {
    const call = { method: (method as DescMethod).name, message, signal, timeoutMs, headers } as Call;
    calls?.push(call);
    return call;
  };
  return {
    async unary(method: DescMethod, ...rest: unknown[]) {
      const { message, headers, trailers } = await behave(receive(method, ...rest));
      return {
        message: message ?? create(method.output),
        header: new Headers(headers),
        trailer: new Headers(trailers),
      };
    },
    async stream(method: DescMethod, ...rest: unknown[]) {
      const message = await firstOf(rest.at(-1) as AsyncIterable<Message>);
      const {
        messages = none(),
        headers,
        trailers = {},
      } = await behave(receive(method, ...rest.slice(0, -1), message));
      const trailer = new Headers();
      return { message: withTrailers(messages, trailer, trailers), header: new Headers(headers), trailer };
    },
  } as unknown as Transport;
}

async function firstOf(messages: AsyncIterable<Message>): Promise<Message | undefined> {
  for await (const message of messages) return message;
  return undefined;
}

async function* none(): AsyncGenerator<Message> {}

/** Receives trailers after the last message, as a client of RPCs does. */
async function* withTrailers(
  messages: AsyncIterable<Message>,
  trailer: Headers,
  received: Readonly<Record<string, string>>,
): AsyncGenerator<Message> {
  yield* messages;
  for (const [name, value] of Object.entries(received)) trailer.set(name, value);
}

/** Sends bytes unchanged and returns the server's output until it closes the connection. */
export function sendRaw(port: number, bytes: string | Buffer): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    let text = "";
    socket.on("data", (chunk) => {
      text += chunk;
    });
    socket.on("error", () => {}).on("close", () => resolve(text));
    socket.end(bytes);
  });
}

/** Sends a request and returns its response with the text of the body. */
export async function send({ url }: { readonly url: string }, method: string, path: string, init: RequestInit = {}) {
  const response = await fetch(url + path, { method, ...init });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

/** The body of a request, and its type. */
export const json = (body: string | Uint8Array, headers: Record<string, string> = {}) => ({
  body: typeof body === "string" ? body : new Uint8Array(body),
  headers: { "content-type": "application/json", ...headers },
});
