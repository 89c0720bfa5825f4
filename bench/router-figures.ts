import { cpuPerCall, ratios } from './calls.ts'
import { inRounds, measureWindow, type Timing } from './measure.ts'
import { spread, type Spread } from './statistics.ts'
import { jsonCall, type Target } from './target.ts'
import { routerName } from './tollgate.ts'

/** What choosing among five targets costs, in the rounds of the same calls under a name with one. */
export interface RouterFigures {
  readonly aliasCpuMicrosPerCall: Spread
  readonly routerCpuMicrosPerCall: Spread
  readonly cpuRatio: Spread
}

export async function measureRouter(
  subject: Target,
  { connections, rounds, ...timing }: { connections: number; rounds: number } & Timing,
): Promise<RouterFigures> {
  // The same process and the same people; only the name that is asked for differs.
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
