/** A few rounds of tests/long/router-crash.test.ts. */
import { expect, test } from 'vitest'
import { hasPostgres } from '../support/postgres.ts'
import { seedOfRun } from '../support/random.ts'
import { crashWithRouter } from '../support/router-crash.ts'

test.each(hasPostgres ? (['SQLite', 'PostgreSQL'] as const) : (['SQLite'] as const))(
  'kill -9 leaves no hold and no attempt unrecorded: %s',
  async (engine) => {
    const seed = seedOfRun()
    console.log(`router-crash: SEED=${seed}`)
    const rounds = 2
    const figures = await crashWithRouter(engine, { rounds, seed })
    console.log(engine, figures)
    expect(figures.movedOn).toBeGreaterThan(rounds)
    expect(figures.recovered).toBeGreaterThan(0)
  },
)
