import type { ReceivedSpan } from "./otlp-receiver.ts";

/**
 * Writes spans as a tree: a line each, `<service> <kind> <name>`, indented below its parent, in the order of their
 * names.
 */
export function renderSpanTree(spans: readonly ReceivedSpan[]): string {
  const ids = new Set(spans.map(({ spanId }) => spanId));
  const roots = spans.filter(({ parentSpanId }) => !ids.has(parentSpanId));
  const render = (span: ReceivedSpan, depth: number): string[] => {
    const below = spans.filter(({ parentSpanId }) => parentSpanId === span.spanId).map((one) => render(one, depth + 1));
    const line = `${"  ".repeat(depth)}${span.service} ${span.kind} ${span.name}`;
    return [line, ...below.toSorted((a, b) => ((a[0] ?? "") < (b[0] ?? "") ? -1 : 1)).flat()];
  };
  return roots.flatMap((root) => render(root, 0)).join("\n");
}
