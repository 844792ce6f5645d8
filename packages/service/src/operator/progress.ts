/** Reports about a command that takes long. */
interface Progress {
  /** Notes how far the command is. */
  step(text: string): void;
  stop(): void;
}

/** Seconds between two lines. A command that takes less is silent. */
const EVERY_S = 5;

/** Writes a line with the latest step, each five seconds while a command runs. */
export function startProgress(write: (line: string) => void): Progress {
  let latest = "";
  let seconds = 0;
  const timer = setInterval(() => {
    seconds += EVERY_S;
    write(`${seconds} s${latest}`);
  }, EVERY_S * 1_000);
  return {
    step: (text) => {
      latest = `: ${text}`;
    },
    stop: () => clearInterval(timer),
  };
}
