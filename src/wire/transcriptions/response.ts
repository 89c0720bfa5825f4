import { isPlausible, zeroUsage, type Usage } from '#money/usage-counts.ts'
import { thirdsOf, thirdsOfText, tokensFromThirds } from '#wire/bound/bound-tokens-of-any-text.ts'
import { errorInBody } from '#wire/read-provider-error.ts'
import type { WholeAnswer } from '#wire/stream/answer-stream-interface.ts'
import { statedCost } from '#wire/provider-stated-cost.ts'
import { readTaskAnswer, type ReportedUsage } from '#wire/read-task-response.ts'
import type { ByteText } from '#wire/text/byte-text.ts'
import { numberOrNull, objectOf, textOrNull, type JsonObject } from '#wire/text/json-values.ts'
import type { WireRequest } from '#wire/wire-request.ts'

/** Reads a transcript that is JSON or text (docs/reference/wires.md "Transcriptions"). */
export function readTranscript(text: ByteText, request: WireRequest): WholeAnswer | null {
  if (request.responseType !== undefined) return readPlain(text, request)
  return readTaskAnswer(
    text,
    request.model,
    ['text'],
    (member, _, value) => {
      const written = tokensFromThirds(thirdsOfText(textOrNull(value('text')) ?? ''))
      return usageOfTranscript(member('usage'), numberOrNull(value('duration')), written, request)
    },
    '"',
  )
}

function readPlain(body: ByteText, request: WireRequest): WholeAnswer | null {
  if (/^\s*[{<]/.test(body) && (body.includes('<html') || errorInBody(body) !== null)) return null
  const written = tokensFromThirds(thirdsOf(body, 0, body.length))
  return {
    ...usageOfTranscript(null, null, written, request),
    outputTokens: 0,
    hasNoOutput: true,
    body,
  }
}

/**
 * Returns the usage in tokens, in seconds, or in both. If the provider reports neither, the seconds are the length of
 * the sound that the gateway has read.
 * @param duration seconds that the response states
 * @param written tokens of the text, by the gateway's count
 */
export function usageOfTranscript(
  reported: JsonObject | null,
  duration: number | null,
  written: number,
  request: WireRequest,
): ReportedUsage {
  const usage = objectOf(reported)
  const stated = numberOrNull(usage.seconds) ?? numberOrNull(usage.prompt_audio_seconds) ?? duration
  const audioSeconds = stated === null ? (request.usualUses?.audioSeconds ?? 0) : Math.ceil(stated)
  const tokens = tokensOf(usage)
  const counted: Usage =
    tokens === null
      ? { ...zeroUsage, audioInput: request.mediaEstimate, output: written, audioSeconds, lacks: 'input' }
      : { ...zeroUsage, ...tokens, audioSeconds, ...statedCost(usage) }
  return {
    usage: isPlausible(counted) ? counted : null,
    hasReportedUsage: tokens !== null || stated !== null,
  }
}

function tokensOf(usage: JsonObject): Pick<Usage, 'input' | 'audioInput' | 'output'> | null {
  const input = numberOrNull(usage.input_tokens)
  const countOf = (value: unknown): number => numberOrNull(value) ?? -1
  if (input !== null) {
    const details = objectOf(usage.input_token_details)
    const text = numberOrNull(details.text_tokens) ?? 0
    return { input: text, audioInput: input - text, output: countOf(usage.output_tokens) }
  }
  const prompt = numberOrNull(usage.prompt_tokens)
  if (prompt === null) return null
  const output = countOf(usage.completion_tokens)
  // Mistral includes the tokens of the audio only in the total.
  const beside = (numberOrNull(usage.total_tokens) ?? prompt + output) - prompt - output
  return { input: prompt, audioInput: beside, output }
}
