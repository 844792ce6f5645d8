import { readdirSync } from "node:fs";
import { type DescMethodUnary, type DescService, getOption, hasOption } from "@bufbuild/protobuf";
import { http } from "@cloud/proto/google/api/annotations_pb";
import type { Method, Process } from "../runner/find-method.ts";

const GENERATED = new URL("../../../proto/gen/", import.meta.url);

const PROCESSES: Readonly<Record<string, Process>> = {
  "workspace.v1": "workspace",
  "environment.v1": "environment",
  "identity.v1": "identity",
  "academy.v1": "identity",
};

/**
 * Returns every unary method of the generated code that has a google.api.http rule, by `<package>.<service>/<method>`.
 * Streams have tests of their own: test/e2e/watches.
 */
export async function findExposedMethods(): Promise<ReadonlyMap<string, Method>> {
  const methods = (await loadServices())
    .flatMap(({ methods }) => methods)
    .filter((method) => method.methodKind === "unary" && hasOption(method, http));
  return new Map(methods.map((method) => [nameOf(method as DescMethodUnary), exposed(method as DescMethodUnary)]));
}

/**
 * Loads every service of the generated code. Found in the folder rather than named here, so that a service that is
 * added is not missed.
 */
export async function loadServices(): Promise<DescService[]> {
  const files = readdirSync(GENERATED, { recursive: true, encoding: "utf8" }).filter((file) => /_pb\.ts$/.test(file));
  const modules = files.map(async (file) => (await import(new URL(file, GENERATED).href)) as Record<string, unknown>);
  return (await Promise.all(modules)).flatMap((module) => Object.values(module)).filter(isService);
}

const isService = (value: unknown): value is DescService =>
  (value as { kind?: unknown } | undefined)?.kind === "service";

export const nameOf = ({ parent, name }: DescMethodUnary) => parent.typeName + "/" + name;

function exposed(desc: DescMethodUnary): Method {
  const process = PROCESSES[desc.parent.file.proto.package];
  if (desc.methodKind !== "unary" || process === undefined) throw new Error(nameOf(desc) + " is served by no process");
  return { process, desc, rule: getOption(desc, http) };
}
