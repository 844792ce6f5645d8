import { milliseconds } from "@cloud/config";

/** Read by the service, and by its command `reconcile`. */
export const graceSettings = () => ({
  RECONCILER_GRACE_MS: milliseconds(30_000).describe(
    "how long an event may be under way before a difference counts as one, in milliseconds",
  ),
});
