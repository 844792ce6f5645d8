import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { readArguments } from "../../services/identity/src/bootstrap/read-arguments.ts";
import { createSecret } from "../../services/identity/src/tokens/secret.ts";
import { buildManifests, type Manifest } from "./build-manifests.ts";
import { destinationsOf } from "./destinations.ts";
import { findManifest, onlyContainer, secretsOf, settingsIn } from "./find-manifest.ts";
import type { Deployment, NetworkPolicy } from "./manifest-types.ts";
import { root } from "./programs.ts";

const NAME = "identity-bootstrap";

let manifests: readonly Manifest[] = [];
let folder = "";
beforeAll(() => {
  manifests = buildManifests(`${root}deploy/base/bootstrap`);
  folder = mkdtempSync(join(tmpdir(), "bootstrap-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

// A Job has the pod of a Deployment.
const job = () => findManifest<Deployment>(manifests, "Job", NAME);
const container = () => onlyContainer(job());
const args = () => (container() as unknown as { readonly args: readonly string[] }).args;

test("runs the command of identity's image with arguments that it accepts, which Kubernetes fills in", () => {
  const file = join(folder, "token");
  const { secret } = createSecret();
  writeFileSync(file, `${secret}\n`);
  const settings = { ...settingsIn(manifests, container()), ORGANIZATION: "Example", EMAIL: "admin@example.com" };
  const [node, program, command, ...rest] = args().map((arg) =>
    arg
      .replace(/\$\((\w+)\)/g, (_all, name: keyof typeof settings) => settings[name] ?? "unset")
      .replace("/etc/cloud/bootstrap/token", file),
  );
  expect([container().image, node, program, command]).toEqual(["cloud/identity", "node", "operator.mjs", "bootstrap"]);
  expect(readArguments(rest)).toMatchObject({
    organization: "Example",
    email: "admin@example.com",
    firstName: "",
    lastName: "",
    secret: { secret },
    dryRun: false,
  });
});

test("has the program's role, the token from a Secret that only its group can read, and no other secret", () => {
  expect(secretsOf(container())).toEqual(["DATABASE_URL"]);
  const { volumes = [] } = job().spec.template.spec;
  expect(volumes.map(({ secret }) => secret)).toMatchObject([
    { secretName: "bootstrap-token", defaultMode: 0o440 },
    { secretName: "identity-database", defaultMode: 0o440 },
  ]);
  const mounts = container().volumeMounts?.map(({ mountPath, readOnly }) => [mountPath, readOnly]);
  expect(mounts).toEqual([
    ["/etc/cloud/bootstrap", true],
    ["/etc/cloud/database", true],
  ]);
});

test("runs without any privilege, like the programs, and is tried again while the schema is older", () => {
  expect(job().spec).toMatchObject({ backoffLimit: 8, ttlSecondsAfterFinished: 600 });
  expect(job().spec.template.spec).toMatchObject({
    restartPolicy: "Never",
    automountServiceAccountToken: false,
    enableServiceLinks: false,
    serviceAccountName: NAME,
  });
  // No id of a user or a group: a namespace of OpenShift has a range of its own.
  expect(job().spec.template.spec.securityContext).toEqual({
    runAsNonRoot: true,
    seccompProfile: { type: "RuntimeDefault" },
  });
  expect(container().securityContext).toEqual({
    allowPrivilegeEscalation: false,
    readOnlyRootFilesystem: true,
    capabilities: { drop: ["ALL"] },
  });
  expect(findManifest(manifests, "ServiceAccount", NAME)).toMatchObject({ automountServiceAccountToken: false });
});

test("connects to DNS and its Postgres, and accepts no connection", () => {
  const policy = findManifest<NetworkPolicy>(manifests, "NetworkPolicy", NAME);
  expect(destinationsOf(policy)).toEqual(
    [
      "53/UDP */k8s-app=kube-dns",
      "53/TCP */k8s-app=kube-dns",
      "5432/TCP */app.kubernetes.io/name=postgresql",
    ].toSorted(),
  );
  expect([policy.spec.policyTypes, policy.spec.ingress]).toEqual([["Ingress", "Egress"], undefined]);
});
