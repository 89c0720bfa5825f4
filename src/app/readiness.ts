import type { Readiness } from '#http/control-plane-app.ts'
import { clockFinding } from '#operations/doctor/checks/clock-difference.ts'
import type { OpenStore } from './open-store.ts'

/**
 * Maximum time of all checks together, in milliseconds. Many probes wait two seconds for a response. Otherwise, a
 * database that does not respond would delay the response until the time limit of a query.
 */
const checksMsMax = 1_500

/**
 * A ready server is not stopping, and its clock is right to within a minute. Its store accepts reads and writes, and
 * has all migrations. A smaller clock error only shifts periods and limits, and only the command `doctor` reports it.
 */
export async function readinessOf(
  store: OpenStore,
  isServing: boolean,
  nowMs: number,
  msMax = checksMsMax,
): Promise<Readiness> {
  const { promise: late, resolve } = Promise.withResolvers<'late'>()
  const timer = setTimeout(resolve, msMax, 'late')
  const inTime = <T>(check: Promise<T>): Promise<T | 'late'> => Promise.race([check, late])
  try {
    const found = await inTime(store.fault())
    const storeFault = found === 'late' ? `it did not respond within ${msMax} ms` : found
    // Check concurrently, because one of several database nodes that does not respond delays only the check of nodes.
    const [migrations, clock, away] =
      storeFault === null
        ? await Promise.all([
            inTime(orFault(async () => store.migrationFault())),
            inTime(orFault(async () => clockFault(store, nowMs))),
            inTime(nodesAway(store)),
          ])
        : [unknown, unknown, []]
    const checks = {
      server: isServing ? 'ok' : 'stopping',
      store: storeFault ?? 'ok',
      migrations: migrations === 'late' ? unknown : migrations,
      clock: clock === 'late' ? unknown : clock,
    }
    const isReady = Object.values(checks).every((check) => check === 'ok')
    // If some database nodes do not respond, the server continues for the end users of the other nodes.
    if (away === 'late') return { isReady, checks: { ...checks, nodes: 'at least one node responds slowly' } }
    return { isReady, checks: away.length === 0 ? checks : { ...checks, nodes: nodesFault(away) } }
  } finally {
    clearTimeout(timer)
  }
}

async function nodesAway({ rows }: OpenStore): Promise<readonly string[]> {
  try {
    return await rows.read.diagnosis.nodesAway()
  } catch {
    return []
  }
}

function nodesFault(away: readonly string[]): string {
  const names = `${away.length === 1 ? 'node' : 'nodes'} ${away.join(', ')}`
  return `requests of the end users on the ${names} return 503, because the database does not respond there`
}

const unknown = 'unknown while the store does not respond'

async function clockFault({ rows }: OpenStore, nowMs: number): Promise<string | null> {
  const found = await clockFinding(rows.read.diagnosis, nowMs)
  return found?.severity === 'error' ? found.message : null
}

/** The store may become unavailable between two checks, so a check that throws counts as a fault. */
async function orFault(check: () => Promise<string | null>): Promise<string> {
  try {
    return (await check()) ?? 'ok'
  } catch {
    return unknown
  }
}
