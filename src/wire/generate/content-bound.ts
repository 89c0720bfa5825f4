import type { InputBound } from '#wire/bound/input-bound.ts'
import { kindOf, kinds, type Json, type Node } from '#wire/text/json-tape.ts'
import { fault, isNull, textAt, type RequestFault } from '#wire/request.ts'
import { entriesOf, fieldsOf } from './fields.ts'

/**
 * Adds what the parts of a content may cost. All text is bounded by its bytes already; media by their own
 * rules; what the provider fetches or runs by itself has no bound before the call, and is refused.
 */
export function boundParts(
  json: Json,
  parts: Node,
  bound: InputBound,
  isLowDetail: boolean,
  param: string,
): RequestFault | null {
  for (const [i, part] of entriesOf(json, parts).entries()) {
    const refused = boundPart(json, part, bound, isLowDetail, `${param}.${i}`)
    if (refused) return refused
  }
  return null
}

function boundPart(
  json: Json,
  part: Node,
  bound: InputBound,
  isLowDetail: boolean,
  param: string,
): RequestFault | null {
  if (kindOf(json, part) !== kinds.object) return fault('invalid_request', param, 'A part must be an object.')
  const fields = fieldsOf(json, part)
  if (typeof fields === 'string')
    return fault('invalid_request', `${param}.${fields}`, `The field ${fields} is there twice.`)
  for (const [name, { value }] of fields) {
    if (isNull(json, value) || isText.has(name)) continue
    if (name === 'inlineData') {
      const refused = boundData(json, value, bound, isLowDetail, `${param}.${name}`)
      if (refused) return refused
    } else if (name === 'functionResponse') {
      const refused = boundResponse(json, value, bound, isLowDetail, `${param}.${name}`)
      if (refused) return refused
    } else {
      return fault('unsupported_for_route', `${param}.${name}`, reasons[name] ?? unknownPart)
    }
  }
  return null
}

/** Parts and marks on them that are text, or change nothing of what a part may cost at most. */
const isText = new Set([
  'text',
  'thought',
  'thoughtSignature',
  'functionCall',
  'executableCode',
  'codeExecutionResult',
  'mediaResolution',
  'partMetadata',
])

const unknownPart = 'what this part costs cannot be bounded before the call'

const reasons: Readonly<Record<string, string>> = {
  fileData:
    'the size of a file that is only named cannot be known before the call; send its bytes as inlineData',
  videoMetadata: 'the length of a video cannot be known from its bytes; send single frames as images',
  toolCall: 'the provider runs this tool by itself, at a cost that cannot be bounded before the call',
  toolResponse: 'the provider runs this tool by itself, at a cost that cannot be bounded before the call',
}

/** A tool's result may carry pictures and documents beside its JSON. */
function boundResponse(
  json: Json,
  response: Node,
  bound: InputBound,
  isLowDetail: boolean,
  param: string,
): RequestFault | null {
  if (kindOf(json, response) !== kinds.object)
    return fault('invalid_request', param, 'A functionResponse must be an object.')
  const fields = fieldsOf(json, response)
  if (typeof fields === 'string')
    return fault('invalid_request', `${param}.${fields}`, `The field ${fields} is there twice.`)
  const parts = fields.get('parts')
  if (!parts || isNull(json, parts.value)) return null
  return boundParts(json, parts.value, bound, isLowDetail, `${param}.parts`)
}

function boundData(
  json: Json,
  blob: Node,
  bound: InputBound,
  isLowDetail: boolean,
  param: string,
): RequestFault | null {
  const fields = kindOf(json, blob) === kinds.object ? fieldsOf(json, blob) : 'inlineData'
  const type = typeof fields === 'string' ? null : textAt(json, fields.get('mimeType')?.value ?? -1)
  const data = typeof fields === 'string' ? -1 : (fields.get('data')?.value ?? -1)
  if (type === null || data < 0 || kindOf(json, data) !== kinds.string)
    return fault(
      'invalid_request',
      param,
      'inlineData must be {"mimeType": "<type>", "data": "<base64>"}, each once.',
    )
  const media = type.toLowerCase().trim()
  if (media.startsWith('image/')) bound.addImage(json, data, isLowDetail)
  else if (media.startsWith('audio/')) bound.addAudio(json, data)
  else if (media === 'application/pdf') bound.addDocument(json, data, media)
  else if (media.startsWith('text/') || media === 'application/json') {
    if (!bound.addEncodedText(json, data))
      return fault('invalid_request', `${param}.data`, 'It is no base64.')
  } else {
    const isVideo = media.startsWith('video/')
    return fault(
      'unsupported_for_route',
      param,
      isVideo ? (reasons.videoMetadata ?? unknownPart) : unknownPart,
    )
  }
  return null
}
