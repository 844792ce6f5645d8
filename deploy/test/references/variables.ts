import { all, at, type Json, text, texts } from "../json.ts";
import { bootstrapJobSettings, migrationJobSettings, programs, type Setting, settingsOf } from "../programs.ts";
import { containersOf } from "./mounts.ts";
import { labelsAt, ofKind, type Pod, type World } from "./world.ts";

/** Finds variables of our programs that are set and not read, or required and not set. */
export function brokenVariables(world: World): string[] {
  return world.pods.flatMap((pod) => containersOf(pod.spec).flatMap((container) => ofContainer(world, pod, container)));
}

/** Returns the variables of a container by their names: their values, or undefined if a Secret has them. */
export function variablesOf({ objects }: World, container: Json): Map<string, string | undefined> {
  const maps = texts(container, "envFrom.*.configMapRef.name");
  const settings = ofKind(objects, "ConfigMap").filter((map) => maps.includes(text(map, "metadata.name")));
  const own = all(container, "env.*").map((variable) => {
    const value = at(variable, "value");
    return [text(variable, "name"), value === undefined ? undefined : String(value)] as const;
  });
  return new Map([...settings.flatMap((map) => Object.entries(labelsAt(map, "data"))), ...own]);
}

function ofContainer(world: World, { owner }: Pod, container: Json): string[] {
  const read = readBy(container, variablesOf(world, container));
  if (read === undefined) return [];
  const names = all(container, "env.*").map((variable) => text(variable, "name"));
  const set = variablesOf(world, container);
  const used = interpolated(container);
  const known = new Set([...read.map(({ name }) => name), ...used]);
  return [
    ...[...set.keys()].filter((name) => !known.has(name)).map((name) => `${owner}: ${name} is read by no program`),
    ...read
      .filter(({ name, required }) => required && !set.has(name))
      .map(({ name }) => `${owner}: ${name} is not set`),
    ...[...used].filter((name) => !set.has(name)).map((name) => `${owner}: $(${name}) is not set`),
    ...names.filter((name, index) => names.indexOf(name) !== index).map((name) => `${owner}: ${name} is set twice`),
    ...usedTooEarly(container).map((name) => `${owner}: $(${name}) is set after its use`),
  ];
}

/** Returns what the command of a container reads; undefined if it is no program of ours. */
function readBy(container: Json, set: ReadonlyMap<string, string | undefined>): readonly Setting[] | undefined {
  const image = text(container, "image").replace(/:[^/]*$/, "");
  const program = programs.find(({ name }) => image.endsWith(`cloud/${name}`));
  if (program === undefined) return undefined;
  if (texts(container, "args.*").includes("bootstrap")) return bootstrapJobSettings;
  return set.get("MIGRATE") === "only" ? migrationJobSettings : settingsOf(program);
}

const REFERENCE = /\$\((\w+)\)/g;
const referencesIn = (value: string) => [...value.matchAll(REFERENCE)].map(([, name = ""]) => name);

function interpolated(container: Json): Set<string> {
  return new Set([...texts(container, "env.*.value"), ...texts(container, "args.*")].flatMap(referencesIn));
}

/**
 * Returns the names that a value refers to too early: Kubernetes replaces only variables defined earlier in the list.
 */
function usedTooEarly(container: Json): string[] {
  const names = all(container, "env.*").map((variable) => text(variable, "name"));
  return all(container, "env.*").flatMap((variable, index) =>
    referencesIn(text(variable, "value")).filter((name) => names.indexOf(name) > index),
  );
}
