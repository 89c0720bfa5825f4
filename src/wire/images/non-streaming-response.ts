import { isPlausible, zeroUsage, type Usage } from '#money/usage-counts.ts'
import type { WholeAnswer } from '#wire/stream/answer-stream-interface.ts'
import { statedCost } from '#wire/provider-stated-cost.ts'
import { readTaskAnswer, type ReportedUsage } from '#wire/read-task-response.ts'
import type { ByteText } from '#wire/text/byte-text.ts'
import { numberOrNull, objectOf, type JsonObject } from '#wire/text/json-values.ts'
import type { WireRequest } from '#wire/wire-request.ts'

/** Reads a response with images (docs/reference/wires.md "Responses with images"). */
export function readImages(text: ByteText, { model, uses }: WireRequest): WholeAnswer | null {
  return readTaskAnswer(text, model, ['data'], (member, results) => {
    const reported = member('usage')
    const images = results()
    return reported === null ? unreported(images, uses) : usageOf(reported, images)
  })
}

function usageOf(reported: JsonObject, images: number): ReportedUsage {
  const { input_tokens: input, output_tokens: output } = reported
  const { image_tokens: imageInput = 0 } = objectOf(reported.input_tokens_details)
  const { image_tokens: imageOutput = output } = objectOf(reported.output_tokens_details)
  const countOf = (value: unknown): number => numberOrNull(value) ?? -1
  const usage: Usage = {
    ...zeroUsage,
    input: countOf(input) - countOf(imageInput),
    imageInput: countOf(imageInput),
    output: countOf(output),
    imageOutput: countOf(imageOutput),
    images,
    ...statedCost(reported),
  }
  return { usage: isPlausible(usage) ? usage : null, hasReportedUsage: true }
}

/**
 * If no usage is reported, each image counts as the tokens that were held for it, and the gateway counts the prompt.
 */
function unreported(images: number, held: WireRequest['uses']): ReportedUsage {
  const each = Math.ceil((held?.imageOutput ?? 0) / Math.max(1, held?.images ?? 1))
  const imageOutput = images * each
  const usage: Usage = { ...zeroUsage, images, output: imageOutput, imageOutput, lacks: 'input' }
  return { usage, hasReportedUsage: false }
}
