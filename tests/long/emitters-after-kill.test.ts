/**
 * Kills a process with -9 under load, CRASH_ROUNDS times for each store, with three emitters
 * (tests/support/emitters-crash.ts).
 */
import { expect, test } from 'vitest'
import { crashWithEmitters } from '../support/emitters-crash.ts'
import { sizeOf } from '../support/several-server-processes.ts'
import { seedOfRun } from '../support/random.ts'

const rounds = sizeOf('CRASH_ROUNDS', 8)
const seed = seedOfRun()

test.each(['SQLite', 'PostgreSQL'] as const)(
  `kill -9 under load loses no event: %s (SEED=${seed})`,
  async (engine) => {
    const figures = await crashWithEmitters(engine, { rounds, seed })
    console.log(engine, figures)
    expect(figures.settled).toBeGreaterThan(10 * rounds)
  },
  900_000,
)
