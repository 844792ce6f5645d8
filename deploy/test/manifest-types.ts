import type { Manifest } from "./build-manifests.ts";

interface Probe {
  readonly httpGet: { readonly path: string; readonly port: string };
}

export interface Container {
  readonly name: string;
  readonly image: string;
  readonly ports: readonly { readonly name: string; readonly containerPort: number }[];
  readonly envFrom: readonly { readonly configMapRef: { readonly name: string } }[];
  readonly env?: readonly {
    readonly name: string;
    readonly valueFrom: { readonly secretKeyRef: { readonly key: string } };
  }[];
  readonly startupProbe: Probe;
  readonly livenessProbe: Probe;
  readonly readinessProbe: Probe;
  readonly lifecycle?: unknown;
  readonly resources: unknown;
  readonly securityContext: unknown;
}

export interface Deployment extends Manifest {
  readonly spec: {
    readonly replicas: number;
    readonly template: {
      readonly spec: { readonly terminationGracePeriodSeconds: number; readonly containers: readonly Container[] };
    };
  };
}

export interface Service extends Manifest {
  readonly spec: { readonly ports: readonly unknown[] };
}

export interface ConfigMap extends Manifest {
  readonly data: Record<string, string>;
}

export interface NetworkPolicy extends Manifest {
  readonly spec: { readonly podSelector: unknown; readonly policyTypes: unknown; readonly ingress: unknown };
}
