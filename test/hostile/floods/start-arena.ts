import { type RemovedProtection, waitFor } from "@cloud/testkit";
import { startSystem } from "../../chaos/system/start-system.ts";
import { watchMemory } from "../wire/watch-memory.ts";
import { createCallers } from "./callers.ts";
import type { Arena } from "./measure-flood.ts";
import { startSink } from "./start-processes.ts";

/** Programs that have just started compile their code. */
const WARM_UP_MS = 5_000;

/** Starts the system, a sink, and callers that have warmed it up. */
export async function startArena(removeAlso: readonly RemovedProtection[] = []) {
  await using resources = new AsyncDisposableStack();
  const system = await startSystem({ removeAlso });
  resources.defer(() => system.stop());
  const sink = await startSink();
  resources.defer(() => sink.stop());
  const callers = createCallers(system);
  resources.defer(() => callers.close());
  const warming = callers.start();
  resources.defer(async () => void (await warming.stop()));
  await waitFor(() => warming.now() >= WARM_UP_MS || undefined, { deadlineMs: 2 * WARM_UP_MS });
  await warming.stop();
  const memory = watchMemory(system.programs).stop();
  const idle = Object.fromEntries(Object.entries(memory).map(([name, { after }]) => [name, after]));
  const running = resources.move();
  const arena: Arena = { system, callers, sink, idle };
  return { ...arena, stop: () => running.disposeAsync() };
}
