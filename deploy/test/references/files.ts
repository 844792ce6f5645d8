import { all, entriesOf, type Json, text, texts } from "../json.ts";
import { containersOf } from "./mounts.ts";
import { variablesOf } from "./variables.ts";
import type { Pod, World } from "./world.ts";

/** Finds files that a variable names and that no Secret or ConfigMap puts there. */
export function missingFiles(world: World): string[] {
  return world.pods.flatMap((pod) =>
    containersOf(pod.spec).flatMap((container) => {
      const there = new Set(filesOf(world, pod, container));
      return [...variablesOf(world, container)].flatMap(([name, value]) =>
        namedBy(name, value ?? "")
          .filter((file) => !there.has(file))
          .map((file) => `${pod.owner}: ${name} names ${file}, which no volume has`),
      );
    }),
  );
}

/** Returns the files that a variable names: `…_FILE`, and the parameters of a URL of Postgres. */
function namedBy(name: string, value: string): string[] {
  if (name.endsWith("_FILE")) return [value];
  if (!value.startsWith("postgres")) return [];
  const { searchParams } = new URL(value);
  return ["sslrootcert", "sslcert", "sslkey", "passwordfile"].flatMap((parameter) => searchParams.get(parameter) ?? []);
}

function filesOf(world: World, { spec }: Pod, container: Json): string[] {
  return all(container, "volumeMounts.*").flatMap((mount) => {
    const volume = all(spec, "volumes.*").find((one) => text(one, "name") === text(mount, "name"));
    const sources = [volume ?? {}, ...all(volume, "projected.sources.*")];
    const names = sources
      .flatMap((source) => entriesOf(source))
      .flatMap(([kind, source]) => keysIn(world, kind, source));
    return names.map((file) => `${text(mount, "mountPath")}/${file}`);
  });
}

function keysIn({ keys }: World, kind: string, source: Json): string[] {
  if (kind !== "secret" && kind !== "configMap") return [];
  const paths = texts(source, "items.*.path");
  if (paths.length > 0) return paths;
  const name = text(source, "secretName") || text(source, "name");
  return [...(keys.get(`${kind === "secret" ? "Secret" : "ConfigMap"} ${name}`) ?? [])];
}
