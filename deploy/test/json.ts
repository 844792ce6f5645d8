/** A value of a manifest. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/**
 * Returns the values at a path such as `spec.containers.*.env.*.name`, in which `*` is each item of a list or object.
 */
export function all(value: Json | undefined, path: string): Json[] {
  return path.split(".").reduce<Json[]>((values, key) => values.flatMap((one) => childrenOf(one, key)), listOf(value));
}

/** Returns the one value at a path, or undefined. */
export function at(value: Json | undefined, path: string): Json | undefined {
  return all(value, path)[0];
}

/** Returns the texts at a path; other values are left out. */
export function texts(value: Json | undefined, path: string): string[] {
  return all(value, path).filter((one) => typeof one === "string");
}

/** Returns the text at a path, empty if there is none. */
export function text(value: Json | undefined, path: string): string {
  return texts(value, path)[0] ?? "";
}

export function isObject(value: Json | undefined): value is { readonly [key: string]: Json } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Returns the entries of an object; none of anything else. */
export function entriesOf(value: Json | undefined): [string, Json][] {
  return isObject(value) ? Object.entries(value) : [];
}

/** Returns a copy with the value at a path of keys replaced or added, or removed if it is undefined. */
export function changed(value: Json, keys: readonly string[], replacement: Json | undefined): Json {
  const [key = "", ...rest] = keys;
  if (Array.isArray(value)) {
    const items = value as readonly Json[];
    if (Number(key) === items.length && replacement !== undefined) return [...items, replacement];
    return items.flatMap((item, index) => {
      if (String(index) !== key) return [item];
      const next = rest.length === 0 ? replacement : changed(item, rest, replacement);
      return next === undefined ? [] : [next];
    });
  }
  const { [key]: child, ...others } = isObject(value) ? value : {};
  const next = rest.length === 0 ? replacement : changed(child ?? {}, rest, replacement);
  return next === undefined ? others : { ...others, [key]: next };
}

function listOf(value: Json | undefined): Json[] {
  return value === undefined ? [] : [value];
}

function childrenOf(value: Json, key: string): Json[] {
  if (key === "*")
    return Array.isArray(value) ? [...(value as readonly Json[])] : Object.values(isObject(value) ? value : {});
  if (Array.isArray(value)) return listOf((value as readonly Json[])[Number(key)]);
  return listOf(isObject(value) ? value[key] : undefined);
}
