import { isPlausible, zeroUsage, type Usage } from '#money/usage-counts.ts'
import { hasCounts, usageFromGenerate } from '#wire/generate/usage.ts'
import type { WholeAnswer } from '#wire/stream/answer-stream-interface.ts'
import { textOf, type ByteText } from '#wire/text/byte-text.ts'
import { parseObject } from '#wire/text/json-values.ts'
import { topMembers } from '#wire/text/find-top-level-members.ts'

/** Reads one embedding or several. */
export function readEmbedContent(text: ByteText): WholeAnswer | null {
  const members = topMembers(text)
  if (members === null || !members.some(({ name }) => name === 'embedding' || name === 'embeddings'))
    return null
  const told = members.find(({ name }) => name === 'usageMetadata' || name === 'usage_metadata')
  const usage =
    told === undefined
      ? usageOfStatistics(text)
      : usageOf(parseObject(textOf(text.slice(told.start, told.end))))
  return { ...usage, outputTokens: 0, hasNoOutput: true, body: text }
}

/** @returns null if the text has no `predictions` */
export function readPrediction(text: ByteText): WholeAnswer | null {
  const members = topMembers(text)
  if (members === null || !members.some(({ name }) => name === 'predictions')) return null
  return { ...usageOfStatistics(text), outputTokens: 0, hasNoOutput: true, body: text }
}

/** Ignores the reported total, because it may include counts other than the input. */
function usageOf(reported: ReturnType<typeof parseObject>): Pick<WholeAnswer, 'usage' | 'hasReportedUsage'> {
  if (reported === null || !hasCounts(reported)) return unreported
  const usage = usageFromGenerate({ ...reported, candidatesTokenCount: 0, totalTokenCount: undefined })
  return { usage: usage?.lacks === undefined ? usage : null, hasReportedUsage: true }
}

/**
 * At Vertex AI, each embedding has `statistics` with the token count of its text. The response does not repeat the
 * input, so `statistics` occurs only as the name of the field.
 */
function usageOfStatistics(text: ByteText): Pick<WholeAnswer, 'usage' | 'hasReportedUsage'> {
  const counts = [...text.matchAll(/"token(?:Count|_count)"\s*:\s*(\d{1,9})(?:\.0*)?\s*[,}]/g)]
  if (counts.length === 0) return unreported
  const usage: Usage = { ...zeroUsage, input: counts.reduce((sum, [, count]) => sum + Number(count), 0) }
  return { usage: isPlausible(usage) ? usage : null, hasReportedUsage: true }
}

const unreported = { usage: null, hasReportedUsage: false } as const
