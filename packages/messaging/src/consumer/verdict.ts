/**
 * The owner's verdict on an event that reports the deletion of one of its records. `confirmed`: the record is deleted.
 * `refuted`: it exists, so the event is forged, or the owner was restored to a moment before the deletion. `unknown`:
 * the owner never had the record, or has lost it.
 */
export type Verdict = "confirmed" | "refuted" | "unknown";
