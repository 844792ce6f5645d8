import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { testFolder } from "@cloud/testkit";

type Values = Readonly<Record<string, string>>;

/** The Secrets of the namespace: variables of pods when they start, and files that follow at once. */
export interface Secrets {
  get(name: string): Values;
  set(name: string, values: Values): void;
  /** Sets some of its keys. */
  patch(name: string, values: Values): void;
  /** Deletes it, for a controller that creates it again. */
  delete(name: string): void;
  /** The folder where pods find its keys as files. */
  folderOf(name: string): string;
  /** Creates a Secret whenever it is missing, as cert-manager does. */
  keep(name: string, make: () => Values): void;
}

export function createSecrets(): Secrets {
  const all = new Map<string, Values>();
  const folders = new Map<string, string>();
  const makers = new Map<string, () => Values>();
  const folderOf = (name: string) => {
    const folder = folders.get(name) ?? testFolder();
    folders.set(name, folder);
    return folder;
  };
  const get = (name: string) => {
    const values = all.get(name);
    if (values === undefined) throw new Error(`secrets "${name}" not found`);
    return values;
  };
  const set = (name: string, values: Values) => {
    all.set(name, values);
    for (const [key, value] of Object.entries(values)) {
      writeFileSync(join(folderOf(name), key), value, { mode: 0o600 });
    }
  };
  return {
    get,
    set,
    folderOf,
    patch: (name, values) => set(name, { ...get(name), ...values }),
    delete: (name) => {
      get(name);
      all.delete(name);
      const make = makers.get(name);
      if (make !== undefined) set(name, make());
    },
    keep: (name, make) => {
      makers.set(name, make);
      set(name, make());
    },
  };
}
