import { rebalanceStore, scaleSteps, scaleStore } from '#app/store-maintenance.ts'
import { runOnStore } from './run-on-store.ts'

export interface ScaleOptions {
  readonly role: string
  readonly shards: number
}

/**
 * `tollgate scale plan`: prints the steps of `tollgate scale apply`, and changes nothing. Exits 2 if the steps cannot
 * be carried out.
 */
export function scalePlan(options: ScaleOptions): Promise<void> {
  return runOnStore('scale plan', undefined, async (location) => {
    const steps = await scaleSteps(location, options)
    if (steps.length === 0) return console.log(done)
    const lines = steps.map((step, at) => `${String(at + 1).padStart(4)}. ${step}`)
    console.log(`tollgate scale apply will run these steps:\n${lines.join('\n')}`)
    console.log(
      '\nStop all servers first. Each step is one transaction. If apply is interrupted, run apply again.',
    )
  })
}

/**
 * `tollgate scale apply`: distributes the database among the nodes of its Citus cluster. No server may run on the
 * database in the meantime. Can be repeated after an interruption. Exits 2 if a step fails.
 */
export function scaleApply(options: ScaleOptions): Promise<void> {
  return runOnStore('scale apply', undefined, async (location) => {
    await scaleStore(location, options, (step) => console.log(step))
    console.log(`${done} Start servers as the role ${options.role}.`)
  })
}

/** `tollgate scale rebalance`: moves shards to nodes with fewer shards, while servers run. Exits 2 if a move fails. */
export function scaleRebalance({ role }: Pick<ScaleOptions, 'role'>): Promise<void> {
  return runOnStore('scale rebalance', undefined, async (location) => {
    await rebalanceStore(location, { role }, (step) => console.log(step))
    console.log('All nodes have the same number of shards.')
  })
}

const done = 'The database is distributed, and all steps are done.'
