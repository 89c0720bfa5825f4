import { member, type Json, type Node } from '#wire/text/json-tape.ts'
import { isGiven, refuseForRoute, textAt } from './wire-request.ts'

/**
 * `moderation` of chat and responses. OpenAI's own moderation models are free
 * (https://platform.openai.com/docs/guides/moderation). Any other model would respond at a different price.
 */
export function refuseOtherModeration(json: Json, moderation: Node): void {
  if (!isGiven(json, moderation)) return
  const model = member(json, moderation, 'model')
  if (!isGiven(json, model) || freeModels.test(textAt(json, model) ?? '')) return
  refuseForRoute(
    'moderation.model',
    'the cost of moderation by another model is not known before the request. Omit the field, or set omni-moderation-latest',
  )
}

const freeModels = /^(?:omni|text)-moderation-/
