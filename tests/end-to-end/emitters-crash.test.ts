/** A few rounds of tests/long/emitters-crash.test.ts. */
import { expect, test } from 'vitest'
import { crashWithEmitters } from '../support/emitters-crash.ts'
import { hasPostgres } from '../support/postgres.ts'
import { seedOfRun } from '../support/random.ts'

test.each(hasPostgres ? (['SQLite', 'PostgreSQL'] as const) : (['SQLite'] as const))(
  'kill -9 loses no event: %s',
  async (engine) => {
    const seed = seedOfRun()
    console.log(`emitters-crash: SEED=${seed}`)
    const figures = await crashWithEmitters(engine, { rounds: 3, seed })
    console.log(engine, figures)
    expect(figures.settled).toBeGreaterThan(20)
  },
)
