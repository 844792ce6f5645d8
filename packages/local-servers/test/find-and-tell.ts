// A program that tells what findNatsServer answers, for an environment of its own: see start-nats.int.test.ts.
import { findNatsServer } from "../src/index.ts";

const lines: string[] = [];
const found = await findNatsServer({ cacheFolder: process.argv[2] ?? "", log: (line) => lines.push(line) });
process.stdout.write(JSON.stringify({ found: found ?? "none", lines }));
