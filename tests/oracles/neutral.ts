import type { NeutralRequest } from '#convert/neutral.ts'

/** For tests: an empty request with the few fields that a test is about. */
export function aRequest(fields: Partial<NeutralRequest> = {}): NeutralRequest {
  return {
    instructions: [],
    turns: [],
    tools: [],
    toolChoice: null,
    parallelTools: null,
    outputTokensMax: null,
    sampling: {
      temperature: null,
      topP: null,
      topK: null,
      seed: null,
      frequencyPenalty: null,
      presencePenalty: null,
    },
    stop: [],
    output: null,
    reasoning: null,
    verbosity: null,
    choices: 1,
    logprobs: null,
    logitBias: null,
    serviceTier: null,
    metadata: null,
    userId: null,
    cacheKey: null,
    isStream: false,
    wantsUsage: false,
    others: [],
    ...fields,
  }
}
