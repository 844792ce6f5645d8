import { all, at, type Json, text, texts } from "../json.ts";
import { nameOf, ofKind, titleOf, type World } from "./world.ts";

/** Finds routes to what does not exist, listeners without a certificate, and certificates without an issuer. */
export function brokenEdge(world: World): string[] {
  return [
    ...ofKind(world.objects, "HTTPRoute").flatMap((route) => [
      ...all(route, "spec.parentRefs.*").flatMap((parent) => brokenParent(world, route, parent)),
      ...all(route, "spec.rules.*.backendRefs.*").flatMap((backend) => brokenBackend(world, route, backend)),
    ]),
    ...ofKind(world.objects, "Gateway").flatMap((gateway) =>
      all(gateway, "spec.listeners.*").flatMap((listener) => brokenListener(world, gateway, listener)),
    ),
    ...ofKind(world.objects, "Certificate").flatMap((certificate) => brokenIssuer(world, certificate)),
  ];
}

function brokenParent({ objects }: World, route: Json, parent: Json): string[] {
  const gateway = ofKind(objects, "Gateway").find((one) => nameOf(one) === text(parent, "name"));
  const listener = all(gateway, "spec.listeners.*").find((one) => text(one, "name") === text(parent, "sectionName"));
  if (listener === undefined)
    return [`${titleOf(route)}: no listener ${text(parent, "name")}/${text(parent, "sectionName")}`];
  const hosts = texts(route, "spec.hostnames.*");
  return hosts
    .filter((host) => host !== text(listener, "hostname"))
    .map((host) => `${titleOf(route)}: the listener has no host ${host}`);
}

function brokenBackend({ services }: World, route: Json, backend: Json): string[] {
  const ports = services.find(({ name }) => name === text(backend, "name"))?.ports ?? [];
  const isThere = ports.some(({ number }) => number === at(backend, "port"));
  return isThere ? [] : [`${titleOf(route)}: no Service ${text(backend, "name")}:${String(at(backend, "port"))}`];
}

function brokenListener({ keys, objects }: World, gateway: Json, listener: Json): string[] {
  if (text(listener, "protocol") !== "HTTPS") return [];
  const secrets = texts(listener, "tls.certificateRefs.*.name");
  const certificates = ofKind(objects, "Certificate").filter((one) => secrets.includes(text(one, "spec.secretName")));
  const host = text(listener, "hostname");
  return [
    ...secrets
      .filter((name) => !keys.get(`Secret ${name}`)?.has("tls.key"))
      .map((name) => `${titleOf(gateway)}: no Secret ${name}`),
    ...certificates
      .filter((one) => !texts(one, "spec.dnsNames.*").includes(host))
      .map((one) => `${titleOf(one)} has no name ${host}`),
  ];
}

function brokenIssuer({ issuers }: World, certificate: Json): string[] {
  const reference = `${text(certificate, "spec.issuerRef.kind") || "Issuer"} ${text(certificate, "spec.issuerRef.name")}`;
  return issuers.has(reference) ? [] : [`${titleOf(certificate)}: no ${reference}`];
}
