import { TranscodingError } from "../errors/transcoding-error.ts";
import type { PathTemplate, TemplateVariable } from "../rules/path-template.ts";
import { percentDecode, percentDecodeBut } from "./percent-decode.ts";

/**
 * Returns the value of each variable in the segments of a path that the template matches; undefined for one with a
 * malformed escape. In those of several segments the escapes in `kept` stay. Throws a TranscodingError for such a segment
 * that no variable captures.
 */
export function readPathValues(
  template: PathTemplate,
  sent: readonly string[],
  kept: ReadonlySet<string>,
): (string | undefined)[] {
  const segments = template.verb === "" ? sent : withoutVerb(sent);
  assertFreeSegments(template, segments);
  return template.variables.map((variable) => readValue(template, variable, segments, kept));
}

function readValue(
  template: PathTemplate,
  { start, end }: TemplateVariable,
  sent: readonly string[],
  kept: ReadonlySet<string>,
) {
  const isDeep = template.segments[end - 1] === "**";
  if (end - start === 1 && !isDeep) return percentDecode(sent[start] ?? "");
  let value = "";
  for (let index = start; index < (isDeep ? sent.length : end); index++) {
    const part = percentDecodeBut(kept, sent[index] ?? "");
    if (part === undefined) return undefined;
    value += index === start ? part : `/${part}`;
  }
  return value;
}

function withoutVerb(sent: readonly string[]): string[] {
  const last = sent.at(-1) ?? "";
  return sent.with(-1, last.slice(0, last.lastIndexOf(":")));
}

/** Refuses malformed escapes in wildcards outside of variables, whose text is read nowhere else. */
function assertFreeSegments({ segments, free }: PathTemplate, sent: readonly string[]): void {
  for (const index of free) {
    const texts = sent.slice(index, segments[index] === "**" ? sent.length : index + 1);
    if (texts.some((text) => percentDecode(text) === undefined)) throw new TranscodingError("invalid-path");
  }
}
