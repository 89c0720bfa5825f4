import type { JsonObject } from '#wire/text/json-values.ts'
import { isOwnSignature } from '#wire/tagged-reasoning-signatures.ts'
import { dataUrlOf } from '#convert/data-url.ts'
import { writeBreakpoint } from '#convert/request-fields-of-openai-wires.ts'
import type {
  FilePart,
  ImagePart,
  MediaSource,
  Part,
  ReasoningPart,
  TextPart,
  ToolResultPart,
  Turn,
} from '#convert/neutral-format.ts'

/**
 * Instructions that consist of one text without cache marks are written to the wire's field for instructions. Other
 * instructions become the first message, which has the same effect.
 */
export function instructionsOf(texts: readonly TextPart[]): {
  readonly instructions: string | null
  readonly items: readonly JsonObject[]
} {
  const [first] = texts
  if (first === undefined) return { instructions: null, items: [] }
  if (texts.length === 1 && first.cache === null) return { instructions: first.text, items: [] }
  return { instructions: null, items: [{ type: 'message', role: 'system', content: texts.map(inputPart) }] }
}

/** @param origin the origin of the signatures that may be sent to the provider */
export function itemsOf(turns: readonly Turn[], origin: string): readonly JsonObject[] {
  return turns.flatMap((turn) =>
    turn.role === 'assistant' ? assistantItems(turn.parts, origin) : inputItems(turn.role, turn.parts),
  )
}

/** Tool results become separate items, and the parts between them become messages. */
function inputItems(role: 'user' | 'system', parts: readonly Part[]): readonly JsonObject[] {
  const items: JsonObject[] = []
  let content: JsonObject[] = []
  const flush = (): void => {
    if (content.length > 0) items.push({ type: 'message', role, content })
    content = []
  }
  for (const part of parts) {
    if (part.kind === 'tool_result') {
      flush()
      items.push(resultItem(part))
    } else if (part.kind === 'text' || part.kind === 'image' || part.kind === 'file')
      content.push(inputPart(part))
    else if (part.kind === 'refusal') content.push({ type: 'input_text', text: part.text })
  }
  flush()
  return items
}

/** The responses wire has no field for failed tools, so the text of the result states the failure (capabilities/). */
function resultItem({ callId, parts, isCustom }: ToolResultPart): JsonObject {
  const type = isCustom ? 'custom_tool_call_output' : 'function_call_output'
  const [first = nothing] = parts
  const isText = parts.length <= 1 && first.kind === 'text' && first.cache === null
  const output = isText ? first.text : parts.map(inputPart)
  return { type, call_id: callId, output }
}

const nothing: TextPart = { kind: 'text', text: '', cache: null }

function assistantItems(parts: readonly Part[], origin: string): readonly JsonObject[] {
  const items: JsonObject[] = []
  let content: JsonObject[] = []
  const flush = (): void => {
    if (content.length > 0) items.push({ type: 'message', role: 'assistant', content })
    content = []
  }
  const lastOther = parts.findLastIndex(({ kind }) => kind !== 'reasoning')
  for (const [i, part] of parts.entries()) {
    if (part.kind === 'text') {
      // Drop an empty text next to a tool call. Clients of other wires send such texts (docs/reference/conversions.md
      // "Content").
      if (part.text !== '') content.push({ type: 'output_text', text: part.text })
    } else if (part.kind === 'refusal') content.push({ type: 'refusal', refusal: part.text })
    else if (part.kind === 'tool_call') {
      flush()
      const text = part.arguments
      items.push({
        type: part.isCustom ? 'custom_tool_call' : 'function_call',
        call_id: part.id,
        name: part.name,
        ...(part.isCustom ? { input: text } : { arguments: text }),
      })
    } else if (part.kind === 'reasoning') {
      flush()
      // The responses wire rejects reasoning without a following item (docs/reference/conversions.md "Sealed
      // reasoning").
      const item = i < lastOther ? reasoningItem(part, origin) : null
      if (item) items.push(item)
    }
  }
  flush()
  return items
}

/** The provider rejects signatures of other accounts, and ignores reasoning without a signature. */
function reasoningItem({ text, signature }: ReasoningPart, origin: string): JsonObject | null {
  if (signature === null || !isOwnSignature(signature, { wire: 'responses', origin })) return null
  return {
    type: 'reasoning',
    ...(signature.id !== null && { id: signature.id }),
    summary: text === '' ? [] : [{ type: 'summary_text', text }],
    encrypted_content: signature.data,
  }
}

function inputPart(part: TextPart | ImagePart | FilePart): JsonObject {
  const mark = writeBreakpoint(part.cache)
  if (part.kind === 'text') return { type: 'input_text', text: part.text, ...mark }
  if (part.kind === 'image')
    return { type: 'input_image', image_url: urlOf(part.source), detail: part.detail ?? 'auto', ...mark }
  const { source, name } = part
  if (source.kind === 'text') return { type: 'input_text', text: source.text, ...mark }
  if (source.kind === 'url') return { type: 'input_file', file_url: source.url, ...mark }
  // The responses wire rejects a file without a name (docs/reference/conversions.md "Content").
  return { type: 'input_file', filename: name ?? nameOf(source.mediaType), file_data: urlOf(source), ...mark }
}

function urlOf(source: MediaSource): string {
  return source.kind === 'url' ? source.url : dataUrlOf(source.mediaType, source.data)
}

function nameOf(mediaType: string): string {
  return mediaType === 'application/pdf' ? 'document.pdf' : 'document.txt'
}
