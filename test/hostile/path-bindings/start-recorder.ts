import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import { create, type DescMessage, type Message } from "@bufbuild/protobuf";
import { takeStablePort } from "@cloud/testkit";
import { connectNodeAdapter } from "@connectrpc/connect-node";
import { loadServices } from "../../cases/surfaces/exposed-methods.ts";

/** Services that do nothing but keep what they are called with. */
export interface Recorder {
  readonly url: string;
  /** Takes the message of the call with this request id; undefined if there was none. */
  take(requestId: string): Message | undefined;
  stop(): Promise<void>;
}

export const newRequestId = (): string => randomUUID();

/** Starts one server for every service of the generated code. Each call is answered with an empty message. */
export async function startRecorder(): Promise<Recorder> {
  const received = new Map<string, Message>();
  const services = await loadServices();
  const handler = connectNodeAdapter({
    routes: (router) => {
      for (const service of services) {
        for (const method of service.methods.filter(({ methodKind }) => methodKind === "unary")) {
          router.rpc(
            method as never,
            ((request: Message, context: { requestHeader: Headers }) => {
              received.set(context.requestHeader.get("x-request-id") ?? "", request);
              return create(method.output as DescMessage);
            }) as never,
          );
        }
      }
    },
  });
  const server = createServer(handler);
  const port = await takeStablePort();
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${port}`,
    take: (requestId) => {
      const message = received.get(requestId);
      received.delete(requestId);
      return message;
    },
    stop: async () => {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}
