import type { Variables } from "../runner/fill-in.ts";

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/;
/** Random by design. */
const SECRETS = new Set(["secret", "hint", "etag"]);

/**
 * Normalises a reply to compare it between surfaces: null counts as absent, because an absent Timestamp is null by REST
 * only, and a time counts by its instant, because REST writes three fractional digits where others write as many as
 * needed. With the variables of what was given to one surface only, these, the ids that the call created, times,
 * entity tags and secrets are replaced by their names.
 */
export function normaliseReply(reply: unknown, variables?: Variables, stable?: Variables): unknown {
  const names = [...(variables ?? [])].filter(([name, value]) => value !== "" && !stable?.has(name));
  const lasting = new Set(stable?.values());
  const text = (value: string): string => {
    if (TIME.test(value)) return variables === undefined ? String(Date.parse(value)) : "<time>";
    if (variables === undefined) return value;
    const named = names.reduce((rest, [name, secret]) => rest.replaceAll(secret, "$" + name), value);
    return named.replace(UUID, (id) => (lasting.has(id) ? id : "<id>"));
  };
  const walk = (value: unknown, key = ""): unknown => {
    if (variables !== undefined && SECRETS.has(key) && typeof value === "string") return "<secret>";
    if (typeof value === "string") return text(value);
    if (Array.isArray(value)) return value.map((item) => walk(item));
    if (typeof value !== "object" || value === null) return value;
    const entries = Object.entries(value).filter(([, item]) => item !== null);
    return Object.fromEntries(entries.map(([name, item]) => [name, walk(item, name)]));
  };
  return walk(reply);
}
