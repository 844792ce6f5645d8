/**
 * Fills the variables of a documented path such as `/api/invitations/{id}:accept`, whose verb stays. `encodedValue`
 * returns the encoded value of a variable, by its name and the segment before it.
 */
export function fillPath(path: string, encodedValue: (variable: string, collection: string) => string): string {
  return path.replace(
    /([^/]*)\/\{(\w+)\}/g,
    (_, collection: string, variable: string) => `${collection}/${encodedValue(variable, collection)}`,
  );
}
