import type { Manifest } from "./build-manifests.ts";
import type { ConfigMap, Container, Deployment } from "./manifest-types.ts";

/** Returns the one manifest of this kind and name. Throws when there is none, or more. */
export function findManifest<Kind extends Manifest>(manifests: readonly Manifest[], kind: string, name: string): Kind {
  const found = manifests.filter((manifest) => manifest.kind === kind && manifest.metadata.name === name);
  return only(found, `${kind} named ${name}`) as Kind;
}

/** Returns the container of a Deployment. Throws when it has more than one. */
export function onlyContainer(deployment: Deployment): Container {
  return only(deployment.spec.template.spec.containers, "container");
}

/** Returns the variables that the container gets from its ConfigMap. */
export function settingsIn(manifests: readonly Manifest[], { envFrom }: Container): Record<string, string> {
  const { name } = only(envFrom, "source of settings").configMapRef;
  return findManifest<ConfigMap>(manifests, "ConfigMap", name).data;
}

/** Returns the variables from Secrets. Throws when one differs from the name of its key, which is what we document. */
export function secretsOf({ env = [] }: Container): string[] {
  return env.map(({ name, valueFrom }) => {
    const key = valueFrom?.secretKeyRef.key;
    if (key !== name) throw new Error(`${name} is taken from ${key}`);
    return name;
  });
}

function only<Item>(items: readonly Item[], what: string): Item {
  const [item, ...more] = items;
  if (item === undefined || more.length > 0) throw new Error(`one ${what} is expected`);
  return item;
}
