import type { IncomingHttpHeaders } from "node:http";
import { Readable } from "node:stream";
import type { ReadableStream as NodeReadableStream } from "node:stream/web";
import { type HttpRequest, type HttpResponse, isSendable, type ResponseStream } from "../http/messages.ts";
import { CLIENT_CLOSED_REQUEST, type Serve } from "../serving/serve.ts";

/** Serves a Request of fetch. Never rejects. */
export type FetchHandler = (request: Request) => Promise<Response>;

/** Creates the handler for runtimes and frameworks that pass requests in the form of fetch. */
export function createFetchHandler(serve: Serve): FetchHandler {
  return async (request) => {
    const served = serve(toHttpRequest(request));
    let status = CLIENT_CLOSED_REQUEST;
    let hasEnded = false;
    const end = (isSent: boolean) => {
      request.signal.removeEventListener("abort", abort);
      if (!hasEnded) served.end(status, isSent);
      hasEnded = true;
    };
    const abort = () => end(false);
    request.signal.addEventListener("abort", abort, { once: true });
    const content = (await served.response) ?? DISCONNECTED;
    status = content.status;
    try {
      const response = toResponse(request, content, end);
      // Without a connection that could close, the response counts as sent once it has been passed on.
      if (content.stream === undefined) end(content !== DISCONNECTED);
      return response;
    } catch {
      // A status that is none, or a body where there must be none.
      end(false);
      return new Response(null, { status: 500 });
    }
  };
}

const DISCONNECTED: HttpResponse = { status: CLIENT_CLOSED_REQUEST, headers: {}, body: undefined };

function toHttpRequest({ method, url, headers, body }: Request): HttpRequest {
  const stream = body === null ? Readable.from([]) : Readable.fromWeb(body as NodeReadableStream);
  stream.on("error", () => {});
  const fields: IncomingHttpHeaders = Object.fromEntries(headers);
  // A body of fetch need not declare its length.
  if (body !== null && fields["content-length"] === undefined) fields["transfer-encoding"] = "chunked";
  return Object.assign(stream, { method, url: targetOf(url), headers: fields, complete: body === null });
}

/**
 * Returns the target of a URL as it is written: parsing would remove the segments `.` and `..`, which are for the
 * binding to judge. (The constructor of Request has removed them; other runtimes and frameworks need not.)
 */
function targetOf(url: string): string {
  const [text = ""] = url.split("#", 1);
  const target = text.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?]*/i, "");
  return target.startsWith("/") ? target : `/${target}`;
}

function toResponse({ method }: Request, content: HttpResponse, end: (isSent: boolean) => void): Response {
  const { status, body, encoding = "utf8", stream } = content;
  const headers = Object.fromEntries(Object.entries(content.headers).filter((field) => isSendable(...field)));
  if (stream !== undefined && method !== "HEAD") return new Response(toBody(stream, end), { status, headers });
  if (stream !== undefined) end(true);
  const bytes = typeof body === "string" ? Buffer.from(body, encoding) : body;
  const length = bytes === undefined ? {} : { "Content-Length": String(bytes.byteLength) };
  const sent = bytes === undefined || method === "HEAD" ? null : new Uint8Array(bytes);
  return new Response(sent, { status, headers: { ...headers, ...length } });
}

/** A body that is asked for as it is read, and cut if it is not read for too long. */
function toBody(stream: ResponseStream, end: (isSent: boolean) => void): ReadableStream<Uint8Array> {
  let unread: NodeJS.Timeout | undefined;
  const encoder = new TextEncoder();
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        unread = watch(controller, stream, end);
      },
      async pull(controller) {
        clearTimeout(unread);
        const part = await stream.next();
        if (part === "end") {
          controller.close();
          end(true);
        } else if (part === "cut") {
          controller.error(new Error("the stream has failed"));
          end(false);
        } else {
          controller.enqueue(typeof part.chunk === "string" ? encoder.encode(part.chunk) : part.chunk);
          unread = watch(controller, stream, end);
        }
      },
      cancel() {
        clearTimeout(unread);
        end(false);
      },
    },
    // Nothing is read ahead: an error would drop parts that were, the last record among them.
    { highWaterMark: 0 },
  );
}

function watch(
  controller: ReadableStreamDefaultController<Uint8Array>,
  { unreadMs }: ResponseStream,
  end: (isSent: boolean) => void,
): NodeJS.Timeout {
  const cut = () => {
    controller.error(new Error("the response is not read"));
    end(false);
  };
  return setTimeout(cut, unreadMs).unref();
}
