/** Implements `scale plan` and `scale apply`: distributes a database among the nodes of a Citus cluster. */
import type { Client } from 'pg'
import { assertCluster, rowsOf } from './citus-cluster.ts'
import { withClient } from './connection.ts'
import { layoutSteps, type Step } from './steps-to-distribute-tables.ts'
import { assertMigratedPostgres, migrationLock } from './migrate.ts'
import { silentMs } from './dead-process-sweeper.ts'
import { roleSteps } from './server-role.ts'

export interface ScaleOptions {
  readonly url: string
  readonly role: string
  /** Ignored if the database is distributed already. */
  readonly shards: number
}

/** Changes nothing. Returns one sentence for each step of `applyScale`. @throws Error if the steps cannot run */
export function planScale(options: ScaleOptions): Promise<string[]> {
  return withClient({ url: options.url, access: 'read', isPatient: true }, async (client) =>
    allOf(await pendingSteps(client, options)).map(({ text }) => text),
  )
}

/**
 * Runs the pending steps, each in a transaction. After an interruption, run `applyScale` again to continue. Servers
 * that start during the steps wait, because the migration lock is held.
 * @param told called before each step with the step's sentence
 * @throws Error if servers use the database and a pending step changes the layout
 */
export function applyScale(options: ScaleOptions, told: (step: string) => void): Promise<void> {
  return withClient({ url: options.url, access: 'write', isPatient: true }, async (client) => {
    await lockAlone(client, migrationLock)
    await lockAlone(client, shardLock)
    let before = Infinity
    for (;;) {
      // Plan again after each step, because a step can depend on the result of an earlier step.
      // oxlint-disable-next-line no-await-in-loop -- one step after another
      const pending = await pendingSteps(client, options)
      const steps = allOf(pending)
      const [step] = steps
      if (step === undefined) return
      // oxlint-disable-next-line no-await-in-loop -- see above
      if (pending.layout.length > 0) await assertNoServers(client)
      if (steps.length >= before) throw new Error(`this step had no effect: ${step.text}`)
      before = steps.length
      told(step.text)
      // oxlint-disable-next-line no-await-in-loop -- see above
      await runStep(client, step)
    }
  })
}

interface Pending {
  readonly layout: readonly Step[]
  /** Steps that grant rights to the servers' role. They may run while servers run. */
  readonly rights: readonly Step[]
}

const allOf = ({ layout, rights }: Pending): readonly Step[] => [...layout, ...rights]

async function pendingSteps(client: Client, { role, shards }: ScaleOptions): Promise<Pending> {
  await assertMigratedPostgres(client)
  await assertCluster(client)
  return { layout: await layoutSteps(client, shards), rights: await roleSteps(client, role) }
}

/** Runs each step in a transaction of its own. */
export async function runSteps(client: Client, steps: readonly Step[]): Promise<void> {
  // oxlint-disable-next-line no-await-in-loop -- one connection
  for (const step of steps) await runStep(client, step)
}

async function runStep(client: Client, step: Step): Promise<void> {
  await rowsOf(client, 'BEGIN')
  try {
    // Otherwise Citus changes the shards of a table in parallel, and then rejects changes of tables to which these
    // shards refer.
    await rowsOf(client, `SET LOCAL citus.multi_shard_modify_mode = 'sequential'`)
    await step.run(client)
    await rowsOf(client, 'COMMIT')
  } catch (cause) {
    throw new Error(`the step failed and changed nothing: ${step.text}`, { cause })
  }
}

/**
 * With this lock, only one command at a time changes or moves shards. A move may take hours. A move does not take the
 * migration lock, because servers that start would wait. The first number is the text `toll` as bytes.
 */
export const shardLock = [0x746f_6c6c, 3] as const

/** Takes a lock until the connection ends. @throws Error if the lock is taken */
export async function lockAlone(client: Client, lock: readonly [number, number]): Promise<void> {
  const [taken] = await rowsOf<{ is_free: string }>(
    client,
    `SELECT pg_try_advisory_lock(${lock.join(', ')})::text AS is_free`,
  )
  if (taken?.is_free !== 'true') throw new Error('a migration or another tollgate scale command is running')
}

async function assertNoServers(client: Client): Promise<void> {
  const [alive] = await rowsOf<{ processes: bigint }>(
    client,
    `SELECT count(*) AS processes FROM epochs
     WHERE ended_at_ms IS NULL AND beat_at > clock_timestamp() - $1 * interval '1 millisecond'`,
    [silentMs],
  )
  if (alive !== undefined && alive.processes > 0n) {
    const processes =
      alive.processes === 1n ? 'A server process uses' : `${alive.processes} server processes use`
    throw new Error(`${processes} the database. Stop all servers first`)
  }
}
