export { createRandom, type Random } from "../random.ts";
export { isLongRun, type Latencies, latenciesOf, measureUntil, runFigures, runSeed, writeReport } from "./figures.ts";
export {
  type Bound,
  beginJudgements,
  byControl,
  calibrated,
  isInTime,
  judgeTime,
  printNotJudged,
  timed,
} from "./judge-time.ts";
export { type Clients, type Load, type Sample, startClients, startLoad } from "./start-load.ts";
