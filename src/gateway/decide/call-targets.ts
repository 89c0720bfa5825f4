import { StatedCosts } from '#domain/stated-costs.ts'
import { RetryBudget } from '#routing/retry-budget.ts'
import { TargetHealth } from '#routing/target-health.ts'

/** What the calls of this process have told of those that answer them. */
export interface CallTargets {
  readonly health: TargetHealth
  readonly budget: RetryBudget
  /** The costs that they state, to be compared with ours. */
  readonly statedCosts: StatedCosts
}

export function callTargets(): CallTargets {
  return { health: new TargetHealth(), budget: new RetryBudget(), statedCosts: new StatedCosts() }
}
