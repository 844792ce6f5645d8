import { fileURLToPath } from "node:url";
import { programSettings } from "@cloud/runtime";
import type { z } from "@cloud/runtime/settings";
import { settings as gateway } from "../../gateway/src/gateway.ts";
import { migrateOnlySettings } from "../../packages/service/src/run-service.ts";
import { settings as environment } from "../../services/environment/src/service.ts";
import { bootstrapSettings } from "../../services/identity/src/bootstrap/run-bootstrap.ts";
import { settings as identity } from "../../services/identity/src/service.ts";
import { settings as workspace } from "../../services/workspace/src/service.ts";

/** The root of the repository. */
export const root = fileURLToPath(new URL("../../", import.meta.url));

export interface Program {
  readonly name: string;
  /** The build argument PROGRAM of the image. */
  readonly folder: string;
  readonly port: number;
  readonly operatorPort: number;
}

export const programs: readonly Program[] = [
  { name: "workspace", folder: "services/workspace", port: 8081, operatorPort: 9081 },
  { name: "environment", folder: "services/environment", port: 8082, operatorPort: 9082 },
  { name: "identity", folder: "services/identity", port: 8083, operatorPort: 9083 },
  { name: "gateway", folder: "gateway", port: 8080, operatorPort: 9080 },
];

export interface Setting {
  readonly name: string;
  readonly required: boolean;
  /** Reads it, as zod describes it. */
  readonly type: z.ZodType;
}

const shapes: Readonly<Record<string, z.ZodRawShape>> = { workspace, environment, identity, gateway };

/** Returns the environment variables that a program reads. */
export function settingsOf({ name, operatorPort }: Program): Setting[] {
  return settingsIn({ ...shapes[name], ...programSettings(operatorPort) });
}

/** The environment variables that a service reads with `MIGRATE=only`. */
export const migrationJobSettings: readonly Setting[] = settingsIn(migrateOnlySettings);

/** The environment variables that the command `bootstrap` of identity's image reads. */
export const bootstrapJobSettings: readonly Setting[] = settingsIn(bootstrapSettings);

function settingsIn(shape: z.ZodRawShape): Setting[] {
  return Object.entries(shape as Record<string, z.ZodType>).map(([name, type]) => ({
    name,
    required: !type.safeParse(undefined).success,
    type,
  }));
}
