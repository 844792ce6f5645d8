/** Links between two records of this service: no peer is involved. */
export interface LocalLinks {
  /** Used in log lines and metrics, such as `workspace-local-links`. */
  readonly name: string;
  /**
   * Of the next links after `after` (empty for the first), deletes those with a deleted end. Returns the last link
   * checked, empty when there are no more.
   */
  readonly sweep: (after: string, limit: number) => Promise<{ readonly ended: number; readonly last: string }>;
}
