/** Returns headers whose Vary names `fields`, too. */
export function withVary(headers: Readonly<Record<string, string>>, fields: string): Readonly<Record<string, string>> {
  const { Vary: known } = headers as { readonly Vary?: string };
  return { ...headers, Vary: known === undefined ? fields : `${known}, ${fields}` };
}
