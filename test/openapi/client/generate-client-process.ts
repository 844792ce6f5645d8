import { registerHooks } from "node:module";

// The generator prints code with the compiler's JavaScript API, which TypeScript 7 does not have; gateway has an older one.
const gateway = new URL("../../../gateway/package.json", import.meta.url).href;
registerHooks({
  resolve: (specifier, context, next) =>
    next(specifier, specifier === "typescript" ? { ...context, parentURL: gateway } : context),
});

const [input = "", output = ""] = process.argv.slice(2);
const { createClient } = await import("@hey-api/openapi-ts");
await createClient({
  input,
  output,
  plugins: ["@hey-api/client-fetch", "@hey-api/typescript", "@hey-api/sdk"],
  logs: { level: "silent", file: false },
});
