export { leastCpu, linearGrowth } from "./cpu-growth.ts";
export { type HostileNames, type HostileRequest, honestRequests, hostileRequests } from "./hostile-requests.ts";
