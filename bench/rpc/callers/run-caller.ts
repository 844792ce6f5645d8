import type { Load, LoadResult } from "../../harness/load.ts";

/** Makes calls for each load that arrives as a message, like the client of HTTP, and replies with what came of them. */
export function runCaller(call: () => Promise<{ readonly allowed: boolean }>): void {
  const play = async ({ count, connections }: Load): Promise<LoadResult> => {
    const durations: number[] = [];
    const began = performance.now();
    let left = count;
    const caller = async () => {
      while (left-- > 0) {
        const startedAt = performance.now();
        const { allowed } = await call();
        if (!allowed) throw new Error("access was not allowed");
        durations.push(performance.now() - startedAt);
      }
    };
    await Promise.all(Array.from({ length: connections }, caller));
    return { statuses: { 200: durations.length }, durations, seconds: (performance.now() - began) / 1000 };
  };
  process.on("message", (load: Load) => {
    play(load).then(
      (result) => process.send?.({ result }),
      (error: Error) => process.send?.({ error: error.message }),
    );
  });
  process.on("disconnect", () => process.exit(0));
}
