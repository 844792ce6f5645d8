/** Returns the forms in which a text would still betray a secret: itself, its hex, its escapes, its base64. */
export function formsOf(secret: string): string[] {
  const bytes = Buffer.from(secret);
  return [...new Set([secret, encodeURIComponent(secret), bytes.toString("hex"), ...base64Of(bytes)])];
}

/** Base64 of a longer text that contains the secret: of each alignment, what the neighbours do not change. */
function base64Of(bytes: Buffer): string[] {
  return [0, 1, 2].flatMap((before) => {
    const padded = Buffer.concat([Buffer.alloc(before), bytes]);
    const whole = padded.subarray(0, padded.length - (padded.length % 3)).toString("base64");
    const inner = whole.slice(before === 0 ? 0 : 4);
    return [inner, inner.replaceAll("+", "-").replaceAll("/", "_")];
  });
}
