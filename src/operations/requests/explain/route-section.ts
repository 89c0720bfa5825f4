import { formatMicros } from '#money/amount.ts'
import type { StoredTrace } from '#explain/sections-of-trace.ts'
import type { CustomerExplanation, Facts } from './read-stored-facts.ts'
import { candidateWorst } from './quote-section.ts'

export function routeSection({ labels, story, trace }: Facts): CustomerExplanation['route'] {
  const { call, hold, settlement } = story
  const target = (hold ?? settlement)?.target ?? call.target
  if (target === null && trace.route === null) return null
  const { candidates: older = null, lost, targets, ...chosen } = { ...target, ...trace.route }
  const planned = targets?.map(({ skip, worst, ...rest }) => ({
    ...rest,
    ...(worst && candidateWorst(worst)),
    skipped: skip?.reason ?? null,
    skipCode: skip?.code ?? null,
  }))
  const { accountId, model, provider } = chosen
  return {
    router: null,
    policy: null,
    ...chosen,
    ...(lost && { lost }),
    account: labels.get(accountId ?? '') ?? null,
    candidates: (planned ?? older ?? [{ provider, accountId, model }]).map((candidate) => ({
      path: null,
      price: null,
      worstCase: null,
      skipped: null,
      skipCode: null,
      ...candidate,
      account: labels.get(candidate.accountId ?? '') ?? null,
    })),
  }
}

/** The cost of the charged attempt is the total cost minus the costs of all other attempts. */
export function attemptSections({ labels, story, trace }: Facts): CustomerExplanation['attempts'] {
  const { call, settlement } = story
  const target = settlement?.target ?? call.target
  const attempts = trace.attempts ?? []
  return attempts.map((attempt, i) => {
    const { code = null, costMicros = null } = attempt
    const account = attempt.account ?? target?.accountId ?? null
    const model = attempt.model ?? target?.model ?? null
    const isAnswer = settlement !== null && i === attempts.length - 1
    return {
      n: i + 1,
      provider: target?.provider ?? null,
      ...attempt,
      account,
      target: model === null ? null : `${labels.get(account ?? '') ?? account ?? ''}/${model}`,
      code,
      costMicros: isAnswer ? formatMicros(settlement.costMicros - failedMicrosOf(trace)) : costMicros,
    }
  })
}

/** The cost of all attempts but the last, which is the charged attempt. */
export function failedMicrosOf({ attempts }: StoredTrace): bigint {
  return (attempts ?? []).slice(0, -1).reduce((sum, { costMicros }) => sum + BigInt(costMicros ?? 0), 0n)
}
