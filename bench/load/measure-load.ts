import { bundlePrograms } from "../harness/bundle-programs.ts";
import { startClient } from "../harness/start-client.ts";
import type { Part } from "../part.ts";
import { measureReplicas } from "./measure-replicas.ts";
import { measureTails } from "./measure-tails.ts";

/** Latencies below the peak, and what a second core adds on which a second replica of every program runs. */
export const measureLoad: Part = async (options, recorder) => {
  await using resources = new AsyncDisposableStack();
  const client = startClient();
  resources.defer(() => client.stop());
  const mainOf = await bundlePrograms();
  await measureReplicas({ client, mainOf, recorder, ...options });
  await measureTails({ client, mainOf, recorder, ...options });
};
