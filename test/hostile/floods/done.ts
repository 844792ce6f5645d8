/** The work that a flood's client has done. */
export interface Done {
  readonly opened: number;
  /** The connections that the server closed. */
  readonly closed: number;
  readonly sentBytes: number;
  readonly receivedBytes: number;
}
