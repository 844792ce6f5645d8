/** A kind of local reference to records that another service owns. */
export interface ReferenceKind {
  /** On log lines and metrics, such as `workspace-environment`. */
  readonly name: string;
  /** The next ids in use here, in order, after `after` (empty for the first); fewer than `limit` end the pass. */
  readonly page: (after: string, limit: number) => Promise<readonly string[]>;
  /** Those among the ids that live at their owner at the time of the call. Throws UNAVAILABLE without the owner. */
  readonly live: (ids: readonly string[]) => Promise<readonly string[]>;
  /** Ends what refers to a record that is gone, as the event of its deletion does. Answers whether there was any. */
  readonly end: (id: string) => Promise<boolean>;
}
