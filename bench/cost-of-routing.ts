import { cpuPerCall, ratios } from './cost-of-non-streaming-calls.ts'
import { inRounds, measureWindow, type Timing } from './measure-in-rounds.ts'
import { spread, type Spread } from './statistics.ts'
import { jsonCall, type Target } from './targets-and-scenarios.ts'
import { routerName } from './gateway-under-test.ts'

/** The cost of choosing among five targets. The same rounds also measure calls to a model name with one target. */
export interface RouterFigures {
  readonly aliasCpuMicrosPerCall: Spread
  readonly routerCpuMicrosPerCall: Spread
  readonly cpuRatio: Spread
}

export async function measureRouter(
  subject: Target,
  { connections, rounds, ...timing }: { connections: number; rounds: number } & Timing,
): Promise<RouterFigures> {
  const router: Target = { ...subject, name: 'router', modelName: () => routerName }
  const windows = await inRounds(rounds, [subject, router], (target) =>
    measureWindow({ target, scenario: jsonCall, connections, staggerMs: 0, ...timing }),
  )
  const ofAlias = windows.get(subject) ?? []
  const ofRouter = windows.get(router) ?? []
  return {
    aliasCpuMicrosPerCall: spread(ofAlias.map(cpuPerCall)),
    routerCpuMicrosPerCall: spread(ofRouter.map(cpuPerCall)),
    cpuRatio: spread(ratios(ofRouter, ofAlias, cpuPerCall)),
  }
}
