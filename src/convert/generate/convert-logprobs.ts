import { listOf, objectOf, type JsonObject, type JsonValue } from '#wire/text/json-values.ts'

/** Each chosen token has its alternatives, in the format of the chat wire. */
export function logprobsFromGenerate(result: JsonValue): readonly JsonObject[] {
  const { chosenCandidates, topCandidates } = objectOf(result)
  const tops = listOf(topCandidates)
  return listOf(chosenCandidates).flatMap((chosen, i) => {
    const token = tokenOf(chosen)
    if (token === null) return []
    const alternatives = listOf(objectOf(tops[i]).candidates).flatMap((other) => tokenOf(other) ?? [])
    return [{ ...token, top_logprobs: alternatives }]
  })
}

function tokenOf(candidate: JsonValue): JsonObject | null {
  const { token, logProbability } = objectOf(candidate)
  return typeof token === 'string' ? { token, logprob: logProbability ?? null, bytes: null } : null
}

export function logprobsToGenerate(tokens: readonly JsonValue[]): JsonObject {
  return {
    chosenCandidates: tokens.map(candidateOf),
    topCandidates: tokens.map((token) => ({
      candidates: listOf(objectOf(token).top_logprobs).map(candidateOf),
    })),
  }
}

function candidateOf(entry: JsonValue): JsonObject {
  const { token, logprob } = objectOf(entry)
  return { token, logProbability: logprob }
}
