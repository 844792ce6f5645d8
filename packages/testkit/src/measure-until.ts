/**
 * Measures until the figures are good enough, at most `most` times, and returns the last ones. For latencies only:
 * other programs on the machine can only increase them, while a fault of the system shows every time. Counts must hold
 * in each attempt, which `measure` checks. With bounds in milliseconds `measure` is `calibrated`, and `fits` is `isInTime`.
 */
export async function measureUntil<T>(
  fits: (measured: T) => boolean,
  measure: () => Promise<T>,
  most = 3,
): Promise<T & { readonly attempts: number }> {
  for (let attempts = 1; ; attempts++) {
    const measured = await measure();
    if (fits(measured) || attempts === most) return { ...measured, attempts };
  }
}
