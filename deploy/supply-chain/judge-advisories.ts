/** The findings of `npm audit`, and the exit code for them. */
export interface Advisories {
  readonly exitCode: 0 | 1 | 2;
  readonly text: string;
}

interface Audit {
  readonly metadata?: { readonly vulnerabilities: Readonly<Record<string, number>> };
  readonly vulnerabilities?: Readonly<Record<string, { readonly severity: string; readonly range: string }>>;
  readonly message?: string;
  readonly error?: { readonly summary?: string };
}

/** Judges the output of `npm audit --json`: 0 without an advisory, 1 with one, 2 if the registry gave no answer. */
export function judgeAdvisories(output: string): Advisories {
  const audit = parse(output);
  if (audit?.metadata === undefined || audit.vulnerabilities === undefined) {
    const reason = audit?.message ?? audit?.error?.summary ?? "no answer";
    return { exitCode: 2, text: `The advisories could not be read from the registry, so nothing is known: ${reason}` };
  }
  const found = Object.entries(audit.vulnerabilities);
  if (found.length === 0) return { exitCode: 0, text: "No advisory concerns an installed package." };
  const lines = found.map(([name, { severity, range }]) => `${severity}: ${name} ${range}`);
  return { exitCode: 1, text: lines.toSorted().join("\n") };
}

function parse(output: string): Audit | undefined {
  try {
    return JSON.parse(output) as Audit;
  } catch {
    return undefined;
  }
}
