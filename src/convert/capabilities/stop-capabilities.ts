import { isNova, isOpenaiReasoner } from '#convert/known-restrictions-of-models.ts'
import type { Capability, Destination } from './capability-type.ts'

const stopFields: Capability['field'] = {
  chat: 'stop',
  messages: 'stop_sequences',
  generate: 'generationConfig.stopSequences',
  responses: 'stop',
  converse: 'inferenceConfig.stopSequences',
  cohere: 'stop_sequences',
}

/**
 * The largest number that a vendor documents (docs/reference/conversions.md "Sampling and limits"). Both maxima limit
 * the memory of the gateway's search (stop-sequence-automaton.ts).
 */
const stopsMax = 2500
const stopCharactersMax = 65_536

export const stopCapabilities: readonly Capability[] = [
  {
    name: 'stop.many',
    what: 'more than 2,500 stop sequences, or stop sequences with more than 65,536 characters in total, if the gateway must apply them',
    field: stopFields,
    treatment: 'refused',
    isIn: (request, to) => stopsTaken(request.stop, to).length < request.stop.length && areMany(request.stop),
    refusal:
      'the gateway itself applies stop sequences that the provider does not accept. It applies at most 2,500 stop sequences with 65,536 characters in total. Send fewer stop sequences',
  },
  {
    name: 'stop',
    what: 'stop sequences that the provider does not accept: blank (messages), more than 4 (chat, Nova), more than 5 (generate, cohere), all (responses, reasoning models of OpenAI, other Converse models)',
    field: stopFields,
    treatment: 'emulated',
    isIn: (request, to) => stopsTaken(request.stop, to).length < request.stop.length,
    without: (request, to) => ({ ...request, stop: stopsTaken(request.stop, to) }),
  },
]

function areMany(stops: readonly string[]): boolean {
  return stops.length > stopsMax || stops.reduce((sum, stop) => sum + stop.length, 0) > stopCharactersMax
}

/** The gateway itself applies all other stop sequences (stop-sequence-filter.ts). */
function stopsTaken(stops: readonly string[], { wire, model, dialect }: Destination): readonly string[] {
  switch (wire) {
    case 'responses':
      return []
    case 'chat':
      return stops.length > 4 || (dialect === 'openai' && isOpenaiReasoner(model)) ? [] : stops
    case 'generate':
    case 'cohere':
      return stops.length > 5 ? [] : stops
    case 'messages':
      return stops.filter((stop) => stop.trim() !== '')
    case 'converse':
      // Several models, such as those of Meta and Qwen, reject every request that has stop sequences.
      return isNova(model) && stops.length <= 4 ? stops : []
    default:
      return wire satisfies never
  }
}
