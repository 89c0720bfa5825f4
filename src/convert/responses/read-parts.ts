import { textOrNull, type JsonObject, type JsonValue } from '#wire/text/json-values.ts'
import type { FilePart, ImagePart, RefusalPart, TextPart } from '#convert/neutral-format.ts'
import { readBreakpoint, readFileData, readImage } from '#convert/request-fields-of-openai-wires.ts'
import { readContent, textsOnly } from '#convert/turns-and-content.ts'
import { mustBe, refuse, refuseForRoute } from '#wire/wire-request.ts'

type ContentPart = TextPart | ImagePart | FilePart | RefusalPart

export function readParts(content: JsonValue, path: string): readonly ContentPart[] {
  return readContent(content, path, readPart)
}

/** Reads a tool result in the same way as the content of a message, but without refusals. An empty text is omitted. */
export function readResultParts(
  output: JsonValue,
  path: string,
): readonly (TextPart | ImagePart | FilePart)[] {
  const parts = readParts(output, path)
  const given = parts.filter((part) => part.kind !== 'refusal')
  if (given.length < parts.length)
    refuse('invalid_request', path, `The field ${path} can contain only text, images and files.`)
  return given.filter((part) => part.kind !== 'text' || part.text !== '')
}

export function readTexts(content: JsonValue, path: string): readonly TextPart[] {
  return textsOnly(readParts(content, path), path)
}

export function readPart(item: JsonObject, path: string): ContentPart {
  const cache = readBreakpoint(item.prompt_cache_breakpoint)
  switch (item.type) {
    case 'input_text':
    case 'output_text':
    case 'text':
      return { kind: 'text', text: textOrNull(item.text) ?? mustBe(`${path}.text`, 'a string'), cache }
    case 'refusal':
      return { kind: 'refusal', text: textOrNull(item.refusal) ?? mustBe(`${path}.refusal`, 'a string') }
    case 'input_image':
      return readImage({ url: item.image_url, detail: item.detail, cache }, `${path}.image_url`)
    case 'input_file': {
      const url = textOrNull(item.file_url)
      const source =
        url === null ? readFileData(item.file_data, `${path}.file_data`) : ({ kind: 'url', url } as const)
      return { kind: 'file', source, name: textOrNull(item.filename), cache }
    }
    default:
      return refuseForRoute(
        path,
        `content of type ${textOrNull(item.type) ?? 'unknown'} is not known to this model’s provider; send input_text, input_image or input_file`,
      )
  }
}
