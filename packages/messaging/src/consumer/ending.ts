export const ENDINGS = ["applied", "parked", "released"] as const;

/** How the handling of a message ended; `released` to be delivered again. An event that was applied before is `applied`. */
export type Ending = (typeof ENDINGS)[number];
