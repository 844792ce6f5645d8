import { Ajv } from "ajv";
import type { Check } from "./schema.ts";

/** Compiles a JSON Schema of draft 7 or older. */
export function ajvCheck(schema: object): Check {
  const validate = new Ajv({ allErrors: true, strict: false, validateFormats: false }).compile(schema);
  return (value) => {
    validate(value);
    return (validate.errors ?? []).map(({ instancePath, message = "", params }) => {
      const name = (params as { readonly additionalProperty?: string }).additionalProperty;
      return name === undefined
        ? { path: instancePath, reason: message }
        : { path: `${instancePath}/${name}`, reason: "is not a field" };
    });
  };
}
