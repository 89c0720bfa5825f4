/**
 * Kills a process with -9 under load, CRASH_ROUNDS times for each store, with three emitters
 * (tests/support/kill-servers-with-emitters.ts).
 */
import { expect, test } from 'vitest'
import { crashWithEmitters } from '../support/kill-servers-with-emitters.ts'
import { sizeOf } from '../support/start-several-processes.ts'
import { seedOfRun } from '../support/seeded-random.ts'

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
