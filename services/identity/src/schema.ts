import { fileURLToPath } from "node:url";
import type { ServiceSchema } from "@cloud/service";

/** The schema of the service. Which role has which permission is decided by migrations. */
export const schema: ServiceSchema = {
  name: "identity",
  migrations: fileURLToPath(new URL("../migrations", import.meta.url)),
  appendOnly: ["audit_events"],
  readOnly: ["roles", "permissions", "role_permissions"],
};
