import { readFileSync } from "node:fs";
import { parse } from "yaml";
import type { Manifest } from "./build-manifests.ts";
import { at, entriesOf, type Json, text, texts } from "./json.ts";
import { programs, root } from "./programs.ts";

/** Returns compose.yaml with its merges (`<<`) carried out, as Docker reads it. */
export function readCompose(): Json {
  return parse(readFileSync(`${root}compose.yaml`, "utf8"), { merge: true }) as Json;
}

/** The ports that the official images listen on. */
const OFFICIAL: Readonly<Record<string, number>> = { postgres: 5432, nats: 4222 };

/** Describes each service as a Deployment and a Service, so that the rules for manifests apply to it. */
export function manifestsOf(compose: Json): Manifest[] {
  return entriesOf(at(compose, "services")).flatMap(([name, service]) => [
    deploymentOf(name, service),
    ...portsOf(service).map((port) => serviceOf(name, port)),
  ]) as unknown as Manifest[];
}

function deploymentOf(name: string, service: Json): Json {
  const env = entriesOf(at(service, "environment")).map(([key, value]) => ({ name: key, value }));
  const ports = portsOf(service).map((containerPort) => ({ containerPort }));
  const container: Json = { name, image: text(service, "image"), args: texts(service, "command.*"), env, ports };
  const labels = { service: name };
  const template: Json = { metadata: { labels }, spec: { containers: [container] } };
  return { kind: "Deployment", metadata: { name }, spec: { selector: { matchLabels: labels }, template } };
}

function serviceOf(name: string, port: number): Json {
  const ports = [{ port, targetPort: port }];
  return { kind: "Service", metadata: { name }, spec: { selector: { service: name }, ports } };
}

function portsOf(service: Json): number[] {
  const [image = ""] = text(service, "image").split(":");
  const program = programs.find(({ name }) => image === `cloud/${name}`);
  const isCommand = texts(service, "command.*").includes("bootstrap");
  if (program !== undefined) return isCommand ? [] : [program.port];
  const port = OFFICIAL[image];
  if (port === undefined) throw new Error(`the port of ${image} is not known here`);
  return [port];
}
