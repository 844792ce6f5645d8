import { importFrom } from "@cloud/testkit/packages";
import type { Json } from "../json.ts";
import type { Check, Violation } from "./schema.ts";

/** The packages that contain the schemas of what is no part of Kubernetes itself. */
const PACKAGES: Readonly<Record<string, string>> = {
  "cert-manager.io": "@kubernetes-models/cert-manager",
  "gateway.networking.k8s.io": "@kubernetes-models/gateway-api",
  "monitoring.coreos.com": "@kubernetes-models/prometheus-operator",
};

interface Finding {
  readonly instancePath: string;
  readonly message?: string;
  readonly keyword: string;
  readonly params: unknown;
}

type Model = new (data: Json) => { validate(): void };

/** Loads the JSON Schema of a kind, compiled by Ajv. Throws if no package that is installed contains it. */
export async function kubernetesCheck(installed: string, apiVersion: string, kind: string): Promise<Check> {
  const [group = ""] = apiVersion.split("/");
  const path = `${PACKAGES[group] ?? "kubernetes-models"}/${apiVersion}/${kind}`;
  const { [kind]: Model } = await importFrom<Record<string, Model>>(installed, path);
  if (Model === undefined) throw new Error(`${path} has no schema of ${kind}`);
  return (value) => violationsOf(Model, value);
}

function violationsOf(Model: Model, value: Json): Violation[] {
  try {
    new Model(value).validate();
    return [];
  } catch (error) {
    const { errors } = error as { readonly errors?: readonly Finding[] };
    if (errors === undefined) throw error;
    return errors.map(({ instancePath, message, keyword, params }) => ({
      path: instancePath,
      reason: message ?? `${keyword} ${JSON.stringify(params)}`,
    }));
  }
}
