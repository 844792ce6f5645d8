import { startSystem } from "../../test/chaos/system/start-system.ts";
import { bundlePrograms } from "../harness/bundle-programs.ts";
import { holdContests } from "../harness/hold-contests.ts";
import { IMAGE_ENVIRONMENT } from "../harness/image-environment.ts";
import { mostResidentMb } from "../harness/memory.ts";
import { startClient } from "../harness/start-client.ts";
import type { Part } from "../part.ts";
import { assertSame } from "./assert-same.ts";
import { startChain } from "./chain/start-chain.ts";
import { pathContests } from "./contests.ts";
import { copyForMonolith } from "./copy-for-monolith.ts";
import { openLinks } from "./links.ts";
import { startMonolith } from "./monolith/start-monolith.ts";
import { chainContestant, findShared, monolithContestant, systemContestant } from "./system-contestant.ts";
import { pairsOfTenants, requestersOf, seedTenants } from "./tenants.ts";

/** Each user of `tenants.ts` has a connection. */
const CONNECTIONS = 64;
/** With fewer requests at a time, they share fewer look-ups: each costs more. */
const FEWER_CONNECTIONS = 16;

/** Measures the whole path of six requests, through gateway and services, beside a monolith that does the same work. */
export const measurePath: Part = async ({ seconds, rounds }, recorder) => {
  await using resources = new AsyncDisposableStack();
  // Passes of the reconciler would be counted.
  const system = await startSystem({
    mainOf: await bundlePrograms(),
    env: { ...IMAGE_ENVIRONMENT, RECONCILER_INTERVAL_MS: "600000" },
  });
  resources.defer(() => system.stop());
  const tenants = await seedTenants(system);
  await copyForMonolith(system.databaseUrl);
  const pairs = pairsOfTenants(tenants);
  const links = await openLinks(system.databaseUrl, pairs);
  resources.defer(() => links.close());
  const monolith = await startMonolith(system.databaseUrl);
  resources.defer(() => monolith.stop());
  const client = startClient();
  resources.defer(() => client.stop());
  for (const tenant of tenants.slice(0, 1)) await assertSame(system.gateway.url, monolith.url, tenant);
  const chain = await startChain(system.databaseUrl);
  resources.defer(() => chain.stop());

  const shared = await findShared(system);
  const contestants = [systemContestant(system, shared, links), monolithContestant(monolith, shared)];
  const options = { part: "path", recorder, client, connections: CONNECTIONS, rounds, seconds };
  const contests = pathContests(requestersOf(tenants), pairs, links);
  await holdContests(contests, contestants, options);
  for (const program of system.programs) {
    const name = { part: "path", what: "most resident memory", side: "cloud", program: program.name, unit: "MB" };
    recorder.record(name, [mostResidentMb(program.pid() ?? 0)]);
  }
  const getOne = (suffix: string) => contests.slice(0, 1).map((one) => ({ ...one, what: `${one.what}${suffix}` }));
  const fewer = { ...options, connections: FEWER_CONNECTIONS };
  await holdContests(getOne(` over ${FEWER_CONNECTIONS} connections`), contestants, fewer);
  const bare = [systemContestant(system, shared, links), chainContestant(chain, shared)];
  await holdContests(getOne(", beside a bare chain"), bare, options);
};
