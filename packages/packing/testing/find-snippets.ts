/** A part of a page that a reader does: writes a file, or types commands and compares what they print. */
export type Snippet =
  | { readonly kind: "file"; readonly name: string; readonly text: string }
  | { readonly kind: "commands"; readonly text: string; readonly prints: string | undefined };

/**
 * Returns what a reader of a Markdown page does, in its order. A block whose paragraph before ends with a file's name in
 * backticks and a colon is written to that file; a block of `sh` is typed; a block of `text` after it is what it prints.
 * Other blocks are read only.
 */
export function findSnippets(page: string): Snippet[] {
  const blocks = page.matchAll(/^(?<before>[^\n]*)\n\n```(?<language>\w*)[^\n]*\n(?<text>.*?)^```$/gms);
  const snippets: Snippet[] = [];
  for (const { groups: { before = "", language = "", text = "" } = {} } of blocks) {
    const [, name] = /`([\w./-]+\.\w+)`:$/.exec(before) ?? [];
    const last = snippets.at(-1);
    if (name !== undefined) snippets.push({ kind: "file", name, text });
    else if (language === "sh") snippets.push({ kind: "commands", text, prints: undefined });
    else if (language === "text" && last?.kind === "commands" && last.prints === undefined)
      snippets.splice(-1, 1, { ...last, prints: text });
  }
  return snippets;
}
