import { all, at, isObject, type Json, text, texts } from "../json.ts";
import { nameOf, ofKind, type Pod, type World } from "./world.ts";

/** Finds Secrets, ConfigMaps, their keys, volumes and accounts that pods name and that do not exist. */
export function brokenMounts(world: World): string[] {
  const accounts = new Set(ofKind(world.objects, "ServiceAccount").map(nameOf));
  return world.pods.flatMap((pod) => [
    ...missingVolumes(pod),
    ...sourcesOf(pod).flatMap((source) => missingKeys(world, pod, source)),
    ...texts(pod.spec, "serviceAccountName")
      .filter((name) => !accounts.has(name))
      .map((name) => `${pod.owner}: no ServiceAccount ${name}`),
  ]);
}

/** A Secret or ConfigMap that a pod names, with the keys that it needs. */
interface Source {
  readonly title: string;
  readonly keys: readonly string[];
  readonly isOptional: boolean;
}

function missingKeys({ keys }: World, { owner }: Pod, { title, keys: needed, isOptional }: Source): string[] {
  const known = keys.get(title);
  if (isOptional) return [];
  if (known === undefined) return [`${owner}: no ${title}`];
  return needed.filter((key) => !known.has(key)).map((key) => `${owner}: ${title} has no key ${key}`);
}

export const containersOf = (spec: Json) => [...all(spec, "initContainers.*"), ...all(spec, "containers.*")];

function sourcesOf({ spec }: Pod): Source[] {
  const containers = containersOf(spec);
  const variables = containers.flatMap((container) => all(container, "env.*.valueFrom"));
  const volumes = [...all(spec, "volumes.*"), ...all(spec, "volumes.*.projected.sources.*")];
  return [
    ...all(variables, "*.secretKeyRef").map((ref) => sourceOf("Secret", ref, "name", [text(ref, "key")])),
    ...all(variables, "*.configMapKeyRef").map((ref) => sourceOf("ConfigMap", ref, "name", [text(ref, "key")])),
    ...all(containers, "*.envFrom.*.configMapRef").map((ref) => sourceOf("ConfigMap", ref, "name", [])),
    ...all(containers, "*.envFrom.*.secretRef").map((ref) => sourceOf("Secret", ref, "name", [])),
    ...all(volumes, "*.secret")
      .filter(isObject)
      .map((volume) =>
        sourceOf(
          "Secret",
          volume,
          text(volume, "secretName") === "" ? "name" : "secretName",
          texts(volume, "items.*.key"),
        ),
      ),
    ...all(volumes, "*.configMap").map((volume) => sourceOf("ConfigMap", volume, "name", texts(volume, "items.*.key"))),
  ];
}

function sourceOf(kind: string, ref: Json, nameKey: string, keys: readonly string[]): Source {
  return { title: `${kind} ${text(ref, nameKey)}`, keys, isOptional: at(ref, "optional") === true };
}

function missingVolumes({ owner, spec }: Pod): string[] {
  const volumes = new Set(texts(spec, "volumes.*.name"));
  const mounted = containersOf(spec).flatMap((container) => texts(container, "volumeMounts.*.name"));
  return [
    ...mounted.filter((name) => !volumes.has(name)).map((name) => `${owner}: no volume ${name}`),
    ...[...volumes].filter((name) => !mounted.includes(name)).map((name) => `${owner}: volume ${name} is not mounted`),
  ];
}
