import type { Check, Finding } from './finding-types.ts'
import type { NamedRouter } from '#operations/routers/shared/names-that-bundles-serve.ts'

const toldMax = 8

export const routers: Check = {
  name: 'routers',
  looksAt: 'Every router: whether at least one target exists, is enabled and has a price.',
  run: async ({ names }) =>
    (await names()).routers.flatMap((named) => [deadRouter(named) ?? [], assumedTargets(named)].flat()),
}

/**
 * A target without a complete price is used only if a bundle has a price for the router's name
 * (domain/sources-serving-model-name.ts).
 */
function assumedTargets({ router: { name }, state: { assumed } }: NamedRouter): Finding[] {
  return assumed.slice(0, toldMax).map(({ mend, reason }) => ({
    code: 'dimension_unpriced',
    severity: 'warning',
    resource: { type: 'router', id: name },
    message: `A target of the router ${name} is used only in bundles that set a price for the router: ${reason}. The cost of units without a rate is computed at assumed rates. All known rates apply.`,
    fix: {
      say: 'Set the rates that the account charges. Replace the example rate of 1000000 micros per million tokens with the rate that the provider charges.',
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
    message: `The router ${name} cannot use any of its ${known.length} targets, so every request to it is rejected: ${reasons.join('; ')}${more}.`,
    fix: {
      say: 'Fix one of the targets, for example the first one. The router lists the problem of each target.',
      call: first.mend,
    },
  }
}
