/** Escapes text for HTML. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

/** Renders a comment as HTML: text between backticks becomes code, a line break or an empty line a line break. */
export function renderText(text: string): string {
  return escapeHtml(text)
    .replace(/`([^`]*)`/g, "<code>$1</code>")
    .replace(/\n+/g, "<br>");
}

/** Renders a table, or nothing if it has no rows. Cells are HTML. What may scroll has the focus, for keyboards. */
export function renderTable(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  if (rows.length === 0) return "";
  const head = heads.map((text) => `<th>${escapeHtml(text)}</th>`).join("");
  const body = rows.map((row) => `<tr>${row.map((cell) => `<td>${cell}</td>`).join("")}</tr>`).join("");
  return `<div class="table" tabindex="0"><table><thead><tr>${head}</tr></thead><tbody>${body}</tbody></table></div>`;
}
