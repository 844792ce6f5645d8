export { leastCpu, linearGrowth } from "./cpu-growth.ts";
export { HONEST, HOSTILE, type HostileRequest } from "./hostile-requests.ts";
