import type { DescService } from "@bufbuild/protobuf";
import { type Client, createClient as createClientOf, type Transport } from "@connectrpc/connect";
import { createConnectTransport } from "@connectrpc/connect-node";
import { type CallSettings, createResilientTransport } from "./resilient-transport.ts";

/**
 * The address of the service: the URL of its RPC port, or a transport of one's own, for gRPC or client certificates.
 */
export type ClientOptions = CallSettings &
  ({ readonly url: string; readonly transport?: never } | { readonly transport: Transport; readonly url?: never });

/** The largest reply of a service. */
const MAX_REPLY_BYTES = 16 * 2 ** 20;

/**
 * Creates a typed client of a service, which speaks Connect over HTTP/1.1 if no transport is given. All its calls share
 * one budget of retries. Calls reject with a ConnectError.
 *
 * @throws RangeError for a setting out of its range; TypeError for a URL that is none
 */
export function createClient<T extends DescService>(service: T, options: ClientOptions): Client<T> {
  return createClientOf(service, createResilientTransport(options.transport ?? connectTo(options.url), options));
}

function connectTo(url: string): Transport {
  const { protocol, href } = new URL(url);
  if (!/^https?:$/.test(protocol)) throw new TypeError(`url must begin with http:// or https://: ${url}`);
  const baseUrl = href.replace(/\/$/, "");
  return createConnectTransport({ baseUrl, httpVersion: "1.1", readMaxBytes: MAX_REPLY_BYTES });
}
