import type { System } from "../../chaos/system/start-system.ts";

/** Returns every secret that the system uses, by its name. */
export function secretsOf(system: System): Record<string, string> {
  const { demo, environments, superuserUrls } = system;
  const tokens = Object.entries(demo.users).map(([name, { token }]) => ["token of " + name, token] as const);
  const urls = Object.entries(superuserUrls).map(([name, url]) => ["superuser of " + name, url] as const);
  const variables = Object.entries(environments).flatMap(([service, env]) =>
    Object.entries(env).map(([name, value]) => [`${name} of ${service}`, value] as const),
  );
  const named = [
    ...tokens,
    ["serviceToken", demo.serviceToken] as const,
    ...[...urls, ...variables].flatMap(inVariable),
  ];
  return Object.fromEntries(named.filter(([, secret]) => secret.length >= 12));
}

/** Returns the password in a URL, or the value of a variable named after a secret, maybe a list of `name:secret`. */
function inVariable([name, value]: readonly [string, string]): (readonly [string, string])[] {
  if (URL.canParse(value) && new URL(value).password !== "") {
    return [[name, decodeURIComponent(new URL(value).password)]];
  }
  if (!/TOKEN|SECRET|PASSWORD|CREDENTIAL/.test(name)) return [];
  return value.split(",").map((part, index) => [`${name} ${index}`, part.split(":").at(-1) ?? ""] as const);
}
