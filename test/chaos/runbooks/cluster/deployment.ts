import { type Program, waitFor } from "@cloud/testkit";
import type { FaultProxy } from "@cloud/testkit/faults";

type Environment = Readonly<Record<string, string>>;

export interface Pod {
  readonly name: string;
  readonly program: Program;
  /** The last output of the program if it did not start. */
  readonly failure: string | undefined;
}

/** The replicas of a program, as a Deployment of Kubernetes keeps them. */
export interface Deployment {
  readonly name: string;
  pods(): readonly Pod[];
  /** The replicas that the system was started with: there are never more. */
  readonly max: number;
  scale(replicas: number): Promise<void>;
  /** Replaces one pod after the other. Stops at the first that does not start, while the others serve on. */
  restart(): Promise<void>;
  /** Changes variables, and replaces the pods. */
  setEnvironment(changed: Environment): Promise<void>;
  /** Reverts the last change of variables. @throws Error if there was none */
  undo(): Promise<void>;
  /** Replaces a pod by another of the same number. */
  replace(pod: string): Promise<void>;
  /** Returns the variables that a pod has when it starts now, besides the variables that all pods have. */
  environment(): Environment;
}

export interface DeploymentOptions {
  readonly name: string;
  readonly programs: readonly Program[];
  /** The proxy that spreads connections over the programs. */
  readonly balancer: FaultProxy | undefined;
  /** The variables that its Secrets have now. */
  readonly fromSecrets: () => Environment;
}

const DEADLINE_MS = 30_000;

export function createDeployment({ name, programs, balancer, fromSecrets }: DeploymentOptions): Deployment {
  const failures = new Map<Program, string>();
  const revisions: Environment[] = [{}];
  let wanted = programs.length;
  const environment = () => ({ ...revisions.at(-1), ...fromSecrets() });
  const podOf = (program: Program): Pod => ({
    name: `${name}-${programs.indexOf(program)}`,
    program,
    failure: failures.get(program),
  });
  const spread = (without?: Program) => {
    const serving = programs.filter((program) => program !== without && program.isRunning());
    balancer?.setTargets(serving.map(({ port }) => ({ host: "127.0.0.1", port })));
  };
  const stop = async (program: Program) => {
    spread(program);
    await program.stop();
  };
  const start = async (program: Program) => {
    program.setEnvironment(environment());
    failures.delete(program);
    try {
      await program.start();
    } catch (error) {
      failures.set(program, (error as Error).message);
      throw error;
    }
    await waitFor(async () => (await isReady(program)) || undefined, { deadlineMs: DEADLINE_MS });
    spread();
  };
  const restart = async () => {
    for (const program of programs.slice(0, wanted)) {
      await stop(program);
      await start(program);
    }
  };
  return {
    name,
    environment,
    max: programs.length,
    pods: () => programs.slice(0, wanted).map(podOf),
    restart,
    scale: async (replicas) => {
      if (replicas > programs.length) throw new Error(`the system has ${programs.length} replicas of ${name}`);
      wanted = replicas;
      for (const program of programs.slice(wanted).filter((one) => one.isRunning())) await stop(program);
      for (const program of programs.slice(0, wanted).filter((one) => !one.isRunning())) await start(program);
    },
    setEnvironment: async (changed) => {
      revisions.push({ ...revisions.at(-1), ...changed });
      await restart();
    },
    undo: async () => {
      if (revisions.length === 1) throw new Error("no rollout history found");
      revisions.pop();
      await restart();
    },
    replace: async (pod) => {
      const found = programs.slice(0, wanted).find((program) => podOf(program).name === pod);
      if (found === undefined) throw new Error(`pods "${pod}" not found`);
      await stop(found);
      await start(found);
    },
  };
}

async function isReady({ operatorUrl }: Program): Promise<boolean> {
  return (await fetch(`${operatorUrl}/readyz`)).ok;
}
