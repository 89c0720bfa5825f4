import type { CallBound } from '#money/hold.ts'
import { demandAt, worstCase } from '#money/worst-case.ts'
import type { WireRequest } from '#wire/wire-request.ts'
import { isExtendable } from '#gateway/call/is-extendable.ts'
import { outputTokensFirst } from '#gateway/call/ports.ts'
import type { Plan } from '#gateway/call/model-name-targets.ts'
import type { Way } from '#gateway/call/routed-targets.ts'
import { imageCounterOf } from './image-counter.ts'
import { canReportOf } from './reportable-dimensions.ts'
import { toolBoundOf } from '#gateway/call/provider-tool-rules.ts'
import { providerAddedTokens } from './provider-added-tokens.ts'

/**
 * Returns the maximum usage of a call at a target.
 * @param textTokens the tokens of the request without the provider's additions
 */
export function boundOf(request: WireRequest, plan: Plan, textTokens: number): CallBound {
  const usual = request.isBackground === true ? plan.outputTokensMax : plan.outputTokensDefault
  // A maximum that the alias or the application sets is held in full. Without one, the hold of a stream starts small
  // and is extended.
  const isSliced = isExtendable(request) && !plan.hasCeiling && !plan.isMaximumImposed
  const tools = toolBoundOf(request, plan)
  const first = isSliced ? Math.min(outputTokensFirst, usual) : usual
  const bound: CallBound = {
    alias: request.model,
    textTokens: textTokens + providerAddedTokens(request, plan) - excessOfDocuments(request, plan),
    audioTokens: request.audioTokensMax,
    imageTokens: request.images === null ? 0 : request.images[imageCounterOf(plan)],
    outputTokens: (request.outputTokensMax ?? first) * request.choices,
    choices: request.choices,
    serviceTier: request.serviceTier,
    canReport: canReportOf(request, plan),
    ...(request.uses !== undefined && { uses: request.uses }),
  }
  return tools === undefined ? bound : { ...bound, tools }
}

/**
 * Returns how many fewer tokens the documents have at Google than by the general maximum, because Google counts fewer
 * tokens per page.
 */
function excessOfDocuments({ documents }: WireRequest, { account }: Plan): number {
  if (documents === null || account.kind !== 'google') return 0
  return documents.tokensMax - documents.googleTokensMax
}

/**
 * Returns the minimum amount that a call must hold, at the cheapest target. The amount covers one output token for each
 * choice and one use of the tools that the provider runs.
 */
export function leastDemand(request: WireRequest, ways: readonly Way[], textTokens: number): bigint {
  const demands = ways.map(({ plan }) => {
    const bound = boundOf(request, plan, textTokens)
    const { tools } = bound
    const least = tools === undefined ? bound : { ...bound, tools: { ...tools, uses: 1 } }
    return demandAt(worstCase(plan.quote, least), bound.choices).micros
  })
  return demands.reduce((least, one) => (one < least ? one : least))
}
