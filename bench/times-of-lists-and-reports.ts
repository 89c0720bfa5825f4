/** Measures the time of every list and report that reads stored calls, on a filled store and with the published API. */
import { cpuMsOfThreads } from './process-cpu-and-memory.ts'
import { percentile, rounded } from './statistics.ts'
import { isObject } from './start-child-process.ts'

/** Requests are sent one at a time. */
export interface ReadFigures {
  readonly name: string
  /** The first read, for which the process and the database have cached the least. */
  readonly firstMs: number
  readonly p50Ms: number
  readonly p95Ms: number
  /** The CPU time hardly depends on other work of the machine, unlike the elapsed time. */
  readonly cpuP50Ms: number
  readonly cpuP95Ms: number
}

/**
 * Sends a request to the control plane for an application.
 * @throws if the response is not successful
 */
export type Get = (path: string) => Promise<Record<string, unknown>>

const dayMs = 86_400_000
const since = (days: number): string => new Date(Date.now() - days * dayMs).toISOString()

/**
 * Each read is called with the number of a random end user. The name of a read is the operation with its parameters.
 */
const reads: Readonly<Record<string, (get: Get, person: number) => Promise<unknown>>> = {
  'requests.list': (get) => pages(get, '/v1/requests?limit=50'),
  'requests.list, of an end user': (get, n) => pages(get, `/v1/requests?limit=50&endUserId=person-${n}`),
  'requests.list, of an end user and a model': (get, n) =>
    pages(get, `/v1/requests?limit=50&endUserId=person-${n}&model=acme%2Fdeep`),
  'requests.list, of a rare model': (get) => pages(get, '/v1/requests?limit=50&model=acme%2Frare'),
  'requests.list, that failed': (get) => pages(get, '/v1/requests?limit=50&statusClass=5xx'),
  'requests.list, that were rejected': (get) => pages(get, '/v1/requests?limit=50&status=refused'),
  'requests.list, of a day': (get) => pages(get, `/v1/requests?limit=50&from=${since(31)}&to=${since(30)}`),
  'requests.explain': async (get, n) => {
    const { data } = await get(`/v1/requests?limit=1&endUserId=person-${n}`)
    const [call] = Array.isArray(data) ? (data as unknown[]) : []
    return isObject(call) ? get(`/v1/requests/${String(call['id'])}`) : null
  },
  'users.list': (get) => pages(get, '/v1/end-users?limit=50'),
  'users.list, by spending': (get) => pages(get, '/v1/end-users?limit=50&sort=spent&direction=desc'),
  'users.list, by balance': (get) => pages(get, '/v1/end-users?limit=50&sort=balance&direction=asc'),
  'users.list, by last use': (get) => pages(get, '/v1/end-users?limit=50&sort=last_seen&direction=desc'),
  'users.list, with a search': (get, n) => pages(get, `/v1/end-users?limit=50&search=son-${n}`),
  'users.show': (get, n) => get(`/v1/end-users/person-${n}`),
  'users.limits': (get, n) => get(`/v1/end-users/person-${n}/limits`),
  'users.ledger': (get, n) => pages(get, `/v1/end-users/person-${n}/ledger?limit=50`),
  'keys.list': (get) => pages(get, '/v1/keys?limit=50'),
  'keys.list, by spending': (get) => pages(get, '/v1/keys?limit=50&sort=spent&direction=desc'),
  'keys.list, of an end user': (get, n) => pages(get, `/v1/keys?limit=50&endUserId=person-${n}`),
  'grants.list': (get) => pages(get, '/v1/grants?limit=50'),
  'subscription.show': (get, n) => get(`/v1/subscription?endUserId=person-${n}`),
  'apps.show': (get) => get('/v1/apps/seed'),
  'models.list': (get) => pages(get, '/v1/models?limit=50'),
  'bundles.list': (get) => pages(get, '/v1/bundles?limit=50'),
  usage: (get) => get('/v1/usage'),
  'usage, of 30 days': (get) => get(`/v1/usage?from=${since(30)}`),
  'usage, of an end user': (get, n) => get(`/v1/usage?endUserId=person-${n}`),
  'usage.series, of 7 days by hour': (get) => get(`/v1/usage/series?bucket=hour&from=${since(7)}`),
  'usage.series, of 30 days by model': (get) => get(`/v1/usage/series?bucket=day&by=model&from=${since(30)}`),
  'usage.series, of 30 days by provider': (get) =>
    get(`/v1/usage/series?bucket=day&by=provider&from=${since(30)}`),
  'usage.series, of 30 days by end user': (get) =>
    get(`/v1/usage/series?bucket=day&by=endUser&from=${since(30)}`),
  'usage.series, of 30 days by bundle': (get) =>
    get(`/v1/usage/series?bucket=day&by=bundle&from=${since(30)}`),
  'usage.series, of 30 days with latencies': (get) =>
    get(`/v1/usage/series?bucket=day&latency=true&from=${since(30)}`),
  'usage.series, of an hour by minute': (get) => get(`/v1/usage/series?bucket=minute&from=${since(1 / 24)}`),
  'usage.series, of an end user': (get, n) =>
    get(`/v1/usage/series?bucket=day&from=${since(30)}&endUserId=person-${n}`),
  'margin, by end user': (get) => pages(get, `/v1/margin?by=endUser&from=${since(30)}`),
  'margin, by model': (get) => pages(get, `/v1/margin?by=model&from=${since(30)}`),
  'margin, by bundle': (get) => pages(get, `/v1/margin?by=bundle&from=${since(30)}`),
  'margin, by provider': (get) => pages(get, `/v1/margin?by=provider&from=${since(30)}`),
  'margin, by day': (get) => pages(get, `/v1/margin?by=day&from=${since(30)}`),
  health: (get) => get('/v1/health'),
  doctor: (get) => get('/v1/diagnose'),
  'bill.show': (get) => get('/v1/bill'),
  'audit.list': (get) => pages(get, '/v1/audit?limit=50'),
}

async function pages(get: Get, path: string): Promise<void> {
  const { nextCursor } = await get(path)
  if (typeof nextCursor === 'string') await get(`${path}&cursor=${encodeURIComponent(nextCursor)}`)
}

/**
 * @param nextPerson returns the number of an end user
 * @param pid process ID of the gateway, which must have no other work
 */
export async function measureReads(
  get: Get,
  {
    nextPerson,
    pid,
    rounds,
  }: { readonly nextPerson: () => number; readonly pid: number; readonly rounds: number },
): Promise<ReadFigures[]> {
  const figures: ReadFigures[] = []
  for (const [name, read] of Object.entries(reads)) {
    const durationsMs: number[] = []
    const cpuMs: number[] = []
    const timed: Get = async (path) => {
      const startedMs = performance.now()
      const cpuBeforeMs = cpuMsOfThreads(pid)
      const answer = await get(path)
      durationsMs.push(performance.now() - startedMs)
      cpuMs.push(cpuMsOfThreads(pid) - cpuBeforeMs)
      return answer
    }
    for (let round = 0; round < rounds; round += 1) await read(timed, nextPerson())
    figures.push({
      name,
      firstMs: rounded(durationsMs[0] ?? Number.NaN),
      p50Ms: rounded(percentile(durationsMs, 50)),
      p95Ms: rounded(percentile(durationsMs, 95)),
      cpuP50Ms: rounded(percentile(cpuMs, 50)),
      cpuP95Ms: rounded(percentile(cpuMs, 95)),
    })
  }
  return figures
}
