import { keyBefore, kindOf, kinds, member, startOf, type Json, type Node } from '#wire/text/json-tape.ts'
import { itemsOf } from '#wire/text/members-of-json-values.ts'
import { removals } from '#wire/text/removal-edits.ts'
import { isGiven, mustBe, refuse, spanOf, textAt } from '#wire/wire-request.ts'
import { modelInPath } from '#wire/model-name.ts'
import type { Fields, Places, RequestPath } from '#wire/wire-request.ts'
import { foreignSignatures } from './foreign-signatures.ts'

/**
 * The facts that a request at Bedrock's `invoke` states in other places than all other requests of the messages wire.
 * The model and the streaming flag are in the path, and the betas are in the body.
 */
interface HostedFacts {
  readonly model: string
  readonly isStream: boolean
  readonly betas?: string
  readonly places: Places
}

/**
 * Reads a body of Claude at Bedrock's `invoke` (docs/reference/wires.md "Bedrock"). The edits change the body to a body
 * of Anthropic. The edits add the model and the streaming flag, and remove the version and the betas.
 */
export function hostedFacts(
  json: Json,
  {
    max_tokens: max,
    messages,
    model,
    stream,
    svc,
  }: Fields<'max_tokens' | 'messages' | 'model' | 'stream' | 'svc'>,
  path: RequestPath,
): HostedFacts {
  const version = member(json, 0, 'anthropic_version')
  const betas = member(json, 0, 'anthropic_beta')
  if (textAt(json, version) === null) refuse('invalid_request', 'anthropic_version', otherFamily)
  for (const [name, field] of Object.entries({ model, stream }))
    if (isGiven(json, field)) refuse('invalid_request', name, `The path states the ${name}. Omit the field.`)
  const removed = [version, betas, model, stream, svc].filter((node) => node >= 0)
  const at = startOf(json, 0) + 1
  return {
    model: modelInPath(path.model, '/model/<model>/invoke'),
    isStream: path.isStream,
    ...(isGiven(json, betas) && { betas: betasAt(json, betas) }),
    places: {
      model: null,
      newModel: { at, before: `${path.isStream ? '"stream":true,' : ''}"model":`, after: ',' },
      maxima: max < 0 ? [] : [spanOf(json, max)],
      newMaximum: { at, before: '"max_tokens":', after: ',' },
      always: [...foreignSignatures(json, messages), ...removals(json, 0, removed.map(keyBefore))],
    },
  }
}

const otherFamily = 'The body must be one of Claude, with anthropic_version and messages.'

function betasAt(json: Json, list: Node): string {
  const names = itemsOf(json, list).map((name) => textAt(json, name))
  const isValid = kindOf(json, list) === kinds.array && names.length <= betasMax
  return isValid && names.every((name) => name !== null && betaForm.test(name))
    ? names.join(',')
    : mustBe('anthropic_beta', `a list of at most ${betasMax} names of beta features`)
}

const betaForm = /^[\w.-]{1,64}$/
const betasMax = 30
