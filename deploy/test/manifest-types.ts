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
    readonly valueFrom?: { readonly secretKeyRef: { readonly name: string; readonly key: string } };
  }[];
  readonly volumeMounts?: readonly { readonly name: string; readonly mountPath: string; readonly readOnly?: boolean }[];
  readonly startupProbe: Probe;
  readonly livenessProbe: Probe;
  readonly readinessProbe: Probe;
  readonly lifecycle?: unknown;
  readonly resources: unknown;
  readonly securityContext: unknown;
}

export interface InitContainer extends Pick<Container, "name" | "image" | "resources" | "securityContext"> {
  readonly env: readonly { readonly name: string; readonly value?: string; readonly valueFrom?: unknown }[];
  readonly envFrom?: unknown;
}

export interface Deployment extends Manifest {
  readonly spec: {
    readonly replicas: number;
    readonly template: {
      readonly metadata: { readonly annotations?: Readonly<Record<string, string>> };
      readonly spec: {
        readonly terminationGracePeriodSeconds: number;
        readonly securityContext: unknown;
        readonly containers: readonly Container[];
        readonly initContainers?: readonly InitContainer[];
        readonly volumes?: readonly {
          readonly name: string;
          readonly secret?: { readonly secretName: string; readonly defaultMode?: number };
          readonly projected?: { readonly defaultMode?: number };
        }[];
      };
    };
  };
}

export interface Service extends Manifest {
  readonly spec: { readonly ports: readonly unknown[] };
}

/** A Certificate of cert-manager. */
export interface Certificate extends Manifest {
  readonly spec: { readonly usages: readonly string[] };
}

export interface ConfigMap extends Manifest {
  readonly data: Record<string, string>;
}

export interface NetworkPolicy extends Manifest {
  readonly spec: {
    readonly podSelector: unknown;
    readonly policyTypes: readonly string[];
    readonly ingress: unknown;
    readonly egress?: readonly EgressRule[];
  };
}

interface EgressRule {
  readonly ports?: readonly { readonly port: number; readonly protocol?: string }[];
  readonly to?: readonly Peer[];
}

export interface Peer {
  readonly namespaceSelector?: object;
  readonly podSelector?: { readonly matchLabels: Readonly<Record<string, string>> };
}
