/**
 * Runs actions after a delay, always in their original order, even if the delay becomes shorter: a stream whose bytes
 * overtake each other is a different stream.
 */
export function createDelayLine(): (ms: number, action: () => void) => void {
  const waiting: { due: number; action: () => void }[] = [];
  const arm = (due: number) => setTimeout(run, Math.max(0, due - performance.now())).unref();
  const run = () => {
    while (waiting[0] !== undefined && waiting[0].due <= performance.now()) waiting.shift()?.action();
    if (waiting[0] !== undefined) arm(waiting[0].due);
  };
  return (ms, action) => {
    if (ms === 0 && waiting.length === 0) return action();
    const due = Math.max(performance.now() + ms, waiting.at(-1)?.due ?? 0);
    if (waiting.push({ due, action }) === 1) arm(due);
  };
}
