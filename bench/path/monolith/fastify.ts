import type { Server } from "node:http";

/**
 * The part of Fastify that the monolith uses. Fastify is installed at the start, so the compiler cannot find its types.
 */
export interface Fastify {
  fastify(options: { readonly logger: boolean }): FastifyInstance;
}

export interface FastifyInstance {
  readonly server: Server;
  ready(): PromiseLike<unknown>;
  get<Route extends Shape>(path: string, options: Options, handle: Handler<Route>): unknown;
  post<Route extends Shape>(path: string, options: Options, handle: Handler<Route>): unknown;
  delete<Route extends Shape>(path: string, options: Options, handle: Handler<Route>): unknown;
}

interface Shape {
  readonly Params?: object;
  readonly Querystring?: object;
  readonly Body?: object;
}

interface Options {
  readonly schema: object;
}

type Handler<Route extends Shape> = (
  request: {
    readonly headers: { readonly authorization?: string };
    readonly params: Route["Params"];
    readonly query: Route["Querystring"];
    readonly body: Route["Body"];
  },
  reply: { code(status: number): unknown },
) => Promise<unknown>;
