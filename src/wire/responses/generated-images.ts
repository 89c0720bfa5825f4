/**
 * Counts images that OpenAI generates in a response with a separate image model (docs/reference/wires.md "Image
 * generation on the responses wire"). The usage of the response does not include the tokens of these images.
 */
import { isPlausible, type Usage } from '#money/usage-counts.ts'
import type { InputBound } from '#wire/bound/input-bound.ts'
import { imageTokensMax, refuseUnbounded } from '#wire/generated-image-tokens.ts'
import { thirdsOfWords } from '#wire/stream/count-tokens-by-bytes.ts'
import { numberAt, kindOf, kinds, member, type Json, type Node } from '#wire/text/json-tape.ts'
import { itemsOf, typeOf } from '#wire/text/members-of-tape-nodes.ts'
import { choicesLimit, countAt, isGiven, textAt } from '#wire/wire-request.ts'

const imageTool = 'image_generation'
const imageCall = 'image_generation_call'

/** Returns the maximum image tokens of one use of the image tools, and adds the masks of these tools to the bound. */
export function imageTokensOfTools(json: Json, tools: readonly Node[], bound: InputBound): number {
  const tokens = tools.map((tool) => {
    if (typeOf(json, tool, '') !== imageTool) return 0
    const textOf = (name: string): string | null => textAt(json, member(json, tool, name))
    const countOf = (name: string, min: number): number | null =>
      countAt(json, `tools.${name}`, member(json, tool, name), choicesLimit, min)
    const quality = textOf('quality')
    refuseUnbounded({ quality, outputFormat: textOf('output_format') })
    const mask = member(json, tool, 'input_image_mask')
    const file = member(json, mask, 'file_id')
    const url = member(json, mask, 'image_url')
    if (isGiven(json, file)) bound.addFile(json, file, { isImage: true })
    else if (isGiven(json, url)) bound.addImage(json, url, false)
    const partial = (countOf('partial_images', 0) ?? 0) * partialTokens
    return (countOf('n', 1) ?? 1) * (imageTokensMax(textOf('size'), quality) + partial)
  })
  return Math.max(0, ...tokens)
}

/** The published tokens of a preview, which is sent before the image is complete. */
const partialTokens = 100

/** If the response reports no image tokens, the tokens are computed from the size and quality of each image. */
export function withImages(usage: Usage | null, json: Json, response: Node): Usage | null {
  if (usage === null) return null
  const told = member(json, member(json, response, 'tool_usage'), 'image_gen')
  const added =
    told < 0 ? { input: 0, imageInput: 0, imageOutput: drawnTokens(json, response) } : reported(json, told)
  if (added.input + added.imageInput + added.imageOutput === 0) return usage
  const whole = {
    ...usage,
    input: usage.input + added.input,
    imageInput: usage.imageInput + added.imageInput,
    output: usage.output + added.imageOutput,
    imageOutput: usage.imageOutput + added.imageOutput,
  }
  return isPlausible(whole) ? whole : null
}

type ImageUsage = Pick<Usage, 'input' | 'imageInput' | 'imageOutput'>

/** All output counts as images, because the image model bills any text at no more than the rate of images. */
function reported(json: Json, told: Node): ImageUsage {
  const countOf = (object: Node, name: string): number => {
    const count = member(json, object, name)
    return count >= 0 && kindOf(json, count) === kinds.number ? numberAt(json, count) : 0
  }
  const imageInput = countOf(member(json, told, 'input_tokens_details'), 'image_tokens')
  return {
    input: countOf(told, 'input_tokens') - imageInput,
    imageInput,
    imageOutput: countOf(told, 'output_tokens'),
  }
}

function drawnTokens(json: Json, response: Node): number {
  return itemsOf(json, member(json, response, 'output'))
    .filter((item) => isImageCall(json, item) && isGiven(json, member(json, item, 'result')))
    .reduce((sum, item) => sum + drawn(json, item), 0)
}

function drawn(json: Json, item: Node): number {
  const [size, quality] = ['size', 'quality'].map((name) => textAt(json, member(json, item, name)))
  return tokensBySize.get(`${quality} ${size}`) ?? imageTokensMax(size ?? null, quality ?? null)
}

/** The published tokens of gpt-image-1, the only model whose tokens OpenAI did not report in responses. */
const tokensBySize: ReadonlyMap<string, number> = new Map([
  ['low 1024x1024', 272],
  ['low 1024x1536', 408],
  ['low 1536x1024', 400],
  ['medium 1024x1024', 1_056],
  ['medium 1024x1536', 1_584],
  ['medium 1536x1024', 1_568],
  ['high 1024x1024', 4_160],
  ['high 1024x1536', 6_240],
  ['high 1536x1024', 6_208],
])

export function isImageCall(json: Json, item: Node): boolean {
  return typeOf(json, item, '') === imageCall
}

export function thirdsOfOutput(json: Json, output: Node): number {
  return itemsOf(json, output).reduce(
    (sum, item) => (isImageCall(json, item) ? sum : sum + thirdsOfWords(json, item)),
    0,
  )
}
