import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { startTollgate } from './gateway-under-test.ts'
import { inRounds, measureWindow } from './measure-in-rounds.ts'
import { cpuPerCall, ratios } from './cost-of-non-streaming-calls.ts'
import type { Options } from './command-line-options.ts'
import type { Plan } from './full-and-quick-plans.ts'
import { spread, type Spread } from './statistics.ts'
import { jsonCall, type Target } from './targets-and-scenarios.ts'

/**
 * The CPU time of a call that counts toward five limits, relative to a call without limits in the same rounds. The
 * limits are those of the key, the bundle, the end user, the application and a tag.
 */
export interface LimitFigures {
  readonly withoutLimitsCpuMicrosPerCall: Spread
  /** The ratio if each limit is a number of requests per month. */
  readonly requestsRatio: Spread
  /**
   * The ratio if each limit is a number of tokens in five hours, for which the gateway also reads all requests in
   * flight of the end user.
   */
  readonly tokensRatio: Spread
}

const connections = 32

export async function measureLimits(
  direct: Target,
  {
    folder,
    options,
    plan,
    progress,
  }: {
    readonly folder: string
    readonly options: Options
    readonly plan: Plan
    readonly progress: (text: string) => void
  },
): Promise<LimitFigures> {
  progress('calls without limits and with five limits')
  const own = join(folder, 'limits')
  mkdirSync(own)
  const { limitPeople: people, limitRounds, limitSettleMs: settleMs, limitWindowMs: windowMs } = plan
  const gateway = await startTollgate({
    folder: own,
    providerUrl: direct.url,
    people: 1,
    scenarios: [jsonCall],
    writer: options.writer,
  })
  const most = '1000000000000'
  const requests = [{ measure: 'requests', window: 'month', most }]
  const tokens = [{ measure: 'tokens', window: '5h', most }]
  const without = await tagged(gateway.addApplication('without', people, []))
  const byRequests = await tagged(gateway.addApplication('requests', people, requests))
  const byTokens = await tagged(gateway.addApplication('tokens', people, tokens))
  const targets = [without, byRequests, byTokens]
  const load = { scenario: jsonCall, connections, staggerMs: 0 }
  for (const target of targets) await measureWindow({ ...load, target, settleMs: 0, windowMs: plan.warmUpMs })
  const windows = await inRounds(limitRounds, targets, (target) =>
    measureWindow({ ...load, target, settleMs, windowMs }),
  )
  await gateway.child.stop()
  const ofTarget = (target: Target) => windows.get(target) ?? []
  const ratioOf = (target: Target): Spread => spread(ratios(ofTarget(target), ofTarget(without), cpuPerCall))
  return {
    withoutLimitsCpuMicrosPerCall: spread(ofTarget(without).map(cpuPerCall)),
    requestsRatio: ratioOf(byRequests),
    tokensRatio: ratioOf(byTokens),
  }
}

async function tagged(target: Promise<Target>): Promise<Target> {
  return { ...(await target), isTagged: true }
}
