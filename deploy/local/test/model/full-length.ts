import fc from "fast-check";

/**
 * `fc.commands` makes sequences of every length from none; this keeps drawing until one has `least` commands, so that
 * the runs are as long as they are said to be. Shrinking stays `fc.commands`'s own, below `least` too.
 */
export const fullLength = <Commands extends Iterable<unknown>>(commands: fc.Arbitrary<Commands>, least: number) =>
  new FullLength(commands, least);

// fast-check takes an own arbitrary in the form of a class only.
class FullLength<Commands extends Iterable<unknown>> extends fc.Arbitrary<Commands> {
  readonly #commands: fc.Arbitrary<Commands>;
  readonly #least: number;

  constructor(commands: fc.Arbitrary<Commands>, least: number) {
    super();
    this.#commands = commands;
    this.#least = least;
  }

  override generate(random: fc.Random, biasFactor: number | undefined): fc.Value<Commands> {
    for (;;) {
      const value = this.#commands.generate(random, biasFactor);
      if ([...value.value_].length >= this.#least) return value;
    }
  }

  override canShrinkWithoutContext(value: unknown): value is Commands {
    return this.#commands.canShrinkWithoutContext(value);
  }

  override shrink(value: Commands, context: unknown): fc.Stream<fc.Value<Commands>> {
    return this.#commands.shrink(value, context);
  }
}
