/**
 * Repeatable random numbers: each name has its own stream, which depends only on the seed. Each call starts a new
 * stream.
 */
export function chanceOf(seed: number): (stream: string) => () => number {
  return (stream) => {
    let state = seed >>> 0
    for (const letter of stream) state = Math.imul(state ^ (letter.codePointAt(0) ?? 0), 0x01000193) >>> 0
    // Mulberry32, a small random number generator.
    return () => {
      state = (state + 0x6d2b79f5) >>> 0
      let mixed = Math.imul(state ^ (state >>> 15), state | 1)
      mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
      return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
    }
  }
}
