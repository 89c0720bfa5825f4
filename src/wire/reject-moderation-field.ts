import { member, type Json, type Node } from '#wire/text/json-tape.ts'
import { isGiven, refuseForRoute, textAt } from './wire-request.ts'

/**
 * Accepts only OpenAI's own moderation models, which are free (https://platform.openai.com/docs/guides/moderation). All
 * others have prices of their own.
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
