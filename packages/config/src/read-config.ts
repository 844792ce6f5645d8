import * as z from "zod";

/** Thrown for an unusable environment; `problems` contains a line for each invalid variable. */
export class ConfigError extends Error {
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(`the configuration is not usable:\n${problems.map((problem) => `  ${problem}`).join("\n")}`);
    this.name = "ConfigError";
    this.problems = problems;
  }
}

/**
 * Reads the variables in `shape`, each by its zod type, into a frozen object with the same keys.
 *
 * An empty variable counts as absent, because Kubernetes and shells represent "not set" that way.
 *
 * @throws ConfigError that lists every missing or malformed variable at once, never its value (it may be a secret).
 */
export function readConfig<Shape extends z.ZodRawShape>(
  shape: Shape,
  env: Readonly<Record<string, string | undefined>>,
): Readonly<z.output<z.ZodObject<Shape>>> {
  const set = Object.fromEntries(Object.keys(shape).map((name) => [name, env[name] === "" ? undefined : env[name]]));
  const result = z.object(shape).safeParse(set);
  if (!result.success) {
    throw new ConfigError(result.error.issues.map((issue) => `${issue.path.join(".")}: ${issue.message}`));
  }
  return Object.freeze(result.data);
}
