import type { FieldPath, Route } from "../index.ts";

/** A path template as OpenAPI has it, where every parameter is within one segment. */
export interface ExpandedPath {
  /** The path, such as `/v1/shelves/{shelf}/books/{book}:archive`. */
  readonly path: string;
  readonly parameters: readonly PathPart[];
}

/** A wildcard of the template. */
export interface PathPart {
  readonly name: string;
  /** The field that it is the whole value of; undefined for a part of a value, and for a wildcard of no variable. */
  readonly field: FieldPath | undefined;
  /** The field that it is a part of. */
  readonly partOf: FieldPath | undefined;
  /** Whether it stands for any number of segments. */
  readonly isDeep: boolean;
}

/**
 * Expands a template: `{name=shelves/*}` becomes `shelves/{shelf}`, with a parameter for each wildcard. A parameter
 * that is all of a variable has the JSON name of its field, any other the singular of the literal before it.
 */
export function expandPath({ template, variables }: Route): ExpandedPath {
  const { segments, verb } = template;
  const parameters: PathPart[] = [];
  const texts = segments.map((segment, index) => {
    if (typeof segment === "object") return encodeLiteral(segment.literal);
    const at = template.variables.findIndex(({ start, end }) => start <= index && index < end);
    const bound = template.variables[at];
    const fields = variables[at];
    const isWhole = bound !== undefined && bound.end - bound.start === 1;
    const name = uniqueName(parameters, isWhole && fields ? nameOf(fields) : nameBefore(segments[index - 1], fields));
    const field = isWhole ? fields : undefined;
    parameters.push({ name, field, partOf: isWhole ? undefined : fields, isDeep: segment === "**" });
    return `{${name}}`;
  });
  return { path: `/${texts.join("/")}${verb === "" ? "" : `:${encodeLiteral(verb)}`}`, parameters };
}

/** Returns the path without the names of its parameters: OpenAPI forbids two paths that differ only in them. */
export function shapeOf({ path }: ExpandedPath): string {
  return path.replace(/\{[^}]*\}/g, "{}");
}

/** Returns a path of the same shape with the names of another. */
export function renameParameters({ path, parameters }: ExpandedPath, names: readonly string[]): ExpandedPath {
  let at = 0;
  return {
    path: path.replace(/\{[^}]*\}/g, () => `{${names[at++]}}`),
    parameters: parameters.map((parameter, index) => ({ ...parameter, name: names[index] ?? parameter.name })),
  };
}

function nameOf(fields: FieldPath): string {
  return fields.map(({ jsonName }) => jsonName).join(".");
}

type Segments = Route["template"]["segments"];

function nameBefore(before: Segments[number] | undefined, fields: FieldPath | undefined): string {
  const literal = typeof before === "object" ? before.literal : "";
  if (/^[A-Za-z_]\w*$/.test(literal)) return singular(literal);
  return fields ? nameOf(fields) : "segment";
}

function singular(word: string): string {
  if (/[^aeiou]ies$/.test(word)) return word.replace(/ies$/, "y");
  if (/lves$/.test(word)) return word.replace(/ves$/, "f");
  if (/(ss|x|z|ch|sh)es$/.test(word)) return word.replace(/es$/, "");
  return /[^s]s$/.test(word) ? word.replace(/s$/, "") : word;
}

function uniqueName(taken: readonly PathPart[], name: string): string {
  const isTaken = (candidate: string) => taken.some((other) => other.name === candidate);
  if (!isTaken(name)) return name;
  for (let count = 2; ; count++) if (!isTaken(`${name}${count}`)) return `${name}${count}`;
}

/** Encodes what a segment must not contain, and braces, which would be a parameter. */
function encodeLiteral(text: string): string {
  return encodeURIComponent(text).replace(/%(24|26|2B|2C|3B|3D|40)/g, decodeURIComponent);
}
