import type { Manifest } from "../build-manifests.ts";
import { brokenClusters } from "./clusters.ts";
import { connectionsOf } from "./connections.ts";
import { brokenEdge } from "./edge.ts";
import { missingFiles } from "./files.ts";
import { brokenMounts } from "./mounts.ts";
import { neededByNone, refusedBy } from "./policies.ts";
import { brokenScaling } from "./scaling.ts";
import { brokenSelectors } from "./selectors.ts";
import { brokenVariables } from "./variables.ts";
import { type Outside, type World, worldOf } from "./world.ts";

/** Returns a line for each reference of the manifests to what does not exist, or what a policy refuses. */
export function findBroken(manifests: readonly Manifest[], outside: Outside): string[] {
  const world = worldOf(manifests, outside);
  return [
    ...brokenSelectors(world),
    ...brokenMounts(world),
    ...missingFiles(world),
    ...brokenVariables(world),
    ...brokenEdge(world),
    ...brokenScaling(world),
    ...brokenClusters(world),
    ...brokenConnections(world),
  ];
}

function brokenConnections(world: World): string[] {
  const { needed, problems } = connectionsOf(world);
  const refused = needed.flatMap((connection) =>
    refusedBy(world, connection).map(
      (policy) => `${connection.from.owner} to ${connection.to.owner}:${connection.port}: refused by the ${policy}`,
    ),
  );
  return [...problems, ...new Set([...refused, ...world.pods.flatMap((pod) => neededByNone(world, pod, needed))])];
}
