import type { JsonObject } from '#wire/text/json-values.ts'
import { flagOrNull, isObject, isStated, numberOrNull, objectOf, textOrNull } from '#wire/text/json-values.ts'
import type { Effort, NeutralRequest, OutputFormat, ReasoningWish } from '#convert/neutral-format.ts'
import { refuseForRoute } from '#wire/wire-request.ts'
import { camelKeys, listOrOne } from '#wire/generate/fields-in-either-spelling.ts'
import { schemaFromGenerate } from './json-schema-from-google-schema.ts'
import { nameSet } from '#wire/text/set-of-field-names.ts'

type Config = Pick<
  NeutralRequest,
  'sampling' | 'stop' | 'output' | 'reasoning' | 'logprobs' | 'outputTokensMax' | 'choices' | 'others'
>

/** @param given the settings, with names in camelCase */
export function readConfig(given: JsonObject): Config {
  if (listOrOne(given.responseModalities).some((one) => textOrNull(one)?.toUpperCase() !== 'TEXT'))
    refuseForRoute('generationConfig.responseModalities', 'this model answers in text only')
  const output = outputOf(given)
  return {
    sampling: {
      temperature: numberOrNull(given.temperature),
      topP: numberOrNull(given.topP),
      topK: numberOrNull(given.topK),
      seed: numberOrNull(given.seed),
      frequencyPenalty: numberOrNull(given.frequencyPenalty),
      presencePenalty: numberOrNull(given.presencePenalty),
    },
    // Drop empty stop sequences, which stop nothing, as in the other formats. If the gateway itself applied an empty
    // stop sequence, the answer would end before its first character.
    stop: listOrOne(given.stopSequences)
      .filter((stop) => typeof stop === 'string')
      .filter((stop) => stop !== ''),
    output,
    reasoning: reasoningOf(given.thinkingConfig),
    logprobs: given.responseLogprobs === true ? (numberOrNull(given.logprobs) ?? 0) : null,
    outputTokensMax: numberOrNull(given.maxOutputTokens),
    choices: numberOrNull(given.candidateCount) ?? 1,
    others: Object.keys(given)
      .filter((name) => isStated(given[name]) && !known.has(name))
      .concat(given.responseMimeType === 'text/x.enum' ? ['responseMimeType'] : [])
      // A schema applies only to JSON answers, so the schema is dropped if the request asks for another type.
      .concat(given.responseMimeType === 'application/json' ? [] : schemasIn(given))
      .map((name) => `generationConfig.${name}`),
  }
}

const known = nameSet(`
  temperature topP topK seed frequencyPenalty presencePenalty stopSequences thinkingConfig
  responseLogprobs logprobs maxOutputTokens candidateCount responseMimeType responseSchema
  responseJsonSchema responseModalities
`)

function schemasIn(given: JsonObject): readonly string[] {
  return ['responseSchema', 'responseJsonSchema'].filter((name) => isObject(given[name]))
}

function outputOf({ responseMimeType, responseJsonSchema, responseSchema }: JsonObject): OutputFormat | null {
  if (responseMimeType === 'text/plain') return { kind: 'text' }
  const own = isObject(responseSchema) ? schemaFromGenerate(responseSchema) : null
  const schema = isObject(responseJsonSchema) ? responseJsonSchema : own
  if (responseMimeType !== 'application/json') return null
  return schema === null
    ? { kind: 'json' }
    : { kind: 'schema', name: null, description: null, schema, isStrict: null }
}

/**
 * A budget of -1 lets the model decide how long to think, and a budget of 0 disables thinking (docs/reference/wires.md
 * "Requests on the generate wire").
 */
function reasoningOf(thinkingConfig: unknown): ReasoningWish | null {
  if (!isObject(thinkingConfig)) return null
  const config = camelKeys(objectOf(thinkingConfig))
  const budget = numberOrNull(config.thinkingBudget)
  const level = textOrNull(config.thinkingLevel)?.toLowerCase() ?? ''
  return {
    effort: budget === 0 ? 'none' : (levels[level] ?? null),
    budgetTokens: budget !== null && budget > 0 ? budget : null,
    isShown: flagOrNull(config.includeThoughts),
  }
}

const levels: Readonly<Record<string, Effort>> = {
  minimal: 'minimal',
  low: 'low',
  medium: 'medium',
  high: 'high',
}
