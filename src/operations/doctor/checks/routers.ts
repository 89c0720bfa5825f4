import type { Check, Finding } from '#operations/doctor/finding.ts'
import type { NamedRouter } from '#operations/models/served-names.ts'

/** Targets that a finding tells of one by one. */
const toldMax = 8

/** Routers whose every target is passed over, whatever the call: all calls of the name are refused. */
export const routers: Check = {
  name: 'routers',
  looksAt: 'Every router: whether one of its targets is there, enabled and has a price.',
  run: async ({ names }) => (await names()).routers.flatMap((named) => deadRouter(named) ?? []),
}

function deadRouter({ router: { name }, state: { isServing, problems } }: NamedRouter): Finding | null {
  const known = problems.flatMap((problem) => problem ?? [])
  const [first] = known
  if (isServing || !first) return null
  const reasons = known.slice(0, toldMax).map(({ reason }, i) => `target ${i + 1}: ${reason}`)
  const more = known.length > toldMax ? `; and ${known.length - toldMax} more` : ''
  return {
    code: 'router_without_target',
    severity: 'error',
    resource: { type: 'router', id: name },
    message: `No call can take any of the ${known.length} targets of the router ${name}, so every call of it is refused: ${reasons.join('; ')}${more}.`,
    fix: {
      say: 'Mend one of the targets, for example the first; the router itself says of each what it lacks.',
      call: first.mend,
    },
  }
}
