/** Spells the field that an error names as RPC callers do: `page_size must be …` for `pageSize must be …`. */
export function spellForRpc(error: string): string {
  return error.replace(FIELD, (name) => name.replace(/[A-Z]/g, (letter) => "_" + letter.toLowerCase()));
}

/** Spells the field that an error names as REST callers do. */
export function spellForRest(error: string): string {
  return error.replace(FIELD, (name) => name.replace(/_([a-z])/g, (_match, letter: string) => letter.toUpperCase()));
}

const FIELD = /^\w+(?= must be | is required$)|(?<=^invalid )\w+(?= format$)/;
