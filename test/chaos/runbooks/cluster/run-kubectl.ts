import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import type { Kubectl, Output } from "./control-plane.ts";
import type { Deployment, Pod } from "./deployment.ts";
import type { ClusterNats } from "./nats-server.ts";
import { type KubectlCommand, readKubectl } from "./read-kubectl.ts";
import { ROOT, runOperator, runProcess } from "./run-process.ts";
import type { Secrets } from "./secrets.ts";

/** The objects that the commands act on. */
export interface Namespace {
  readonly deployments: ReadonlyMap<string, Deployment>;
  readonly secrets: Secrets;
  readonly nats: ClusterNats;
  /** The outputs of Jobs, by name. */
  readonly jobs: Map<string, Output>;
  /** Returns the environment of a pod of the service, for a command that runs in the pod. */
  environmentOf(service: string): Readonly<Record<string, string>>;
  /** Applies a folder of manifests: runs its Job, and replaces pods. deploy/test shows that each is valid. */
  readonly overlays: ReadonlyMap<string, () => Promise<void>>;
}

type Run = (command: KubectlCommand, namespace: Namespace) => Promise<string | Output> | string | Output;

/** Creates a stand-in for kubectl. @throws Error for a command that no runbook uses */
export function createKubectl(namespace: Namespace): Kubectl {
  return async (args) => {
    const command = readKubectl(args);
    const output = await (RUNS[command.verb] as Run)(command, namespace);
    return typeof output === "string" ? { code: 0, stdout: output, stderr: "" } : output;
  };
}

const RUNS: Readonly<Record<string, Run>> = {
  exec: async ({ operands: [target = ""], command: [program = "", ...args] }, { nats, environmentOf }) => {
    if (target === "nats-0" && program === "nats-server") return nats.run(args);
    if (target === "nats-0" && program === "df") return await runProcess("df", [nats.storeFolder], {});
    const service = nameOf(target, "deploy");
    if (program !== "node" || args[0] !== "operator.mjs") throw new Error(`no image has ${program} ${args[0]}`);
    return await runOperator(service, args.slice(1), environmentOf(service));
  },
  "port-forward": ({ operands: [target = "", ports = ""] }, namespace) => {
    if (!ports.endsWith(":operator")) throw new Error(`no pod has the port ${ports}`);
    const [pod] = deploymentOf(target, namespace).pods();
    return new URL(pod?.program.operatorUrl ?? "").port;
  },
  logs: ({ operands: [target], flags }, namespace) => {
    if (target?.startsWith("job/")) return namespace.jobs.get(target.slice(4)) ?? missing(target);
    const lines = linesOf(target ?? flags["selector"] ?? "", namespace);
    const tail = Number(flags["tail"] ?? -1);
    return lines
      .slice(tail === -1 ? 0 : -tail)
      .map((line) => `${line}\n`)
      .join("");
  },
  "get pods": ({ flags: { selector = "" } }, namespace) => {
    const [label, name = ""] = selector.split("=");
    if (label !== "app.kubernetes.io/name") throw new Error(`no pod has the label ${label}`);
    if (name === "nats") return table([["nats-0", namespace.nats.isRunning() ? "Running" : "CrashLoopBackOff"]]);
    return table(
      deploymentOf(`deploy/${name}`, namespace)
        .pods()
        .map((pod) => [pod.name, statusOf(pod)]),
    );
  },
  "get secret": ({ operands: [name = ""], flags: { output = "" } }, { secrets }) => {
    const [, key = ""] = /^jsonpath=\{\.data\.(\w+)\}$/.exec(output) ?? [];
    return Buffer.from(secrets.get(name)[key] ?? missing(key)).toString("base64");
  },
  "describe pod": ({ operands: [name = ""] }, namespace) => {
    const pod = podOf(name, namespace);
    return `Name: ${name}\nStatus: ${statusOf(pod)}\n${pod.failure === undefined ? "" : "Last State: Terminated, Exit Code: 1\n"}`;
  },
  "label pod": async ({ operands: [name = "", label = ""] }, namespace) => {
    if (!label.startsWith("app.kubernetes.io/name=")) throw new Error("the pod stays in its Deployment");
    await ownerOf(name, namespace).replace(name);
    return `pod/${name} labeled\n`;
  },
  "delete pod": async ({ operands: [name = ""] }, namespace) => {
    if (name === "nats-0") await restartNats(namespace.nats);
    else await ownerOf(name, namespace).replace(name);
    return `pod "${name}" deleted\n`;
  },
  "delete secret": ({ operands: [name = ""] }, { secrets }) => {
    secrets.delete(name);
    return `secret "${name}" deleted\n`;
  },
  "delete job": ({ operands: [name = ""] }, { jobs }) => {
    jobs.delete(name);
    return "";
  },
  "rollout restart": async ({ operands: [target = ""] }, namespace) => {
    if (target === "statefulset/nats") await restartNats(namespace.nats);
    else await deploymentOf(target, namespace).restart();
    return `${target} restarted\n`;
  },
  "rollout status": ({ operands: [target = ""] }, namespace) => {
    const pods = target === "statefulset/nats" ? [] : deploymentOf(target, namespace).pods();
    const failed = pods.filter(({ program }) => !program.isRunning());
    if (failed.length > 0) throw new Error(`${target} exceeded its progress deadline`);
    return `${target} successfully rolled out\n`;
  },
  "rollout undo": async ({ operands: [target = ""] }, namespace) => {
    await deploymentOf(target, namespace).undo();
    return `${target} rolled back\n`;
  },
  scale: async ({ operands: [target = ""], flags: { replicas } }, namespace) => {
    await deploymentOf(target, namespace).scale(Number(replicas));
    return `${target} scaled\n`;
  },
  "set env": async ({ operands: [target = "", setting = ""] }, namespace) => {
    const [name = "", ...value] = setting.split("=");
    await deploymentOf(target, namespace).setEnvironment({ [name]: value.join("=") });
    return `${target} env updated\n`;
  },
  "patch secret": ({ operands: [name = ""], flags: { patch = "" } }, { secrets }) => {
    const { stringData } = JSON.parse(patch) as { stringData: Record<string, string> };
    secrets.patch(name, stringData);
    return `secret/${name} patched\n`;
  },
  "patch hpa": async ({ operands: [name = ""], flags: { patch = "" } }, namespace) => {
    const { spec } = parse(readFileSync(join(ROOT, `deploy/overlays/production/${name}/autoscaler.yaml`), "utf8")) as {
      spec: { minReplicas: number };
    };
    const { minReplicas } = { ...spec, ...(JSON.parse(patch) as { spec: Partial<typeof spec> }).spec };
    const deployment = deploymentOf(`deploy/${name}`, namespace);
    if (deployment.pods().length < minReplicas) await deployment.scale(Math.min(minReplicas, deployment.max));
    return `horizontalpodautoscaler/${name} patched\n`;
  },
  apply: async ({ flags: { kustomize = "" } }, { overlays }) => {
    if (!existsSync(join(ROOT, kustomize, "kustomization.yaml"))) missing(kustomize);
    await (overlays.get(kustomize) ?? missing(kustomize))();
    return "configured\n";
  },
  wait: ({ operands: [target = ""] }, { jobs }) => {
    const { code, stderr } = jobs.get(nameOf(target, "job")) ?? missing(target);
    if (code !== 0) throw new Error(`timed out waiting for the condition on ${target}: ${stderr}`);
    return `${target} condition met\n`;
  },
};

function missing(what: string): never {
  throw new Error(`"${what}" not found`);
}

function nameOf(target: string, kind: string): string {
  return target.startsWith(`${kind}/`) ? target.slice(kind.length + 1) : missing(target);
}

const deploymentOf = (target: string, { deployments }: Namespace) =>
  deployments.get(nameOf(target, "deploy")) ?? missing(target);

const ownerOf = (pod: string, { deployments }: Namespace) =>
  [...deployments.values()].find((one) => one.pods().some(({ name }) => name === pod)) ?? missing(pod);

const podOf = (name: string, namespace: Namespace) =>
  ownerOf(name, namespace)
    .pods()
    .find((pod) => pod.name === name) ?? missing(name);

async function restartNats(nats: ClusterNats): Promise<void> {
  if (nats.isRunning()) await nats.kill();
  await nats.start();
}

/** Returns the log of one pod of a Deployment, as kubectl does, or the logs of all pods that a selector names. */
function linesOf(target: string, namespace: Namespace): string[] {
  if (target === "nats-0") return namespace.nats.log().trimEnd().split("\n");
  if (target.startsWith("app.kubernetes.io/name=")) {
    return deploymentOf(`deploy/${target.split("=")[1]}`, namespace)
      .pods()
      .flatMap(logOf);
  }
  const pods = target.startsWith("deploy/")
    ? deploymentOf(target, namespace).pods().slice(0, 1)
    : [podOf(target, namespace)];
  return pods.flatMap(logOf);
}

const logOf = ({ program }: Pod) =>
  program.log().map((line) => (line.level === "raw" ? line.msg : JSON.stringify(line)));

const statusOf = ({ program, failure }: Pod) =>
  failure !== undefined ? "CrashLoopBackOff" : program.isRunning() ? "Running" : "Completed";

const table = (rows: readonly (readonly string[])[]) =>
  [["NAME", "STATUS"], ...rows].map(([name = "", status]) => `${name.padEnd(30)}${status}\n`).join("");
