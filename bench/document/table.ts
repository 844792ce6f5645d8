import type { Spread } from "../harness/spread.ts";

/** Writes a median with its quartiles. */
export const spread = ({ median, lower, upper }: Spread) => `${median} (${lower}–${upper})`;

/** Renders a table in Markdown. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [head, head.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}
