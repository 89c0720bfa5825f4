import { isPlausible, zeroUsage, type Usage } from '#money/usage-counts.ts'
import type { WholeAnswer } from '#wire/stream/answer-stream-interface.ts'
import { textOf, type ByteText } from '#wire/text/byte-text.ts'
import { isAbsent, numberOrNull, objectOf, parseObject, type JsonValue } from '#wire/text/json-values.ts'
import { topMembers } from '#wire/text/find-top-level-members.ts'

export function readCohereEmbeddings(text: ByteText): WholeAnswer | null {
  const members = topMembers(text)
  if (members === null || !members.some(({ name }) => name === 'embeddings')) return null
  const meta = members.find(({ name }) => name === 'meta')
  const stated = meta && parseObject(textOf(text.slice(meta.start, meta.end)))
  return { ...usageOf(stated?.['billed_units']), outputTokens: 0, hasNoOutput: true, body: text }
}

/**
 * The models of version 3 bill an image as one unit, and report no tokens for the image. Prices have a rate for tokens
 * of images, so the gateway then counts the input itself.
 */
function usageOf(billed: JsonValue): Pick<WholeAnswer, 'usage' | 'hasReportedUsage'> {
  const { images, image_tokens: imageTokens, input_tokens: tokens } = objectOf(billed)
  if ([images, imageTokens, tokens].every(isAbsent)) return { usage: null, hasReportedUsage: false }
  const usage: Usage = {
    ...zeroUsage,
    input: countOf(tokens),
    imageInput: countOf(imageTokens),
    ...(isAbsent(imageTokens) && countOf(images) !== 0 && { lacks: 'input' }),
  }
  return { usage: isPlausible(usage) ? usage : null, hasReportedUsage: true }
}

/** Returns an implausible number for anything but a count or an absent value. */
function countOf(value: JsonValue): number {
  return isAbsent(value) ? 0 : (numberOrNull(value) ?? -1)
}
