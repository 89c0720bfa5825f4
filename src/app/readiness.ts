import type { Readiness } from '#http/control-plane-app.ts'
import { clockFinding } from '#operations/doctor/checks/clock-difference.ts'
import type { OpenStore } from './open-store.ts'

/**
 * A ready server is not stopping, and its clock is right to within a minute. Its store accepts reads and writes, and
 * has all migrations. A smaller clock error only shifts periods and limits, and only the command `doctor` reports it.
 */
export async function readinessOf(store: OpenStore, isServing: boolean, nowMs: number): Promise<Readiness> {
  const storeFault = await store.fault()
  const away = storeFault === null ? await nodesAway(store) : []
  const checks = {
    server: isServing ? 'ok' : 'stopping',
    store: storeFault ?? 'ok',
    ...(storeFault === null
      ? {
          migrations: await orFault(async () => store.migrationFault()),
          clock: await orFault(async () => clockFault(store, nowMs)),
        }
      : { migrations: unknown, clock: unknown }),
  }
  const isReady = Object.values(checks).every((check) => check === 'ok')
  // If some database nodes do not respond, the server continues for the end users of the other nodes.
  return { isReady, checks: away.length === 0 ? checks : { ...checks, nodes: nodesFault(away) } }
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
