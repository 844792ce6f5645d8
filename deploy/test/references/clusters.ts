import { text, texts } from "../json.ts";
import { addressesOf } from "./connections.ts";
import { containersOf } from "./mounts.ts";
import { variablesOf } from "./variables.ts";
import { nameOf, ofKind, titleOf, type World } from "./world.ts";

/** The suffix of the Service of a cluster's primary. */
const PRIMARY = /-rw$/;

/** Finds backups of clusters that do not exist, and databases and roles in use that their cluster does not create. */
export function brokenClusters(world: World): string[] {
  const clusters = ofKind(world.objects, "Cluster");
  const find = (name: string) => clusters.find((cluster) => nameOf(cluster) === name);
  return [
    ...ofKind(world.objects, "ScheduledBackup")
      .filter((backup) => find(text(backup, "spec.cluster.name")) === undefined)
      .map((backup) => `${titleOf(backup)}: no Cluster ${text(backup, "spec.cluster.name")}`),
    ...world.pods.flatMap((pod) =>
      addressesOf(world, pod).flatMap((url) => {
        const cluster = find(url.hostname.replace(PRIMARY, ""));
        if (cluster === undefined || !PRIMARY.test(url.hostname)) return [];
        const roles = [text(cluster, "spec.bootstrap.initdb.owner"), ...texts(cluster, "spec.managed.roles.*.name")];
        const used = containersOf(pod.spec).flatMap((one) => variablesOf(world, one).get("DATABASE_ROLE") ?? []);
        const database = url.pathname.slice(1);
        return [
          ...(text(cluster, "spec.bootstrap.initdb.database") === database ? [] : [`database ${database}`]),
          ...[url.username, ...used].filter((role) => !roles.includes(role)).map((role) => `role ${role}`),
        ].map((missing) => `${pod.owner}: ${titleOf(cluster)} has no ${missing}`);
      }),
    ),
  ];
}
