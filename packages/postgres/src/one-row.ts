/** Returns the row of a statement that always returns one. @throws TypeError when there is none. */
export function oneRow<Row>(result: { readonly rows: readonly Row[] }): Row {
  const [row] = result.rows;
  if (row === undefined) {
    throw new TypeError("a statement that always answers a row answered none");
  }
  return row;
}
