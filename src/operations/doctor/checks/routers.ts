import type { Check, Finding } from '#operations/doctor/finding.ts'
import type { NamedRouter } from '#operations/models/served-names.ts'

/** Maximum number of targets that are listed one by one. */
const toldMax = 8

/** Routers whose targets are all skipped for every request, and targets whose cost is assumed. */
export const routers: Check = {
  name: 'routers',
  looksAt: 'Every router: whether one of its targets exists, is enabled and has a price.',
  run: async ({ names }) =>
    (await names()).routers.flatMap((named) => [deadRouter(named) ?? [], assumedTargets(named)].flat()),
}

/** The router uses these targets only if a bundle has a price for the router's name (domain/serving.ts). */
function assumedTargets({ router: { name }, state: { assumed } }: NamedRouter): Finding[] {
  return assumed.slice(0, toldMax).map(({ mend, reason }) => ({
    code: 'dimension_unpriced',
    severity: 'warning',
    resource: { type: 'router', id: name },
    message: `A target of the router ${name} is served only in bundles that price the router: ${reason}. The cost of these units is assumed; all known rates are kept.`,
    fix: {
      say: 'Set what the account is charged, in micros per million tokens; the figures 1000000 stand for yours.',
      call: mend,
    },
  }))
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
