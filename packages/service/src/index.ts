export { reconcile } from "./reconciler/reconcile.ts";
export type { ReferenceKind } from "./reconciler/reference-kind.ts";
export { type ReconcilerOptions, type ReconcilerTimes, startReconciler } from "./reconciler/start-reconciler.ts";
export type { RunningService, ServiceConfig } from "./service-config.ts";
export { type ServiceParts, startService, type Wiring } from "./start-service.ts";
