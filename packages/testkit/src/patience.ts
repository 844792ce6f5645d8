/**
 * For `openDatabase`, in tests of anything but its limits: a machine that stands still for a while is no reason to refuse a
 * statement.
 */
export const PATIENT_DATABASE = { connectTimeoutMs: 30_000, statementTimeoutMs: 30_000 } as const;
