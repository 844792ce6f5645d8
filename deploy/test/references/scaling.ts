import { MAX_REPLICA_CONNECTIONS } from "../../../packages/service/src/start-service.ts";
import { all, at, type Json, text } from "../json.ts";
import { nameOf, ofKind, titleOf, type World } from "./world.ts";

/** Connections for migrations, commands of operators, replication and monitoring. */
const OTHERS = 20;

/**
 * Finds autoscalers of what does not exist or has a number of its own, and that Postgres has too few connections for.
 */
export function brokenScaling({ objects }: World): string[] {
  return ofKind(objects, "HorizontalPodAutoscaler").flatMap((autoscaler) => {
    const [kind, name] = [text(autoscaler, "spec.scaleTargetRef.kind"), text(autoscaler, "spec.scaleTargetRef.name")];
    const target = ofKind(objects, kind).find((one) => nameOf(one) === name);
    if (target === undefined) return [`${titleOf(autoscaler)}: no ${kind} ${name}`];
    return [
      ...fixedReplicas(autoscaler, target),
      ...unmeasurable(autoscaler, target),
      ...tooMany(objects, autoscaler, name),
    ];
  });
}

function fixedReplicas(autoscaler: Json, target: Json): string[] {
  return at(target, "spec.replicas") === undefined
    ? []
    : [`${titleOf(autoscaler)}: each release would reset its number of replicas`];
}

/** A share of the processor time requested is nothing without a request. */
function unmeasurable(autoscaler: Json, target: Json): string[] {
  const requests = all(target, "spec.template.spec.containers.*").map((one) => at(one, "resources.requests.cpu"));
  return requests.includes(undefined) ? [`${titleOf(autoscaler)}: a container requests no processor time`] : [];
}

function tooMany(objects: readonly Json[], autoscaler: Json, name: string): string[] {
  const postgres = ofKind(objects, "Cluster").find((one) => nameOf(one) === `${name}-postgres`);
  if (postgres === undefined) return [];
  const max = Number(text(postgres, "spec.postgresql.parameters.max_connections"));
  // A pod more while a release replaces the pods one by one.
  const needed = (Number(at(autoscaler, "spec.maxReplicas")) + 1) * MAX_REPLICA_CONNECTIONS + OTHERS;
  return needed <= max ? [] : [`${titleOf(autoscaler)}: ${needed} connections, and ${titleOf(postgres)} has ${max}`];
}
