import fc from "fast-check";

/**
 * `fc.commands` creates sequences of any length, including none; this draws until one has `min` commands, so that
 * runs have their nominal length. Shrinking is that of `fc.commands`, below `min` too.
 */
export const fullLength = <Commands extends Iterable<unknown>>(commands: fc.Arbitrary<Commands>, min: number) =>
  new FullLength(commands, min);

// fast-check accepts a custom arbitrary only as a class.
class FullLength<Commands extends Iterable<unknown>> extends fc.Arbitrary<Commands> {
  readonly #commands: fc.Arbitrary<Commands>;
  readonly #least: number;

  constructor(commands: fc.Arbitrary<Commands>, min: number) {
    super();
    this.#commands = commands;
    this.#least = min;
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
