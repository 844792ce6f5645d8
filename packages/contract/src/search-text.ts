/**
 * Returns the text as searches compare it, like `search_text` of the services' schemas
 * (packages/service/migrations/0009_search_text.sql).
 */
export function searchText(text: string): string {
  return text.normalize("NFD").toUpperCase().toLowerCase().replaceAll("ς", "σ").replaceAll("ß", "ss");
}
