/**
 * Kills processes with -9 under load through a router, six times for each store
 * (tests/support/kill-server-during-routed-calls.ts).
 */
import { expect, test } from 'vitest'
import { seedOfRun } from '../support/seeded-random.ts'
import { crashWithRouter } from '../support/kill-server-during-routed-calls.ts'

const seed = seedOfRun()

test.each(['SQLite', 'PostgreSQL'] as const)(
  `kill -9 leaves no open hold and no unrecorded attempt: %s (SEED=${seed})`,
  async (engine) => {
    const figures = await crashWithRouter(engine, { rounds: 12, seed })
    console.log(engine, figures)
    expect(figures.movedOn).toBeGreaterThan(20)
    expect(figures.recovered).toBeGreaterThan(10)
    expect(figures.recoveredMovedOn).toBeGreaterThan(0)
  },
  1_800_000,
)
