import type { Texts } from "./collect-texts.ts";
import { formsOf } from "./secret-forms.ts";

/** Returns where which secret was found, as `<secret> in <place>`. */
export function findSecrets(texts: Texts, secrets: Readonly<Record<string, string>>): string[] {
  const forms = Object.entries(secrets).map(([name, secret]) => [name, formsOf(secret)] as const);
  return Object.entries(texts).flatMap(([place, text]) =>
    forms.filter(([, known]) => known.some((form) => text.includes(form))).map(([name]) => `${name} in ${place}`),
  );
}
