import { abilitiesOf, isOpenaiReasoner } from '#convert/known-restrictions-of-models.ts'
import type { NeutralRequest, Sampling } from '#convert/neutral-format.ts'
import type { Destination, Capability } from './capability-type.ts'

type Name = keyof Sampling

const fields: Readonly<Record<Name, Capability['field']>> = {
  temperature: {
    chat: 'temperature',
    messages: 'temperature',
    generate: 'generationConfig.temperature',
    responses: 'temperature',
    converse: 'inferenceConfig.temperature',
    cohere: 'temperature',
  },
  topP: {
    chat: 'top_p',
    messages: 'top_p',
    generate: 'generationConfig.topP',
    responses: 'top_p',
    converse: 'inferenceConfig.topP',
    cohere: 'p',
  },
  topK: {
    chat: 'top_k',
    messages: 'top_k',
    generate: 'generationConfig.topK',
    converse: 'additionalModelRequestFields.top_k',
    cohere: 'k',
  },
  seed: { chat: 'seed', generate: 'generationConfig.seed', cohere: 'seed' },
  frequencyPenalty: {
    chat: 'frequency_penalty',
    generate: 'generationConfig.frequencyPenalty',
    cohere: 'frequency_penalty',
  },
  presencePenalty: {
    chat: 'presence_penalty',
    generate: 'generationConfig.presencePenalty',
    cohere: 'presence_penalty',
  },
}

/** OpenAI rejects a smaller maximum output on the responses wire. */
const outputTokensMin = 16

export const samplingCapabilities: readonly Capability[] = [
  {
    name: 'outputTokensMax.small',
    what: `a maximum output below ${outputTokensMin} tokens, sent as ${outputTokensMin} tokens`,
    field: {
      chat: 'max_completion_tokens',
      messages: 'max_tokens',
      generate: 'generationConfig.maxOutputTokens',
      responses: 'max_output_tokens',
      converse: 'inferenceConfig.maxTokens',
      cohere: 'max_tokens',
    },
    treatment: { responses: 'changed' },
    isIn: ({ outputTokensMax }) => outputTokensMax !== null && outputTokensMax < outputTokensMin,
    without: (request) => ({ ...request, outputTokensMax: outputTokensMin }),
  },
  {
    name: 'sampling.temperature.high',
    what: 'a temperature above 1',
    field: fields.temperature,
    treatment: { messages: 'changed', converse: 'changed', cohere: 'changed' },
    isIn: ({ sampling }) => (sampling.temperature ?? 0) > 1,
    without: (request) => withSampling(request, 'temperature', 1),
  },
  ...fixedAt('temperature', 'the temperature, if the model thinks or does not let clients set it'),
  ...fixedAt('topP', 'top-p, if the model thinks or does not let clients set it'),
  ...fixedAt('topK', 'top-k, if the model thinks or does not let clients set it'),
  {
    name: 'sampling.topP.beside',
    what: 'top-p together with a temperature',
    field: fields.topP,
    treatment: { messages: 'lost' },
    isIn: ({ sampling }) => sampling.temperature !== null && sampling.topP !== null,
    without: (request) => withSampling(request, 'topP', null),
  },
  plain('topK', 'top-k', { chat: 'lost', responses: 'lost', converse: 'lost' }),
  plain('seed', 'a seed', { messages: 'lost', responses: 'lost', converse: 'lost' }),
  plain('frequencyPenalty', 'a frequency penalty', { messages: 'lost', responses: 'lost', converse: 'lost' }),
  plain('presencePenalty', 'a presence penalty', { messages: 'lost', responses: 'lost', converse: 'lost' }),
  limited('topP', 'a top-p below 0.01 or above 0.99', { min: 0.01, max: 0.99 }),
  limited('topK', 'a top-k above 500', { min: 0, max: 500 }),
  limited('frequencyPenalty', 'a frequency penalty below 0 or above 1', { min: 0, max: 1 }),
  limited('presencePenalty', 'a presence penalty below 0 or above 1', { min: 0, max: 1 }),
]

/** Cohere accepts a smaller range of values than other wires. */
function limited(
  name: Name,
  what: string,
  { max, min }: { readonly min: number; readonly max: number },
): Capability {
  const within = (value: number): number => Math.min(Math.max(value, min), max)
  return {
    name: `sampling.${name}.limited`,
    what: `${what}, sent as the nearest value that Cohere accepts`,
    field: fields[name],
    treatment: { cohere: 'changed' },
    isIn: ({ sampling }) => sampling[name] !== null && within(sampling[name]) !== sampling[name],
    without: (request) => {
      const value = request.sampling[name]
      return value === null ? request : withSampling(request, name, within(value))
    },
  }
}

function plain(name: Name, what: string, treatment: Capability['treatment']): Capability {
  return {
    name: `sampling.${name}`,
    what,
    field: fields[name],
    treatment,
    isIn: ({ sampling }) => sampling[name] !== null,
    without: (request) => withSampling(request, name, null),
  }
}

/** For a sampling option that some models accept only with its default value, such as a temperature of 1. */
function fixedAt(name: 'temperature' | 'topP' | 'topK', what: string): readonly Capability[] {
  const without: Capability['without'] = (request) => withSampling(request, name, null)
  return [
    {
      name: `sampling.${name}.default`,
      what: `${what}: the value 1`,
      field: fields[name],
      treatment: {
        chat: 'irrelevant',
        compatible: 'carried',
        messages: 'irrelevant',
        responses: 'irrelevant',
      },
      isIn: (request, to) => name !== 'topK' && request.sampling[name] === 1 && isFixed(request, to),
      without,
    },
    {
      name: `sampling.${name}.fixed`,
      what,
      field: fields[name],
      treatment: { chat: 'lost', compatible: 'carried', messages: 'lost', responses: 'lost' },
      isIn: (request, to) => request.sampling[name] !== null && isFixed(request, to),
      without,
    },
  ]
}

function isFixed({ reasoning }: NeutralRequest, { wire, model, dialect }: Destination): boolean {
  const isOff = reasoning?.effort === 'none' || reasoning?.budgetTokens === 0
  if (wire === 'messages')
    return !abilitiesOf(model).takesSampling || (reasoning !== null && !isOff && asks(reasoning))
  const isOpenai = wire === 'responses' || (wire === 'chat' && dialect === 'openai')
  return isOpenai && isOpenaiReasoner(model) && !isOff
}

function asks({ effort, budgetTokens, isShown }: NonNullable<NeutralRequest['reasoning']>): boolean {
  return effort !== null || budgetTokens !== null || isShown === true
}

function withSampling(request: NeutralRequest, name: Name, value: number | null): NeutralRequest {
  return { ...request, sampling: { ...request.sampling, [name]: value } }
}
