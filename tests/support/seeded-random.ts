export interface Random {
  /** At least 0, and less than 1. */
  next(): number
  /** Both bounds are included. */
  whole(least: number, most: number): number
  pick<T>(from: readonly T[]): T
  chance(share: number): boolean
}

/** SEED repeats a failed run. Without SEED, the seed is new. */
export function seedOfRun(): number {
  const given = process.env['SEED']
  return given === undefined ? Math.floor(Math.random() * 2 ** 32) : Number(given)
}

/** Adds the seed to the message of a failure, because the log may not contain the earlier output of the run. */
export async function withSeed<T>(seed: number, run: () => Promise<T>): Promise<T> {
  try {
    return await run()
  } catch (cause) {
    throw new Error(`SEED=${seed}: ${cause instanceof Error ? cause.message : String(cause)}`, { cause })
  }
}

/** The Mulberry32 generator has 32 bits of state, which is enough to choose the next fault. */
export function randomFrom(seed: number): Random {
  let state = seed >>> 0
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const whole = (least: number, most: number): number => least + Math.floor(next() * (most - least + 1))
  return {
    next,
    whole,
    pick<T>(from: readonly T[]): T {
      const picked = from[whole(0, from.length - 1)]
      if (picked === undefined) throw new Error('there is nothing to pick from')
      return picked
    },
    chance: (share) => next() < share,
  }
}
