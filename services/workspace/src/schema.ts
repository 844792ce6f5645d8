import { fileURLToPath } from "node:url";
import type { ServiceSchema } from "@cloud/service";

/** The schema of the service. The activity log is never changed. */
export const schema: ServiceSchema = {
  name: "workspace",
  migrations: fileURLToPath(new URL("../migrations", import.meta.url)),
  appendOnly: ["activity_events"],
  readOnly: [],
};
