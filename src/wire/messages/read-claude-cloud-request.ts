import { keyBefore, kindOf, kinds, member, startOf, type Json, type Node } from '#wire/text/json-tape.ts'
import { itemsOf } from '#wire/text/members-of-tape-nodes.ts'
import { removals } from '#wire/text/removal-edits.ts'
import { flagAt, isGiven, mustBe, refuse, spanOf, textAt } from '#wire/wire-request.ts'
import { modelAt, modelInPath } from '#wire/model-name.ts'
import type { Fields, Places, RequestPath } from '#wire/wire-request.ts'
import { foreignSignatures } from './remove-foreign-signatures.ts'

/** Whether the path belongs to Bedrock's `invoke` or to Vertex AI's `rawPredict`, which accept a body of Claude. */
export function isHosted({ isInvoke, isRawPredict }: RequestPath): boolean {
  return isInvoke === true || isRawPredict === true
}

/** A cloud has the model and the streaming flag in the path, and may have the betas in the body. */
interface HostedFacts {
  readonly model: string
  readonly isStream: boolean
  readonly betas?: string
  readonly places: Places
}

/**
 * Reads a body of Claude at Bedrock's `invoke` or at Vertex AI's `rawPredict` (docs/reference/wires.md "Bedrock",
 * "Vertex AI"). The edits add the model and the streaming flag for Anthropic, and remove the version and the betas.
 * Requests that count tokens at Vertex AI have the model in the body.
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
  const isModelInBody = path.isRawPredict === true && path.model === null
  if (!isModelInBody && isGiven(json, model)) refuseField('model')
  // Vertex AI's client also states the streaming flag in the body.
  const mayRepeat = path.isRawPredict === true && flagAt(json, 'stream', stream) === path.isStream
  if (!mayRepeat && isGiven(json, stream)) refuseField('stream')
  const id = isModelInBody ? modelAt(json, model) : modelInPath(path.model, formOf(path))
  const name = nameOfId(id, path)
  // The edits replace a model in the body only if the provider's model has another name.
  const isNameInBody = isModelInBody && name === id
  const removed = [version, betas, isNameInBody ? -1 : model, stream, svc].filter((node) => node >= 0)
  const at = startOf(json, 0) + 1
  return {
    model: name,
    isStream: path.isStream,
    ...(isGiven(json, betas) && { betas: betasAt(json, betas) }),
    places: {
      ...(isNameInBody
        ? { model: spanOf(json, model) }
        : {
            model: null,
            newModel: { at, before: `${path.isStream ? '"stream":true,' : ''}"model":`, after: ',' },
          }),
      maxima: max < 0 ? [] : [spanOf(json, max)],
      newMaximum: { at, before: '"max_tokens":', after: ',' },
      always: [...foreignSignatures(json, messages), ...removals(json, 0, removed.map(keyBefore))],
    },
  }
}

function refuseField(name: string): never {
  refuse('invalid_request', name, `The path states the ${name}. Omit the field.`)
}

/**
 * Model IDs at Vertex AI have the version after `@` (`claude-haiku-4-5@20251001`). A model name cannot contain `@`, so
 * the name is the ID of Anthropic (`claude-haiku-4-5-20251001`). Clients such as Claude Code send such IDs by
 * themselves.
 */
function nameOfId(id: string, { isRawPredict }: RequestPath): string {
  return isRawPredict === true ? id.replace(/@default$/, '').replace('@', '-') : id
}

function formOf({ isInvoke }: RequestPath): string {
  return isInvoke === true ? '/model/<model>/invoke' : '/v1/publishers/anthropic/models/<model>:rawPredict'
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
