import type { Telemetry } from "@cloud/telemetry";
import type { Readiness } from "./readiness.ts";

export interface OperatorPage {
  readonly status: number;
  readonly contentType: string;
  readonly body: string;
  /** Besides the type. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Writes the body, instead of `body`. Returns the function that ends it when the connection closes. */
  readonly stream?: (stream: PageStream) => () => void;
}

/** A body that is written bit by bit. */
export interface PageStream {
  /** Drops the text if the client has not yet read what came before: a later one says more. */
  write(text: string): void;
  end(): void;
}

/** The pages by path. */
export type OperatorPages = ReadonlyMap<string, () => Promise<OperatorPage>>;

const TEXT = "text/plain; charset=utf-8";

/** Creates `/healthz` (the process is alive), `/readyz` (it can do its work) and `/metrics` (Prometheus). */
export function createOperatorPages(
  readiness: () => Promise<Readiness>,
  { metrics, conditions }: Telemetry,
): OperatorPages {
  return new Map([
    ["/healthz", async () => healthPage],
    [
      "/readyz",
      async () => {
        const { ready, lines } = await readiness();
        const all = [...lines, ...conditions.list().map(({ name, message }) => `${name}: ${message}`)];
        return { status: ready ? 200 : 503, contentType: TEXT, body: `${all.join("\n")}\n` };
      },
    ],
    ["/metrics", async () => ({ status: 200, contentType: metrics.contentType, body: await metrics.metrics() })],
  ]);
}

/** The process responds: the same at any time, so that it may be shown to any client. */
export const healthPage: OperatorPage = { status: 200, contentType: TEXT, body: "ok\n" };
