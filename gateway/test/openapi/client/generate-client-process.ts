/**
 * Generates a TypeScript client: `node generate-client-process.ts <document> <target> <where the generator is
 * installed>`.
 */
import { importFrom } from "@cloud/testkit/packages";

/** The part of the generator that is used here. */
interface Generator {
  createClient(options: object): Promise<unknown>;
}

const [input = "", output = "", installed = ""] = process.argv.slice(2);
const { createClient } = await importFrom<Generator>(installed, "@hey-api/openapi-ts");
await createClient({
  input,
  output,
  plugins: ["@hey-api/client-fetch", "@hey-api/typescript", "@hey-api/sdk"],
  logs: { level: "silent", file: false },
});
