import * as z from "zod";

/** For how many days rows are kept that are no records. */
export interface RetentionConfig {
  /** The lines of the activity log or the audit log; 0 is indefinitely. */
  readonly logDays: number;
  /** Published events. Those that were applied are kept twice as long: one may be published again until then. */
  readonly outboxDays: number;
}

const days = (least: number, accepts: string) =>
  z.coerce.number({ error: accepts }).int(accepts).min(least, accepts).max(36_500, accepts);

const LOG_DAYS = "must be 0 (indefinitely), or 30 to 36500";

/**
 * The environment variables of retention. No log is shortened unless an operator has decided so: what must be kept, or
 * must not be, is a matter of law. The stream keeps its messages for 7 days, and is refilled from the outbox.
 */
export const retentionSettings = () => ({
  LOG_DAYS: days(0, LOG_DAYS)
    .refine((value) => value === 0 || value >= 30, { error: LOG_DAYS })
    .default(0)
    .describe(
      "days for which the workspace service keeps its activity log, and identity its audit log; 0 is indefinitely",
    ),
  OUTBOX_DAYS: days(7, "must be 7 to 36500")
    .default(7)
    .describe(
      "days for which published events are kept, from which a lost stream is refilled. Those that were applied are kept twice as long",
    ),
});

type Settings = Readonly<z.output<z.ZodObject<ReturnType<typeof retentionSettings>>>>;

export function retentionConfig({ LOG_DAYS: logDays, OUTBOX_DAYS: outboxDays }: Settings): RetentionConfig {
  return { logDays, outboxDays };
}

/** Of a service whose settings are all absent. */
export const DEFAULT_RETENTION: RetentionConfig = retentionConfig(z.object(retentionSettings()).parse({}));
