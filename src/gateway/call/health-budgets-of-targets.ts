import { StatedCosts } from '#domain/accounts/disputes-of-provider-stated-costs.ts'
import { RetryBudget } from '#routing/retry-budget.ts'
import { TargetHealth } from '#routing/target-health.ts'

export interface CallTargets {
  readonly health: TargetHealth
  readonly budget: RetryBudget
  readonly statedCosts: StatedCosts
}

export function callTargets(): CallTargets {
  return { health: new TargetHealth(), budget: new RetryBudget(), statedCosts: new StatedCosts() }
}
