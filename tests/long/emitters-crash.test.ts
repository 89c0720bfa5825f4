/** kill -9 under load, twenty times for each store, with three emitters (tests/support/emitters-crash.ts). */
import { expect, test } from 'vitest'
import { crashWithEmitters } from '../support/emitters-crash.ts'
import { seedOfRun } from '../support/random.ts'

const seed = seedOfRun()

test.each(['SQLite', 'PostgreSQL'] as const)(
  `kill -9 under load loses no event: %s (SEED=${seed})`,
  async (engine) => {
    const figures = await crashWithEmitters(engine, { rounds: 20, seed })
    console.log(engine, figures)
    expect(figures.settled).toBeGreaterThan(200)
  },
  900_000,
)
