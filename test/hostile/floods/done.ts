/** What a flood's client has done. */
export interface Done {
  readonly opened: number;
  /** By the server. */
  readonly closed: number;
  readonly sentBytes: number;
  readonly receivedBytes: number;
}
