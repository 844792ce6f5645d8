import { fileURLToPath } from "node:url";
import type { ServiceSchema } from "@cloud/service";

/** The schema of the service. */
export const schema: ServiceSchema = {
  name: "environment",
  migrations: fileURLToPath(new URL("../migrations", import.meta.url)),
  appendOnly: [],
  logs: [],
  readOnly: [],
};
