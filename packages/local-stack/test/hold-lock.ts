// A program that acquires the given lock when its input requests it, and holds it until the input ends: see
// local-folder.fault.test.ts.
import { acquireLocalLock } from "../src/local-lock.ts";

const [file = ""] = process.argv.slice(2);
process.stdout.write("ready\n");
process.stdin.once("data", () => {
  try {
    acquireLocalLock(file);
    process.stdout.write("locked\n");
  } catch (error) {
    process.stdout.write(`${(error as { fault?: string }).fault ?? String(error)}\n`);
  }
});
