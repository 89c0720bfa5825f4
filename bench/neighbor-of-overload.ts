import { setTimeout as wait } from 'node:timers/promises'
import type { OverloadPlan } from './full-and-quick-plans.ts'
import { ownApplication, type Tollgate } from './gateway-under-test.ts'
import { Arrivals, sendAtRate } from './open-loop-load-driver.ts'
import { readHealth, ReadTimes } from './read-times.ts'
import { percentileOrNull, rounded } from './statistics.ts'
import type { Target } from './targets-and-scenarios.ts'

/** An application that sends few requests, while another application sends a multiple of the capacity. */
export interface NeighborFigures {
  readonly multiple: number
  /**
   * Whether the application sends its first request during the load, so that the process has cached neither its
   * settings nor its keys.
   */
  readonly isNew: boolean
  readonly perSecond: number
  /** Null if no request was admitted. */
  readonly p50Ms: number | null
  /** Null if no request was admitted. */
  readonly p99Ms: number | null
  /** Requests that were rejected, that failed, or that were not sent because all connections were busy. */
  readonly rejected: number
  /** The longest `apps.show` of the other application in the control plane. */
  readonly appsShowMaxMs: number
  readonly healthMaxMs: number
}

const cases = [
  { multiple: 0, isNew: false },
  { multiple: 1, isNew: false },
  { multiple: 10, isNew: false },
  { multiple: 1, isNew: true },
  { multiple: 10, isNew: true },
]
const share = 0.02
const people = 20
const ownConnections = 200
/** Longer than between the reads of the other rates, because `apps.show` costs more than `/health`. */
const pauseMs = 100

export async function measureNeighbors(
  gateway: Tollgate,
  plan: OverloadPlan,
  capacityPerSecond: number,
): Promise<NeighborFigures[]> {
  const known = await gateway.addApplication('known', people)
  const figures: NeighborFigures[] = []
  for (const { isNew, multiple } of cases) {
    const target = isNew ? await gateway.addApplication(`new-${multiple}`, people) : known
    await wait(plan.restMs)
    figures.push(await measureNeighbor(gateway, target, { ...plan, capacityPerSecond, isNew, multiple }))
  }
  return figures
}

interface Case extends OverloadPlan {
  readonly capacityPerSecond: number
  readonly isNew: boolean
  readonly multiple: number
}

async function measureNeighbor(
  gateway: Tollgate,
  target: Target,
  { capacityPerSecond, connections, isNew, multiple, windowMs }: Case,
): Promise<NeighborFigures> {
  const perSecond = Math.max(10, capacityPerSecond * share)
  const others = await Arrivals.open(gateway.target, multiple === 0 ? 0 : connections)
  // The server closes connections that send no request for ten seconds, so open these last.
  const own = await Arrivals.open(target, ownConnections)
  const health = new ReadTimes(pauseMs, () => readHealth(gateway.tail.url))
  const appsShow = new ReadTimes(pauseMs, () => gateway.get(`/v1/apps/${ownApplication}`))
  const load = sendAtRate(others, { perSecond: capacityPerSecond * multiple, windowMs })
  const leadMs = isNew ? windowMs / 5 : 0
  await wait(leadMs)
  await sendAtRate(own, { perSecond, windowMs: windowMs - leadMs })
  await Promise.all([load, own.ended()])
  const [healthMs, appsShowMs] = await Promise.all([health.ended(), appsShow.ended(), others.ended()])
  return {
    multiple,
    isNew,
    perSecond: rounded(perSecond),
    p50Ms: percentileOrNull(own.admittedMs, 50),
    p99Ms: percentileOrNull(own.admittedMs, 99),
    rejected: own.refusedMs.length + own.failed + own.unsent,
    appsShowMaxMs: rounded(Math.max(...appsShowMs)),
    healthMaxMs: rounded(Math.max(...healthMs)),
  }
}
