/** The values of `$NAME`, by NAME. */
export type Variables = Map<string, string>;

/**
 * Replaces the variables in every text of a value: a text that is only `$NAME`, and `${NAME}` within one. Keys stay as
 * they are. An unknown name throws an Error that lists the known ones.
 */
export function fillIn<T>(value: T, variables: Variables): T {
  if (typeof value === "string") return fillInText(value, variables) as T;
  if (Array.isArray(value)) return value.map((item) => fillIn(item, variables)) as T;
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, fillIn(item, variables)])) as T;
}

function fillInText(text: string, variables: Variables): string {
  const whole = /^\$([A-Za-z]\w*)$/.exec(text);
  if (whole?.[1] !== undefined) return lookUp(whole[1], variables);
  return text.replace(/\$\{(\w+)\}/g, (_, name: string) => lookUp(name, variables));
}

/** Returns the value of a variable, written with or without the dollar. */
export function lookUp(name: string, variables: Variables): string {
  const value = variables.get(name.replace(/^\$/, ""));
  if (value === undefined) throw new Error(`no variable "${name}"; there are ${[...variables.keys()].join(", ")}`);
  return value;
}
